//! The states that a tree of checkpoints keeps: any value that converts to JSON and back.

use std::ops::{Deref, DerefMut};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use hooks_core::HookError;

/// A state that travels as JSON between a server and its host.
///
/// The host gets what [`save`](CheckpointState::save) returns, unchanged, and sends it back: see MCPL 0.4.1 §8.3 and
/// §8.4. For a type with serde's derives, use [`Json`].
///
/// ```
/// use hooks_sdk::{core::HookError, mcpl::checkpoints::CheckpointState};
/// use serde_json::{Value, json};
///
/// #[derive(Clone)]
/// struct Lines(Vec<String>);
///
/// impl CheckpointState for Lines {
///     fn save(&self) -> Result<Value, HookError> {
///         Ok(json!(self.0))
///     }
///
///     fn load(saved: &Value) -> Result<Lines, HookError> {
///         Ok(Lines(serde_json::from_value(saved.clone())?))
///     }
/// }
/// ```
pub trait CheckpointState: Clone + Send + Sync + Sized + 'static {
    /// Converts the state to JSON. Equal states must give equal JSON.
    ///
    /// # Errors
    ///
    /// This state cannot be converted.
    fn save(&self) -> Result<Value, HookError>;

    /// Reads the state from `saved`.
    ///
    /// # Errors
    ///
    /// What is wrong with `saved`, in words for its sender. It may come from a host, and may be anything.
    fn load(saved: &Value) -> Result<Self, HookError>;
}

impl CheckpointState for Value {
    fn save(&self) -> Result<Value, HookError> {
        Ok(self.clone())
    }

    fn load(saved: &Value) -> Result<Value, HookError> {
        Ok(saved.clone())
    }
}

/// A [`CheckpointState`] of any type that serde reads and writes.
///
/// ```
/// use hooks_sdk::mcpl::checkpoints::{Json, CheckpointState};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
/// struct Notes {
///     notes: Vec<String>,
/// }
///
/// let mut notes = Json(Notes::default());
/// notes.notes.push("Buy milk".into());
/// let saved = notes.save()?;
/// assert_eq!(saved, serde_json::json!({ "notes": ["Buy milk"] }));
/// assert_eq!(Json::load(&saved)?, notes);
/// # Ok::<(), hooks_sdk::core::HookError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "it is a name for what it holds")]
pub struct Json<T>(pub T);

impl<T: Serialize + DeserializeOwned + Clone + Send + Sync + 'static> CheckpointState for Json<T> {
    fn save(&self) -> Result<Value, HookError> {
        Ok(serde_json::to_value(&self.0)?)
    }

    fn load(saved: &Value) -> Result<Json<T>, HookError> {
        Ok(Json(T::deserialize(saved)?))
    }
}

impl<T> Deref for Json<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Json<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
