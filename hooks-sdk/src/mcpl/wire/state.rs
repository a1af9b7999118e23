//! Checkpoints on the wire: what a tool's answer says of its state, and how a host goes back.

use json_patch::PatchOperation;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// What the answer of a tool says of its state.
///
/// Implements MCPL 0.4.1 §8.2 and §8.3.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Members", into = "Members")]
#[non_exhaustive]
pub struct StateUpdate {
    /// The state's id.
    pub checkpoint: String,
    /// The state before it; `null` on the wire where there was none.
    pub parent: Option<String>,
    /// What the host is told of the state.
    pub change: StateChange,
    /// Members that the document does not define.
    pub other: Map<String, Value>,
}

/// What a host is told of a state (MCPL 0.4.1 §8.3).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateChange {
    /// Nothing: the server keeps it.
    Opaque,
    /// The whole state.
    Data(Value),
    /// What changed since the parent, as RFC 6902 has it.
    Patch(Vec<PatchOperation>),
}

/// A state with `data` and `patch` at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`data` and `patch` exclude each other in a state")]
pub struct DataAndPatch;

impl StateUpdate {
    /// A state that the server keeps.
    pub fn opaque(checkpoint: impl Into<String>, parent: Option<String>) -> StateUpdate {
        StateUpdate {
            checkpoint: checkpoint.into(),
            parent,
            change: StateChange::Opaque,
            other: Map::new(),
        }
    }

    /// Gives the whole state, in place of any change.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> StateUpdate {
        self.change = StateChange::Data(data);
        self
    }

    /// Gives what changed since the parent, in place of the whole state.
    #[must_use]
    pub fn with_patch(mut self, patch: impl IntoIterator<Item = PatchOperation>) -> StateUpdate {
        self.change = StateChange::Patch(patch.into_iter().collect());
        self
    }
}

/// The members as they stand on the wire.
#[derive(Serialize, Deserialize)]
struct Members {
    checkpoint: String,
    parent: Option<String>,
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    data: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<Vec<PatchOperation>>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// A member that is there, also when it is `null`: that is a state like others.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl TryFrom<Members> for StateUpdate {
    type Error = DataAndPatch;

    fn try_from(members: Members) -> Result<StateUpdate, DataAndPatch> {
        let change = match (members.data, members.patch) {
            (Some(_), Some(_)) => return Err(DataAndPatch),
            (Some(data), None) => StateChange::Data(data),
            (None, Some(patch)) => StateChange::Patch(patch),
            (None, None) => StateChange::Opaque,
        };
        Ok(StateUpdate {
            checkpoint: members.checkpoint,
            parent: members.parent,
            change,
            other: members.other,
        })
    }
}

impl From<StateUpdate> for Members {
    fn from(state: StateUpdate) -> Members {
        let (data, patch) = match state.change {
            StateChange::Opaque => (None, None),
            StateChange::Data(data) => (Some(data), None),
            StateChange::Patch(patch) => (None, Some(patch)),
        };
        Members {
            checkpoint: state.checkpoint,
            parent: state.parent,
            data,
            patch,
            other: state.other,
        }
    }
}

/// A host goes back to a checkpoint.
///
/// Implements MCPL 0.4.1 §8.5, the params of `state/rollback`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RollbackRequest {
    /// The feature set whose state it is.
    pub feature_set: String,
    /// Where to go back to.
    pub checkpoint: String,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl RollbackRequest {
    /// Back to a checkpoint of a feature set.
    pub fn new(feature_set: impl Into<String>, checkpoint: impl Into<String>) -> RollbackRequest {
        RollbackRequest {
            feature_set: feature_set.into(),
            checkpoint: checkpoint.into(),
            other: Map::new(),
        }
    }
}

/// Whether a server went back.
///
/// Implements MCPL 0.4.1 §8.6, the answer to `state/rollback`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RollbackResult {
    /// The checkpoint that was asked for.
    pub checkpoint: String,
    /// Whether the state is what it was then.
    pub success: bool,
    /// Why it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl RollbackResult {
    /// The state is what it was then.
    pub fn done(checkpoint: impl Into<String>) -> RollbackResult {
        RollbackResult {
            checkpoint: checkpoint.into(),
            success: true,
            reason: None,
            other: Map::new(),
        }
    }

    /// What was done since cannot be undone.
    pub fn failed(checkpoint: impl Into<String>, reason: impl Into<String>) -> RollbackResult {
        RollbackResult {
            success: false,
            reason: Some(reason.into()),
            ..RollbackResult::done(checkpoint)
        }
    }
}
