//! What the server has seen of its host.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::{Value, json};

/// Everything that hooks were told, in order.
#[derive(Debug, Default)]
pub(crate) struct Seen(Mutex<Told>);

/// The lists of what was told.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) before: Vec<Value>,
    pub(crate) after: Vec<Value>,
    pub(crate) outgoing: Vec<Value>,
    pub(crate) published: Vec<Value>,
    pub(crate) lifecycle: Vec<Value>,
}

impl Seen {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How the host sent it.
pub(crate) fn form(awaited: bool) -> &'static str {
    if awaited { "request" } else { "notification" }
}

pub(crate) fn as_value(params: &impl Serialize) -> Value {
    serde_json::to_value(params).unwrap_or_else(|error| json!({ "unwritten": error.to_string() }))
}
