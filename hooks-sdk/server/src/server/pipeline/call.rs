//! A request in the pipeline, and the data that the middleware keep for it.

use std::{borrow::Cow, sync::Arc, time::Duration};

use rmcp::ErrorData;

use super::{McpAnswer, McpRequest, MiddlewareId, Served};
#[cfg(feature = "guardian-local")]
use crate::server::middleware::aos::GuardedRequest;
#[cfg(feature = "mcpl")]
use crate::server::middleware::mcpl::RunningFeature;
#[cfg(feature = "policy-engine")]
use crate::server::middleware::plugin::PluginRequest;
use crate::server::{
    McpContext,
    connection::Connection,
    middleware::{guidance::GuidanceRequest, session::GatedRequest},
    request::own_key,
};
use hooks_core::{session::TIME_TO_LIVE, store::Key};

/// A request as the author's server receives it. The middleware before the server may change it.
#[derive(Debug)]
pub(crate) struct AuthorRequest {
    pub(crate) asked: McpRequest,
    pub(crate) cx: McpContext,
}

/// The effect of a call on its session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Change {
    /// The call opened and ended no session. It may have moved the session from one state to another.
    #[default]
    None,
    /// The call opened the session.
    Opened,
    /// The call ended the session.
    Ended,
}

/// The data of one request, from its arrival to its end.
pub(crate) struct RequestState {
    /// The connection on which the request arrived.
    pub(crate) connection: Arc<Connection>,
    /// The tool that the request calls.
    pub(crate) tool: Option<Cow<'static, str>>,
    /// The tool that the request calls, if a middleware serves it.
    pub(crate) served: Option<Arc<Served>>,
    /// The session of the request, once a middleware has set it.
    pub(crate) session: Option<Key>,
    /// How long the session lives after its last call.
    pub(crate) lives: Duration,
    /// Whether the call may open or end its session, once the gate has let it go on.
    pub(crate) may_change: bool,
    /// The effect of the call on its session.
    pub(crate) change: Change,
    /// Whether the answer to `tasks/get` that the middleware judge is the end of the task.
    pub(crate) is_task_ended: bool,
    /// Whether the client cancelled the request.
    pub(crate) is_cancelled: bool,
    /// Whether the request reached the author's server. If not, a middleware answered.
    pub(crate) reached: bool,
    /// The middleware that answered in place of the author's server.
    pub(crate) stopped: Option<MiddlewareId>,
    /// Which middleware refused the request or withheld its answer, for the decision log.
    pub(crate) refused: Option<RefusalRecord>,
    /// The line after the call, where the server has a decision log. A request that is no call has one if it is stopped.
    #[cfg(feature = "log")]
    pub(crate) log: Option<Box<CallLog>>,
    /// The answer that takes the place of the author's. Unlike the answer of [`Flow::Answer`](super::Flow), this one passes every
    /// middleware after the server.
    pub(crate) prepared: Option<Box<McpAnswer>>,
    pub(crate) gate: GatedRequest,
    #[cfg(feature = "policy-engine")]
    pub(crate) plugin: PluginRequest,
    #[cfg(feature = "guardian-local")]
    pub(crate) guardian: Option<Box<GuardedRequest>>,
    #[cfg(feature = "mcpl")]
    pub(crate) feature: Option<Box<RunningFeature>>,
    /// The answer to a request for skills or resources if the author's server does not have the method.
    #[cfg(feature = "guidance")]
    pub(crate) missing_skill: Option<Box<McpAnswer>>,
    pub(crate) guidance: GuidanceRequest,
}

impl RequestState {
    pub(super) fn new(asked: &McpRequest, connection: Arc<Connection>) -> RequestState {
        let tool = match asked {
            McpRequest::CallTool(request) => Some(request.name.clone()),
            _ => None,
        };
        RequestState {
            connection,
            tool,
            served: None,
            session: None,
            lives: TIME_TO_LIVE,
            may_change: false,
            change: Change::None,
            is_task_ended: false,
            is_cancelled: false,
            reached: false,
            stopped: None,
            refused: None,
            #[cfg(feature = "log")]
            log: None,
            prepared: None,
            gate: GatedRequest::default(),
            #[cfg(feature = "policy-engine")]
            plugin: PluginRequest::default(),
            #[cfg(feature = "guardian-local")]
            guardian: None,
            #[cfg(feature = "mcpl")]
            feature: None,
            #[cfg(feature = "guidance")]
            missing_skill: None,
            guidance: GuidanceRequest::default(),
        }
    }

