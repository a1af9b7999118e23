//! What happened in a chain: for the log, the audit and whoever asks.

use std::{sync::Arc, time::Duration};

use serde::Serialize;
use serde_json::{Map, Value};

use super::PluginAt;
use hooks_core::{Violation, internal::words};

words! {
    /// What a hook did with a request.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Decision: "Returns the decision's word, in an audit line." {
        /// It let the request go on.
        Allowed = "allowed",
        /// It changed the request.
        Modified = "modified",
        /// It stopped the request.
        Denied = "denied",
        /// It asked the user.
        Asked = "asked",
        /// It would have stopped or asked, and its mode lets the request go on.
        Suppressed = "suppressed",
        /// It changed what it may not change. The change is dropped.
        Dropped = "dropped",
        /// It failed, and the request goes on, because its failures are ignored.
        Bypassed = "bypassed",
        /// It failed, and that stopped the request.
        Failed = "failed",
        /// It runs after the request, and nobody waits for it.
        Started = "started",
        /// It could not run after the request, because too many such hooks run already.
        Refused = "refused",
        /// It was cancelled, because a concurrent neighbour stopped the request.
        Cancelled = "cancelled",
    }
}

/// One hook's part in a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ChainStep {
    /// The id of the hook; empty for the chain itself.
    pub hook: Arc<str>,
    /// The word of the point.
    pub point: PluginAt,
    /// What it did.
    pub decision: Decision,
    /// How long it took. Zero for what is not measured.
    pub cost: Duration,
    /// Why it stopped the request, or would have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violation: Option<Violation>,
    /// Why it failed, or what was dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl ChainStep {
    /// Makes a step without a cost and a violation.
    pub fn new(
        hook: Arc<str>,
        point: PluginAt,
        decision: Decision,
        note: Option<String>,
    ) -> ChainStep {
        ChainStep {
            hook,
            point,
            decision,
            cost: Duration::ZERO,
            violation: None,
            note,
        }
    }
}

/// What the hooks of one request did, in order.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ChainRecord {
    /// Whether every hook's decision and cost is here, or only those that a request must not lose.
    pub every: bool,
    /// What each hook did.
    pub steps: Vec<ChainStep>,
    /// What the hooks said about the request, merged member by member.
    pub metadata: Map<String, Value>,
}

impl ChainRecord {
    #[doc(hidden)]
    pub fn add(&mut self, step: ChainStep) {
        let ChainStep { hook, point, .. } = &step;
        let (hook, point) = (&**hook, point.as_str());
        let why = || {
            let reason = step.violation.as_ref().map(|violation| &*violation.reason);
            step.note.as_deref().or(reason).unwrap_or_default()
        };
        macro_rules! say {
            ($level:ident, $($why:ident,)? $message:literal) => {
                tracing::$level!(target: "hooks_sdk::plugin", hook, point, $($why = why(),)? $message)
            };
        }
        match step.decision {
            Decision::Denied => say!(info, reason, "a hook stopped a request"),
            Decision::Suppressed => say!(warn, reason, "a hook would have stopped a request"),
            Decision::Dropped => say!(warn, what, "a hook's change is dropped"),
            Decision::Bypassed => say!(warn, error, "a hook failed, and the request went on"),
            Decision::Failed => say!(error, error, "a hook failed, and the request stopped"),
            Decision::Refused => {
                say!(
                    warn,
                    "too many hooks run after their requests; this one did not"
                );
            }
            Decision::Allowed
            | Decision::Modified
            | Decision::Asked
            | Decision::Started
            | Decision::Cancelled => {}
        }
        self.steps.push(step);
    }

    /// Returns the hooks whose failures were ignored in this request.
    pub fn bypassed(&self) -> impl Iterator<Item = &str> {
        let steps = self.steps.iter();
        steps
            .filter(|step| step.decision == Decision::Bypassed)
            .map(|step| &*step.hook)
    }
}
