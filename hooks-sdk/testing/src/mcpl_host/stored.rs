//! What the host keeps of the states that tools report: a tree of checkpoints for each feature set.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use hooks_mcpl::wire::{StateChange, StateUpdate};

/// How many checkpoints of a feature set are kept.
const KEPT: usize = 1000;

/// A checkpoint that the host keeps.
///
/// Implements MCPL 0.4.1 §8.2 and §8.3.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StoredCheckpoint {
    /// Its id.
    pub checkpoint: String,
    /// The checkpoint it was made from.
    pub parent: Option<String>,
    /// The whole state; `None` when the server keeps it to itself.
    pub data: Option<Value>,
}

/// The checkpoints of all feature sets.
#[derive(Debug, Default)]
pub(super) struct States {
    trees: BTreeMap<String, StateTree>,
}

#[derive(Debug, Default)]
struct StateTree {
    head: Option<String>,
    /// The oldest first.
    checkpoints: VecDeque<StoredCheckpoint>,
}

impl States {
    pub(super) fn head(&self, set: &str) -> Option<&StoredCheckpoint> {
        let tree = self.trees.get(set)?;
        tree.get(tree.head.as_ref()?)
    }

    pub(super) fn get(&self, set: &str, checkpoint: &str) -> Option<&StoredCheckpoint> {
        self.trees.get(set)?.get(checkpoint)
    }

    /// Takes over what a tool reported.
    ///
    /// A patch is applied to the state that the request carried, else to that of the parent.
    pub(super) fn apply(
        &mut self,
        set: &str,
        update: StateUpdate,
        carried: Option<Value>,
    ) -> Result<(), String> {
        let tree = self.trees.entry(set.to_owned()).or_default();
        let data = match update.change {
            StateChange::Data(data) => Some(data),
            StateChange::Patch(patch) => {
                let parent = update.parent.as_ref();
                let parent = parent.and_then(|parent| tree.get(parent));
                let base = carried.or_else(|| parent?.data.clone());
                let mut data = base.ok_or("a patch of a state that the host does not have")?;
                json_patch::patch(&mut data, &patch).map_err(|error| error.to_string())?;
                Some(data)
            }
            _ => None,
        };
        tree.add(StoredCheckpoint {
            checkpoint: update.checkpoint,
            parent: update.parent,
            data,
        });
        Ok(())
    }

    /// Makes a checkpoint the latest again.
    pub(super) fn roll_back(&mut self, set: &str, checkpoint: &str) {
        if let Some(tree) = self.trees.get_mut(set)
            && tree.get(checkpoint).is_some()
        {
            tree.head = Some(checkpoint.to_owned());
        }
    }

    /// Drops a checkpoint that the server no longer has.
    pub(super) fn forget(&mut self, set: &str, checkpoint: &str) {
        if let Some(tree) = self.trees.get_mut(set) {
            tree.checkpoints.retain(|one| one.checkpoint != checkpoint);
        }
    }
}

impl StateTree {
    fn get(&self, id: &str) -> Option<&StoredCheckpoint> {
        let mut newest_first = self.checkpoints.iter().rev();
        newest_first.find(|one| one.checkpoint == id)
    }

    fn add(&mut self, stored: StoredCheckpoint) {
        self.head = Some(stored.checkpoint.clone());
        self.checkpoints
            .retain(|one| one.checkpoint != stored.checkpoint);
        self.checkpoints.push_back(stored);
        if self.checkpoints.len() > KEPT {
            self.checkpoints.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn update(value: Value) -> StateUpdate {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn patches_build_on_their_parent() {
        let mut states = States::default();
        let add = |text| json!([{"op": "add", "path": "/notes/-", "value": text}]);
        for (state, expected) in [
            (
                json!({"checkpoint": "1", "parent": null, "data": {"notes": []}}),
                json!([]),
            ),
            (
                json!({"checkpoint": "2", "parent": "1", "patch": add("a")}),
                json!(["a"]),
            ),
            (
                json!({"checkpoint": "3", "parent": "1", "patch": add("b")}),
                json!(["b"]),
            ),
        ] {
            states.apply("notes", update(state), None).unwrap();
            let head = states.head("notes").unwrap();
            assert_eq!(head.data.as_ref().unwrap()["notes"], expected);
        }
        states.roll_back("notes", "2");
        assert_eq!(states.head("notes").unwrap().checkpoint, "2");
        states.roll_back("notes", "nowhere");
        assert_eq!(states.head("notes").unwrap().checkpoint, "2");
        states.forget("notes", "2");
        assert_eq!(states.head("notes"), None);
    }

    #[test]
    fn a_patch_of_nothing_is_refused() {
        let mut states = States::default();
        let opaque = update(json!({"checkpoint": "1", "parent": null}));
        states.apply("notes", opaque, None).unwrap();
        let patch = json!({"checkpoint": "2", "parent": "1", "patch": []});
        assert!(states.apply("notes", update(patch.clone()), None).is_err());
        assert_eq!(states.head("notes").unwrap().checkpoint, "1");
        let carried = Some(json!({"notes": []}));
        states.apply("notes", update(patch), carried).unwrap();
        assert_eq!(states.head("notes").unwrap().checkpoint, "2");
    }
}
