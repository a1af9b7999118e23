//! Two kinds of host: one keeps a state for each checkpoint, the other applies every patch to the state it has.

use std::collections::HashMap;

use hooks_sdk::mcpl::{
    Given,
    wire::{PatchOperation, StateChange, StateUpdate},
};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A patch applies to the state of the parent.
    Tree,
    /// A patch applies to the state at hand.
    Current,
}

/// What a request of the host carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carries {
    Nothing,
    State,
    Checkpoint,
    Both,
    /// A checkpoint of no tree.
    Stranger,
    /// A state that the host made itself.
    OwnState,
    /// The same, with the checkpoint that the host is at.
    OwnStateAt,
}

#[derive(Debug)]
pub(crate) struct Host {
    kind: Kind,
    /// From the oldest to the newest.
    pub(crate) checkpoints: Vec<String>,
    /// Of those that are not opaque.
    states: HashMap<String, Value>,
    at: Option<String>,
    /// Whether the server's head is where the host is.
    in_step: bool,
}

impl Host {
    pub(crate) fn new(kind: Kind) -> Host {
        Host {
            kind,
            checkpoints: Vec::new(),
            states: HashMap::new(),
            at: None,
            in_step: true,
        }
    }

    /// The state as far as the host knows it.
    pub(crate) fn state(&self) -> Option<&Value> {
        self.states.get(self.at.as_ref()?)
    }

    /// What a request carries that should carry this, as far as the host has it.
    pub(crate) fn given(&self, carries: Carries) -> Given {
        let mut given = Given::nothing();
        match carries {
            Carries::State | Carries::Both => given.state = self.state().cloned(),
            Carries::OwnState | Carries::OwnStateAt => {
                given.state = Some(json!({ "own": self.checkpoints.len() }));
            }
            _ => {}
        }
        let named = matches!(
            carries,
            Carries::Checkpoint | Carries::Both | Carries::OwnStateAt
        );
        if carries == Carries::Stranger {
            given.checkpoint = Some("chk_stranger".to_owned());
        } else if named || given.state.is_none() && !self.in_step {
            given.checkpoint = self.at.clone();
        }
        given
    }

    /// Takes the answer to a call that carried `given`.
    pub(crate) fn hear(&mut self, update: StateUpdate, given: &Given) {
        let state = match update.change {
            StateChange::Data(data) => Some(data),
            StateChange::Patch(patch) => Some(self.patched(update.parent.as_ref(), given, patch)),
            _ => None,
        };
        if let Some(state) = state {
            self.states.insert(update.checkpoint.clone(), state);
        }
        self.checkpoints.push(update.checkpoint.clone());
        self.at = Some(update.checkpoint);
        self.in_step = true;
    }

    fn patched(&self, parent: Option<&String>, given: &Given, patch: Vec<PatchOperation>) -> Value {
        let base = match self.kind {
            Kind::Tree => parent.and_then(|parent| self.states.get(parent)),
            Kind::Current => given.state.as_ref().or(self.state()),
        };
        let mut state = base.expect("a state to patch").clone();
        json_patch::patch(&mut state, &json_patch::Patch(patch)).expect("a patch that fits");
        state
    }

    /// The host goes to a checkpoint, with the server or by itself.
    pub(crate) fn go(&mut self, checkpoint: &str, with_server: bool) {
        self.at = Some(checkpoint.to_owned());
        self.in_step = with_server;
    }
}
