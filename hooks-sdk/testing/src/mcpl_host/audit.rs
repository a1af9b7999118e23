//! The host's log of what was done and how it ended.

use std::{collections::VecDeque, time::SystemTime};

use crate::connection::{CallError, RequestError, Side};
use serde_json::{Map, Value};

/// One operation, and how it ended.
///
/// Implements MCPL 0.4.1 §13.2.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// What the host calls the server.
    pub server: String,
    /// The method.
    pub method: String,
    /// Who sent it.
    pub from: Side,
    /// The feature set, where the message or its answer names one.
    pub feature_set: Option<String>,
    /// The inference it belongs to.
    pub inference_id: Option<String>,
    /// When it ended.
    pub time: SystemTime,
    /// How it ended.
    pub outcome: AuditOutcome,
}

/// How an operation ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AuditOutcome {
    /// As it should.
    Success,
    /// It was answered with this error.
    Refused {
        /// The JSON-RPC error code.
        code: i64,
    },
    /// The other side did what the protocol does not allow, or the connection ended.
    Failed(String),
    /// Nothing came in time.
    TimedOut,
}

impl AuditOutcome {
    pub(super) fn of(error: &RequestError) -> AuditOutcome {
        match error {
            RequestError::Refused { code, .. } => AuditOutcome::Refused { code: *code },
            RequestError::TimedOut(_) => AuditOutcome::TimedOut,
            _ => AuditOutcome::Failed(error.to_string()),
        }
    }

    pub(super) fn of_call(error: &CallError) -> AuditOutcome {
        match error {
            CallError::Request(error) => AuditOutcome::of(error),
            CallError::Malformed { reason, .. } => AuditOutcome::Failed(reason.clone()),
        }
    }
}

/// What an operation is about, as far as its message says.
#[derive(Clone, Debug, Default)]
pub(super) struct OperationSubject {
    pub(super) feature_set: Option<String>,
    pub(super) inference_id: Option<String>,
}

impl OperationSubject {
    pub(super) fn of(message: &Value) -> OperationSubject {
        message
            .as_object()
            .map(OperationSubject::of_members)
            .unwrap_or_default()
    }

    pub(super) fn of_members(message: &Map<String, Value>) -> OperationSubject {
        let text = |member: &str| Some(message.get(member)?.as_str()?.to_owned());
        OperationSubject {
            feature_set: text("featureSet"),
            inference_id: text("inferenceId"),
        }
    }

    /// What this one does not say, from `other`.
    pub(super) fn or(self, other: OperationSubject) -> OperationSubject {
        OperationSubject {
            feature_set: self.feature_set.or(other.feature_set),
            inference_id: self.inference_id.or(other.inference_id),
        }
    }
}

/// The newest entries.
#[derive(Debug)]
pub(super) struct Audit {
    server: String,
    keep: usize,
    entries: VecDeque<Entry>,
}

impl Audit {
    pub(super) fn new(server: String, keep: usize) -> Audit {
        Audit {
            server,
            keep,
            entries: VecDeque::new(),
        }
    }

    pub(super) fn log(
        &mut self,
        from: Side,
        method: &str,
        about: OperationSubject,
        outcome: AuditOutcome,
    ) {
        self.entries.push_back(Entry {
            server: self.server.clone(),
            method: method.to_owned(),
            from,
            feature_set: about.feature_set,
            inference_id: about.inference_id,
            time: SystemTime::now(),
            outcome,
        });
        if self.entries.len() > self.keep {
            self.entries.pop_front();
        }
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        self.entries.iter().cloned().collect()
    }
}
