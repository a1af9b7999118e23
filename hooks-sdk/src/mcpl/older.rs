//! Forms of the declaration that some hosts of 0.4 read and the document does not have, where an author asks for them.

use serde_json::{Map, Value};

use super::{Settings, Version};

impl Settings {
    /// Rewrites `experimental.mcpl`.
    pub(super) fn shape(&self, version: Version, declaration: &mut Map<String, Value>) {
        if let Some(sets) = declaration.get_mut("featureSets") {
            self.shape_sets(version, sets);
        }
        if self.array_form
            && version == Version::V04
            && let Some(channels) = declaration.get_mut("channels")
        {
            *channels = Value::Bool(true);
        }
    }

    /// Rewrites feature sets that stand in an object by their names.
    pub(super) fn shape_sets(&self, version: Version, sets: &mut Value) {
        let Value::Object(by_name) = sets else { return };
        if version != Version::V04 {
            return;
        }
        if self.host_state {
            let members = by_name.values_mut().filter_map(Value::as_object_mut);
            for set in members.filter(|set| set.get("rollback") == Some(&Value::Bool(true))) {
                set.insert("hostState".to_owned(), Value::Bool(true));
            }
        }
        if self.array_form {
            let named = std::mem::take(by_name).into_iter().map(|(name, mut set)| {
                if let Value::Object(members) = &mut set {
                    members.insert("name".to_owned(), Value::String(name));
                }
                set
            });
            *sets = Value::Array(named.collect());
        }
    }
}
