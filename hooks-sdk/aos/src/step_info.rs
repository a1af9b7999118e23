//! What a hook sees beside the payload.

use std::sync::Arc;

use super::{
    AosAt,
    wire::{A2aContext, Method, RequestId, StepContext},
};
use hooks_core::internal::setters;

/// What a hook of a guardian sees beside the payload. It cannot be changed.
///
/// ```
/// use hooks_sdk::aos::{AosAt, StepInfo};
///
/// let asked = StepInfo::new(AosAt::ToolCallRequest).with_reasoning("the user has to know");
/// assert_eq!(asked.reasoning(), Some("the user has to know"));
/// assert_eq!(asked.method().as_str(), "steps/toolCallRequest");
/// ```
#[derive(Clone, Debug)]
pub struct StepInfo {
    pub(super) at: AosAt,
    // Behind an `Arc`: the asker's description can be long, and a local guardian is asked with it at every step.
    pub(super) context: Option<Arc<StepContext>>,
    pub(super) a2a_context: Option<Arc<A2aContext>>,
    pub(super) reasoning: Option<String>,
    pub(super) request_id: Option<RequestId>,
    pub(super) trace_parent: Option<String>,
}

impl StepInfo {
    /// Makes what the hooks at a point see of a request without a context.
    pub fn new(at: AosAt) -> StepInfo {
        StepInfo {
            at,
            context: None,
            a2a_context: None,
            reasoning: None,
            request_id: None,
            trace_parent: None,
        }
    }

    setters! {
        /// Sets where the step happens.
        fn with_context(mut self, context: impl Into<Arc<StepContext>>) { self.context = Some(context.into()) }

        /// Sets who speaks with whom in A2A.
        fn with_a2a_context(mut self, context: impl Into<Arc<A2aContext>>) { self.a2a_context = Some(context.into()) }

        /// Sets why the agent takes the step.
        fn with_reasoning(mut self, reasoning: impl Into<String>) { self.reasoning = Some(reasoning.into()) }

        /// Sets the id of the request.
        fn with_request_id(mut self, id: RequestId) { self.request_id = Some(id) }

        /// Sets the trace that the step belongs to.
        fn with_trace_parent(mut self, trace_parent: impl Into<String>) {
            self.trace_parent = Some(trace_parent.into());
        }
    }

    /// Returns the point at which the hook runs.
    pub fn at(&self) -> AosAt {
        self.at
    }

    /// Returns the method of the request.
    pub fn method(&self) -> Method {
        self.at.method()
    }

    /// Returns where the step happens: the agent, its session, the turn and the user. Messages of MCP and A2A have no
    /// such context.
    pub fn context(&self) -> Option<&StepContext> {
        self.context.as_deref()
    }

    /// Returns who speaks with whom, for messages of A2A whose asker says so.
    pub fn a2a_context(&self) -> Option<&A2aContext> {
        self.a2a_context.as_deref()
    }

    /// Returns why the agent takes the step, in its own words. The agent may say anything here, so a decision cannot
    /// rely on it.
    pub fn reasoning(&self) -> Option<&str> {
        self.reasoning.as_deref()
    }

    /// Returns the id of the request. A guardian in the asker's own process gets none.
    pub fn request_id(&self) -> Option<&RequestId> {
        self.request_id.as_ref()
    }

    /// Returns the trace that the step belongs to, in the words of the W3C's `traceparent`.
    pub fn trace_parent(&self) -> Option<&str> {
        self.trace_parent.as_deref()
    }
}
