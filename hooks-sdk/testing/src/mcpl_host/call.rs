//! A call of a tool with what MCPL adds to it.

use hooks_core::internal::setters;
use serde_json::{Map, Value, json};

/// A call of a tool, with what MCPL 0.4.1 §7.7 and §8.4 add to it.
///
/// ```
/// use hooks_testing::mcpl_host::HostCall;
/// use serde_json::json;
///
/// let edit = HostCall::new("edit_file", json!({"text": "…"}))
///     .scope("/project/main.rs", json!({"path": "/project/main.rs"}));
/// let branch = HostCall::new("add_note", json!({"text": "…"})).feature_set("notes").checkpoint("chk_abc");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HostCall {
    pub(super) name: String,
    pub(super) set: Option<String>,
    pub(super) carries: Carries,
    members: Map<String, Value>,
}

/// What a call tells of the state.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Carries {
    /// What the host has stored, by its policy.
    Stored,
    /// Nothing.
    Nothing,
    State(Value),
    Checkpoint(String),
}

impl HostCall {
    /// A call that carries the state that the host has stored for the tool's feature set.
    pub fn new(name: impl Into<String>, arguments: Value) -> HostCall {
        HostCall {
            name: name.into(),
            set: None,
            carries: Carries::Stored,
            members: Map::from_iter([("arguments".to_owned(), arguments)]),
        }
    }

    setters! {
        /// The feature set whose state it is.
        ///
        /// Without it, it is the one that `_meta.featureSet` of the tool's result names; or else the one declared with
        /// `rollback`. If there are several, it is the one that `_meta.featureSet` of the tool in `tools/list` names, else
        /// the first.
        fn feature_set(mut self, set: impl Into<String>) { self.set = Some(set.into()) }
    }

    /// Tags the call with a scope. One that the host's own blacklist denies is refused before it is sent (MCPL 0.4.1 §7.7).
    #[must_use]
    pub fn scope(self, label: impl Into<String>, payload: Value) -> HostCall {
        let label: String = label.into();
        self.member("scope", json!({"label": label, "payload": payload}))
    }

    setters! {
        /// Carries this state, in place of the stored one.
        fn state(mut self, state: Value) { self.carries = Carries::State(state) }

        /// Carries this checkpoint, in place of the stored state.
        fn checkpoint(mut self, checkpoint: impl Into<String>) { self.carries = Carries::Checkpoint(checkpoint.into()) }

        /// Carries nothing of the state.
        fn without_state(mut self) { self.carries = Carries::Nothing }

        /// Adds a member to the params, or replaces one.
        fn member(mut self, name: impl Into<String>, value: Value) { self.members.insert(name.into(), value) }
    }

    /// Returns the label of the call's scope.
    pub(super) fn label(&self) -> Option<&str> {
        self.members.get("scope")?.get("label")?.as_str()
    }

    pub(super) fn params(self, carries: Carries) -> Map<String, Value> {
        let mut params = Map::from_iter([("name".to_owned(), Value::String(self.name))]);
        match carries {
            Carries::State(state) => _ = params.insert("state".to_owned(), state),
            Carries::Checkpoint(checkpoint) => {
                params.insert("checkpoint".to_owned(), Value::String(checkpoint));
            }
            Carries::Stored | Carries::Nothing => {}
        }
        params.extend(self.members);
        params
    }
}
