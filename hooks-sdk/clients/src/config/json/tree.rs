//! Members below a path, added with the objects that lead to them and dropped when they are empty.

use serde_json::Value;

use super::{Json, Reach, Step, edit::Item};
use crate::config::error::ConfigError;

/// A text with something added.
pub(in crate::config) struct Added {
    pub(in crate::config) text: String,
    /// The paths of members that were not there.
    pub(in crate::config) made: Vec<Vec<String>>,
}

impl Json<'_> {
    /// Adds the member at the end of a path, which must lead through objects and lack the last of them.
    pub(in crate::config) fn add(
        &self,
        path: &[String],
        value: &Value,
    ) -> Result<Added, ConfigError> {
        let (last, leading) = path.split_last().expect("a path with a member");
        let depth = match self.reach(leading)? {
            Reach::Whole(_) => leading.len(),
            Reach::Part(depth) => depth,
        };
        let nested = path[depth + 1..]
            .iter()
            .rev()
            .fold(value.clone(), |value, name| {
                Value::from_iter([(name.clone(), value)])
            });
        let name = path.get(depth).unwrap_or(last);
        let item = Item {
            name: Some(name),
            value: &nested,
        };
        let text = self.insert(&steps(&path[..depth]), &item);
        Ok(Added {
            text: text.expect("an object was reached"),
            made: (depth..path.len()).map(|at| path[..=at].to_vec()).collect(),
        })
    }

    /// Removes a member, when it is there and `drop` says so of it.
    pub(in crate::config) fn remove_member(
        &self,
        path: &[String],
        drop: impl FnOnce(&Self) -> bool,
    ) -> Result<Option<String>, ConfigError> {
        let (last, leading) = path.split_last().expect("a path with a member");
        let Reach::Whole(object) = self.reach(leading)? else {
            return Ok(None);
        };
        let index = object
            .properties
            .iter()
            .position(|member| member.name.as_str() == last);
        Ok(match index {
            Some(index) if drop(self) => self.remove(&steps(leading), index),
            _ => None,
        })
    }
}

pub(in crate::config) fn steps(path: &[String]) -> Vec<Step<'_>> {
    path.iter().map(|name| Step::Member(name)).collect()
}

/// Drops the emptied ones of the members that were made, the innermost first.
pub(in crate::config) fn drop_bare(
    file: &std::path::Path,
    mut text: String,
    made: &[Vec<String>],
) -> Result<String, ConfigError> {
    let mut made: Vec<_> = made.iter().filter(|path| !path.is_empty()).collect();
    made.sort_by_key(|path| std::cmp::Reverse(path.len()));
    for path in made {
        let json = Json::parse(file, &text)?;
        if let Some(dropped) = json.remove_member(path, |json| json.is_bare(&steps(path)))? {
            text = dropped;
        }
    }
    Ok(text)
}
