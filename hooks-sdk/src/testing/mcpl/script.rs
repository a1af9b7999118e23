//! Which reaction the next request gets.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::Arc,
};

use serde_json::Value;

use super::reaction::Reaction;

/// A test's own judgement of each request: its method and params.
pub(super) type Behaviour = Arc<dyn Fn(&str, &Value) -> Reaction + Send + Sync>;

/// What was scripted, the narrowest first.
#[derive(Clone, Default)]
pub(super) struct Script {
    once: HashMap<String, VecDeque<Reaction>>,
    always: HashMap<String, Reaction>,
    behaviour: Option<Behaviour>,
}

impl Script {
    pub(super) fn once(&mut self, method: &str, reaction: Reaction) {
        let queue = self.once.entry(method.to_owned()).or_default();
        queue.push_back(reaction);
    }

    pub(super) fn always(&mut self, method: &str, reaction: Reaction) {
        self.always.insert(method.to_owned(), reaction);
    }

    pub(super) fn behave(&mut self, behaviour: Behaviour) {
        self.behaviour = Some(behaviour);
    }

    /// Forgets everything that was scripted.
    pub(super) fn clear(&mut self) {
        *self = Script::default();
    }

    /// The scripted reaction, or the closure that is to be asked for it.
    pub(super) fn next(&mut self, method: &str) -> Result<Reaction, Option<Behaviour>> {
        let once = self.once.get_mut(method).and_then(VecDeque::pop_front);
        once.or_else(|| self.always.get(method).cloned())
            .ok_or_else(|| self.behaviour.clone())
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script")
            .field("once", &self.once)
            .field("always", &self.always)
            .finish_non_exhaustive()
    }
}
