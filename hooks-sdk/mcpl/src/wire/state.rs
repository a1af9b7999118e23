//! Checkpoints on the wire: the state in a tool's call and answer, and the host's rollback.

use json_patch::PatchOperation;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Scope;
use hooks_core::internal::{present, setters};

/// The state in the answer of a tool.
///
/// Implements MCPL 0.4.1 §8.2 and §8.3.
///
/// ```
/// use hooks_sdk::mcpl::wire::StateUpdate;
/// use serde_json::json;
///
/// let update = StateUpdate::opaque("checkpoint 8", Some("checkpoint 7".to_owned())).with_data(json!({"notes": 3}));
/// assert_eq!(update.checkpoint, "checkpoint 8");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "StateMembers", into = "StateMembers")]
#[non_exhaustive]
pub struct StateUpdate {
    /// The id of the checkpoint.
    pub checkpoint: String,
    /// The checkpoint before it; `null` on the wire if there is none.
    pub parent: Option<String>,
    /// What the host gets of the state.
    pub change: StateChange,
    /// Members that the document does not define.
    pub other: Map<String, Value>,
}

/// What the host gets of a state (MCPL 0.4.1 §8.3).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateChange {
    /// Nothing: the server keeps the state.
    Opaque,
    /// The whole state.
    Data(Value),
    /// The changes since the parent, as a JSON Patch (RFC 6902).
    Patch(Vec<PatchOperation>),
}

/// The error of a state with both `data` and `patch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`data` and `patch` exclude each other in a state")]
pub struct DataAndPatch;

impl StateUpdate {
    /// Makes a checkpoint whose state the server keeps.
    pub fn opaque(checkpoint: impl Into<String>, parent: Option<String>) -> StateUpdate {
        StateUpdate {
            checkpoint: checkpoint.into(),
            parent,
            change: StateChange::Opaque,
            other: Map::new(),
        }
    }

    setters! {
        /// Sends the whole state.
        fn with_data(mut self, data: Value) { self.change = StateChange::Data(data) }

        /// Sends the changes since the parent.
        fn with_patch(mut self, patch: impl IntoIterator<Item = PatchOperation>) {
            self.change = StateChange::Patch(patch.into_iter().collect());
        }
    }
}

/// The members on the wire.
#[derive(Serialize, Deserialize)]
struct StateMembers {
    checkpoint: String,
    parent: Option<String>,
    // `null` is a state like any other.
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

impl TryFrom<StateMembers> for StateUpdate {
    type Error = DataAndPatch;

    fn try_from(members: StateMembers) -> Result<StateUpdate, DataAndPatch> {
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

impl From<StateUpdate> for StateMembers {
    fn from(state: StateUpdate) -> StateMembers {
        let (data, patch) = match state.change {
            StateChange::Opaque => (None, None),
            StateChange::Data(data) => (Some(data), None),
            StateChange::Patch(patch) => (None, Some(patch)),
        };
        StateMembers {
            checkpoint: state.checkpoint,
            parent: state.parent,
            data,
            patch,
            other: state.other,
        }
    }
}

objects! {
    /// A host rolls back to a checkpoint.
    ///
    /// Implements MCPL 0.4.1 §8.5, the params of `state/rollback`.
    pub struct RollbackRequest {
        /// The feature set that the state belongs to.
        feature_set: String,
        /// The checkpoint to return to.
        checkpoint: String,

        /// Makes the params for a feature set and a checkpoint.
        fn new(feature_set: impl Into<String>, checkpoint: impl Into<String>);
    }

    /// Whether the server rolled back.
    ///
    /// Implements MCPL 0.4.1 §8.6, the answer to `state/rollback`.
    pub struct RollbackResult {
        /// The checkpoint in the request.
        checkpoint: String,
        /// Whether the state is the state of the checkpoint again.
        success: bool,
        /// Why the rollback failed.
        reason?: String,

        /// The state is the state of the checkpoint again.
        fn done(checkpoint: impl Into<String>) { checkpoint: checkpoint.into(), success: true };

        /// The server cannot undo what was done since the checkpoint.
        fn failed(checkpoint: impl Into<String>, reason: impl Into<String>) {
            checkpoint: checkpoint.into(), reason: Some(reason.into())
        };
    }
}

objects! {
    /// A call of a tool, with the three members that MCPL adds. The other members are MCP's.
    ///
    /// Implements MCPL 0.4.1 §7.7 and §8.4.
    pub struct ToolCallParams {
        /// The tool.
        name: String,
        /// The arguments of the call.
        arguments?: Map<String, Value>,
        /// The scope that the host permits for the call.
        scope?: Scope,
        /// The state that the call starts from, in full.
        state?: Value,
        /// The state that the call starts from, as the id of its checkpoint.
        checkpoint?: String,
    }

    /// The answer of a tool, with the member that MCPL adds. The other members are MCP's.
    ///
    /// Implements MCPL 0.4.1 §8.2. The content is MCP's, and kept as it is.
    pub struct ToolCallResult {
        /// The content, in MCP's own blocks.
        content?: Vec<Value>,
        /// The state after the call.
        state?: StateUpdate,
    }
}
