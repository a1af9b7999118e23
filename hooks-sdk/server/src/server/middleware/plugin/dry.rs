//! What the hooks of a call did, for the commands that say what would happen.

use rmcp::{RoleServer, service::RequestContext};

use super::{
    built::Built,
    chained::ChainedRequest,
    headers::{SECRET, headers},
};
use crate::server::{dry::DryStep, pipeline::RequestState};
use hooks_plugin::HttpHeaders;

/// Returns what each hook of the call did, in order.
pub(in crate::server) fn steps(call: &mut RequestState) -> Vec<DryStep> {
    let Some(running) = ChainedRequest::of(call) else {
        return Vec::new();
    };
    let steps = running.contexts.record().steps.iter().map(|step| {
        let reason = step.violation.as_ref().map(|violation| &violation.reason);
        DryStep {
            hook: step.hook.to_string(),
            point: step.point.as_str(),
            decision: step.decision.as_str(),
            why: step.note.as_ref().or(reason).cloned(),
        }
    });
    steps.collect()
}

impl Built {
    /// Returns the headers of a request that hooks see. A dry call has them without an HTTP request.
    pub(super) fn headers(&self, cx: &RequestContext<RoleServer>) -> Option<HttpHeaders> {
        let exposed = &self.policy.headers;
        let Some(dry) = &self.policy.dry else {
            return headers(cx, exposed);
        };
        let given = dry.headers()?;
        let named = given
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value));
        let is_seen = |name: &str| {
            !SECRET.contains(&name) || exposed.iter().any(|exposed| **exposed == *name)
        };
        Some(named.filter(|(name, _)| is_seen(name)).collect())
    }
}
