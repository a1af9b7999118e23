//! Paths in a line whose values are not written.

use serde_json::Value;

use crate::LogError;

/// The text in place of a masked value.
const MASKED: &str = "[masked]";

/// A path in a line, such as `/arguments/password` or `/answer/*/email`. `*` is any member or element.
///
/// The value at the path is replaced before the line is written, whatever it is. The same value at another path stays: name
/// both. A member of the chain (`chain`, `seq`, `prev`, `sig`) cannot be masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogMask(Vec<String>);

impl LogMask {
    /// Reads a path: parts behind slashes, with `~1` for a slash and `~0` for a tilde in a part (RFC 6901).
    ///
    /// # Errors
    ///
    /// The text begins with no slash, or has no part.
    pub fn new(path: &str) -> Result<LogMask, LogError> {
        let parts = path.strip_prefix('/').filter(|parts| !parts.is_empty());
        let parts = parts.ok_or_else(|| LogError::Mask(path.to_owned()))?;
        let parts = parts.split('/');
        Ok(LogMask(
            parts
                .map(|part| part.replace("~1", "/").replace("~0", "~"))
                .collect(),
        ))
    }

    /// Masks the value at the path.
    pub(crate) fn apply(&self, line: &mut Value) {
        mask(line, &self.0);
    }
}

fn mask(value: &mut Value, path: &[String]) {
    let Some((part, rest)) = path.split_first() else {
        *value = Value::String(MASKED.to_owned());
        return;
    };
    match value {
        Value::Object(members) if part == "*" => {
            members.values_mut().for_each(|each| mask(each, rest));
        }
        Value::Object(members) => {
            if let Some(member) = members.get_mut(part) {
                mask(member, rest);
            }
        }
        Value::Array(elements) => {
            let at = part.parse::<usize>().ok();
            for (index, each) in elements.iter_mut().enumerate() {
                if part == "*" || at == Some(index) {
                    mask(each, rest);
                }
            }
        }
        _ => {}
    }
}
