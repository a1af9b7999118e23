//! What a host sent along with a call: the state it has, or the name of a checkpoint.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The `state` and the `checkpoint` of a `tools/call`, MCPL 0.4.1 §8.4.
///
/// The state is what the call works on, if there is one; otherwise the state at the checkpoint; otherwise the
/// server's own latest. With both, the checkpoint is what the result comes after.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Given {
    /// The state that the host has. `null` is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// The checkpoint that the host is at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
}

impl Given {
    /// A request that carried neither.
    pub fn nothing() -> Given {
        Given::default()
    }

    /// A request that carried this state.
    pub fn state(state: Value) -> Given {
        Given {
            state: Some(state),
            checkpoint: None,
        }
    }

    /// A request that carried this checkpoint.
    pub fn checkpoint(checkpoint: impl Into<String>) -> Given {
        Given {
            state: None,
            checkpoint: Some(checkpoint.into()),
        }
    }

    /// The request carried this checkpoint too.
    #[must_use]
    pub fn and_checkpoint(mut self, checkpoint: impl Into<String>) -> Given {
        self.checkpoint = Some(checkpoint.into());
        self
    }
}
