//! Reads the configuration of a plugin, and names each member that is wrong.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Segment, Track};

/// A member of a plugin's configuration, as the way to it, and what is wrong with it.
pub(super) type WrongMember = (Vec<String>, String);

/// Reads a configuration. A member that its type does not know is an error, also where the author did not say
/// `deny_unknown_fields`.
pub(super) fn members<C: DeserializeOwned>(config: Value) -> Result<C, Vec<WrongMember>> {
    let (mut track, mut unknown) = (Track::new(), Vec::new());
    let tracked = serde_path_to_error::Deserializer::new(config, &mut track);
    let read = serde_ignored::deserialize(tracked, |path| {
        let mut steps = Vec::new();
        way(&path, &mut steps);
        unknown.push((steps, "the plugin has no such member".to_owned()));
    });
    match read {
        Ok(read) if unknown.is_empty() => Ok(read),
        Ok(_) => Err(unknown),
        Err(wrong) => {
            let message = serde_json::Error::to_string(&wrong);
            Err(vec![(steps(&track.path()), message)])
        }
    }
}

/// Returns the steps to a wrong member.
pub(super) fn steps(path: &serde_path_to_error::Path) -> Vec<String> {
    let steps = path.iter().filter_map(|step| match step {
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Map { key } => Some(key.clone()),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    steps.collect()
}

/// Writes the steps to an unknown member.
fn way(path: &serde_ignored::Path<'_>, steps: &mut Vec<String>) {
    use serde_ignored::Path;
    match path {
        Path::Root => {}
        Path::Seq { parent, index } => {
            way(parent, steps);
            steps.push(index.to_string());
        }
        Path::Map { parent, key } => {
            way(parent, steps);
            steps.push(key.clone());
        }
        Path::Some { parent }
        | Path::NewtypeStruct { parent }
        | Path::NewtypeVariant { parent } => way(parent, steps),
    }
}
