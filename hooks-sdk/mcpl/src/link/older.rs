//! Older forms of the declaration, which some hosts read and the document does not have. Authors opt in.

use serde_json::{Map, Value, json};

use crate::{McplSettings, Version, wire::manifest};

impl McplSettings {
    /// Rewrites `experimental.mcpl`.
    pub(super) fn shape(&self, version: Version, declaration: &mut Map<String, Value>) {
        if let Some(sets) = declaration.get_mut("featureSets") {
            self.shape_sets(sets);
        }
        if self.host_state.is_some() && declaration.contains_key("revision") {
            // The revision is the digest of the declaration, so it must include these members.
            let revision = manifest::revision(&Value::Object(declaration.clone()));
            if let Ok(revision) = revision {
                declaration.insert("revision".to_owned(), json!(revision));
            }
        }
        if self.array_form && version == Version::V04 {
            if let Some(sets) = declaration.get_mut("featureSets") {
                *sets = listed(sets.take());
            }
            if let Some(channels) = declaration.get_mut("channels") {
                *channels = Value::Bool(true);
            }
        }
    }

    /// Rewrites feature sets in an object keyed by name.
    pub(super) fn shape_sets(&self, by_name: &mut Value) {
        if self.host_state.is_none() {
            return;
        }
        let sets = by_name.as_object_mut().into_iter().flatten();
        let members = sets.filter_map(|(_, set)| set.as_object_mut());
        for set in members.filter(|set| set.get("rollback") == Some(&Value::Bool(true))) {
            set.insert("hostState".to_owned(), Value::Bool(true));
        }
    }
}

/// Converts the object to an array, with each name inside its set.
fn listed(by_name: Value) -> Value {
    let Value::Object(by_name) = by_name else {
        return by_name;
    };
    let named = by_name.into_iter().map(|(name, mut set)| {
        if let Value::Object(members) = &mut set {
            members.insert("name".to_owned(), Value::String(name));
        }
        set
    });
    Value::Array(named.collect())
}
