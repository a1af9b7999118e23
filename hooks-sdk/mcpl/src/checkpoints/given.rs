//! What a host sends with a call: a state, or the name of a checkpoint.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The `state` and the `checkpoint` of a `tools/call`, MCPL 0.4.1 §8.4.
///
/// The call works on the first of these that is present: the state; the state at the checkpoint; the server's own
/// latest state. If both are present, the result follows the checkpoint.
///
/// ```
/// use hooks_sdk::mcpl::Given;
///
/// let given = Given::checkpoint("checkpoint 7");
/// assert_eq!(given.checkpoint.as_deref(), Some("checkpoint 7"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Given {
    /// The state that the host has. `null` counts as absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// The checkpoint of the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
}

impl Given {
    /// Makes the value for a request that carries neither.
    pub fn nothing() -> Given {
        Given::default()
    }

    /// Makes the value for a request that carries this state.
    pub fn state(state: Value) -> Given {
        Given {
            state: Some(state),
            checkpoint: None,
        }
    }

    /// Makes the value for a request that carries this checkpoint.
    pub fn checkpoint(checkpoint: impl Into<String>) -> Given {
        Given {
            state: None,
            checkpoint: Some(checkpoint.into()),
        }
    }

    /// Adds this checkpoint.
    #[must_use]
    pub fn and_checkpoint(mut self, checkpoint: impl Into<String>) -> Given {
        self.checkpoint = Some(checkpoint.into());
        self
    }
}