    /// Returns the session of the request: the gate's, else the client's own.
    pub(crate) fn session_key(&self, cx: &McpContext) -> Option<Key> {
        let own = || own_key(cx, &self.connection);
        self.session.clone().or_else(own)
    }

    /// Returns the name of the tool that the request calls, or an empty string if it calls none.
    pub(crate) fn tool(&self) -> &str {
        self.tool.as_deref().unwrap_or_default()
    }

    /// Returns the answer in place of one that a middleware failed to pass on.
    pub(super) fn failed(&mut self, error: ErrorData) -> McpAnswer {
        self.refused.get_or_insert_with(|| RefusalRecord {
            failed: true,
            ..RefusalRecord::new("server", "", "middleware_failed")
        });
        Err(error)
    }

    /// Returns whether the result is a hook's text for the client itself.
    pub(crate) fn answers_hook(&self) -> bool {
        let served = self.served.as_ref();
        served.is_some_and(|served| served.answers_hook())
    }
}

/// Why a middleware refused a request, or withheld its answer.
#[derive(Clone, Debug)]
pub(crate) struct RefusalRecord {
    /// The word of the middleware, such as `guardian`.
    pub(crate) middleware: &'static str,
    /// What of it decided, such as a step.
    pub(crate) rule: String,
    /// The word for programs.
    pub(crate) code: String,
    /// Whether a check failed, and did not decide.
    pub(crate) failed: bool,
}

impl RefusalRecord {
    pub(crate) fn new(
        middleware: &'static str,
        rule: impl Into<String>,
        code: impl Into<String>,
    ) -> RefusalRecord {
        RefusalRecord {
            middleware,
            rule: rule.into(),
            code: code.into(),
            failed: false,
        }
    }
}

/// The line after a call, which the middleware fill.
#[cfg(feature = "log")]
#[derive(Debug)]
pub(crate) struct CallLog {
    pub(crate) entry: hooks_log::DecisionEntry,
    /// The session that the line names.
    pub(crate) key: Option<Key>,
    /// What a failure of the check that stopped the call does.
    pub(crate) posture: &'static str,
    /// Why the late result of a task is withheld.
    pub(crate) late: Option<RefusalRecord>,
    began: std::time::Instant,
}

#[cfg(feature = "log")]
impl CallLog {
    pub(crate) fn new(entry: hooks_log::DecisionEntry, key: Option<Key>) -> CallLog {
        CallLog {
            entry,
            key,
            posture: "",
            late: None,
            began: std::time::Instant::now(),
        }
    }

    /// Notes a check that failed while the call went on.
    pub(crate) fn bypassed(&mut self, middleware: &str, rule: &str, code: &str) {
        let stop = hooks_log::LogStop::new(middleware, rule, code).posture("proceed");
        self.entry.bypassed.push(stop);
    }

    /// Returns whether the request is a call, which has a line however it ends.
    pub(crate) fn is_call(&self) -> bool {
        self.entry.kind == hooks_log::LogKind::Call
    }

    /// Returns the line after the call, or the line of the stop.
    pub(crate) fn ended(
        self,
        decision: hooks_log::LogDecision,
        ended: hooks_log::LogEnd,
        stop: Option<hooks_log::LogStop>,
    ) -> hooks_log::DecisionEntry {
        let mut entry = self.entry;
        if entry.kind == hooks_log::LogKind::Call {
            entry.kind = hooks_log::LogKind::Decision;
        }
        entry.at = hooks_core::Timestamp::now();
        (entry.decision, entry.ended, entry.stop) = (Some(decision), Some(ended), stop);
        entry.took = Some(self.began.elapsed());
        entry
    }
}

/// The client that receives a list.
pub(crate) struct Viewer {
    pub(crate) connection: Arc<Connection>,
    /// Whether the request uses protocol 2026-07-28 or later.
    pub(crate) is_stateless: bool,
    /// Whether only a handle connects the requests of one session.
    pub(crate) needs_handle: bool,
}
