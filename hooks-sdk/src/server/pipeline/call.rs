//! A request on its way, the data that the middleware keep for it, and a handshake.

use std::{any::Any, borrow::Cow, fmt, sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer,
    model::{ClientCapabilities, ServerCapabilities},
    service::RequestContext,
};

use super::{McpRequest, McpResponse, MiddlewareId, Served};
use crate::{
    lifecycle::Declaration,
    server::{
        connection::Connection,
        request::{is_stateless, needs_handle},
    },
    session::TIME_TO_LIVE,
    store::Key,
};

/// A request as the author's server receives it. The middleware before the server may change it.
#[derive(Debug)]
pub(in crate::server) struct AuthorRequest {
    pub(in crate::server) asked: McpRequest,
    pub(in crate::server) cx: RequestContext<RoleServer>,
}

/// The effect of a call on its session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::server) enum Change {
    /// The call opened and ended no session. It may have moved the session from one state to another.
    #[default]
    None,
    /// The call opened the session.
    Opened,
    /// The call ended the session.
    Ended,
}

/// The data of one request, from its arrival to its end.
#[derive(Debug)]
pub(in crate::server) struct RequestState {
    /// The connection on which the request arrived.
    pub(in crate::server) connection: Arc<Connection>,
    /// The tool that the request calls.
    pub(in crate::server) tool: Option<Cow<'static, str>>,
    /// The tool that the request calls, if a middleware serves it.
    pub(in crate::server) served: Option<Arc<Served>>,
    /// The session of the request, once a middleware has set it.
    pub(in crate::server) session: Option<Key>,
    /// How long the session lives after its last call.
    pub(in crate::server) lives: Duration,
    /// The effect of the call on its session.
    pub(in crate::server) change: Change,
    /// Whether the answer to `tasks/get` that the middleware judge is the end of the task.
    pub(in crate::server) is_task_ended: bool,
    /// Whether the client cancelled the request.
    pub(in crate::server) is_cancelled: bool,
    /// Whether the request reached the author's server. If not, a middleware answered.
    pub(in crate::server) reached: bool,
    /// The middleware that answered in place of the author's server.
    pub(in crate::server) stopped: Option<MiddlewareId>,
    /// Which middleware refused the request or withheld its answer, for the audit.
    pub(in crate::server) refused: Option<RefusalRecord>,
    /// The values that the middleware keep for the request.
    pub(in crate::server) extensions: CallExtensions,
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
            change: Change::None,
            is_task_ended: false,
            is_cancelled: false,
            reached: false,
            stopped: None,
            refused: None,
            extensions: CallExtensions::default(),
        }
    }

    /// Returns the name of the tool that the request calls, or an empty string if it calls none.
    pub(in crate::server) fn tool(&self) -> &str {
        self.tool.as_deref().unwrap_or_default()
    }

    /// Returns whether the result is a hook's text for the client itself.
    pub(in crate::server) fn answers_hook(&self) -> bool {
        self.served
            .as_ref()
            .is_some_and(|served| served.answers_hook)
    }
}

/// Why a middleware refused a request, or withheld its answer.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(feature = "policy"),
    expect(dead_code, reason = "the audit alone reads it")
)]
pub(in crate::server) struct RefusalRecord {
    /// The word of the middleware, such as `guardian`.
    pub(in crate::server) middleware: &'static str,
    /// What of it decided, such as a step.
    pub(in crate::server) rule: String,
    /// The word for programs.
    pub(in crate::server) code: String,
}

impl RefusalRecord {
    pub(in crate::server) fn new(
        middleware: &'static str,
        rule: impl Into<String>,
        code: impl Into<String>,
    ) -> RefusalRecord {
        RefusalRecord {
            middleware,
            rule: rule.into(),
            code: code.into(),
        }
    }
}

/// The answer that a middleware has kept from an earlier request. The author's server is not asked again.
#[derive(Debug)]
pub(in crate::server) struct PreparedAnswer(pub(in crate::server) Result<McpResponse, ErrorData>);

/// A store of values, with at most one value of each type.
#[derive(Default)]
pub(in crate::server) struct CallExtensions(Vec<Box<dyn Any + Send + Sync>>);

impl CallExtensions {
    pub(in crate::server) fn put<T: Send + Sync + 'static>(&mut self, value: T) {
        self.put_boxed(Box::new(value));
    }

    /// Puts a value that is in a box already, and so moves no more than the box.
    pub(in crate::server) fn put_boxed<T: Send + Sync + 'static>(&mut self, value: Box<T>) {
        _ = self.take_boxed::<T>();
        self.0.push(value);
    }

    #[cfg(feature = "plugin")]
    pub(in crate::server) fn get<T: 'static>(&mut self) -> Option<&mut T> {
        self.0.iter_mut().find_map(|each| each.downcast_mut())
    }

    pub(in crate::server) fn take<T: 'static>(&mut self) -> Option<T> {
        self.take_boxed().map(|value| *value)
    }

    pub(in crate::server) fn take_boxed<T: 'static>(&mut self) -> Option<Box<T>> {
        let at = self.0.iter().position(|each| (**each).is::<T>())?;
        self.0.swap_remove(at).downcast().ok()
    }
}

impl fmt::Debug for CallExtensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kept").field(&self.0.len()).finish()
    }
}

/// The client that receives a list.
#[derive(Debug)]
pub(in crate::server) struct Viewer {
    #[cfg_attr(
        not(feature = "mcpl"),
        expect(dead_code, reason = "MCPL alone reads it today")
    )]
    pub(in crate::server) connection: Arc<Connection>,
    /// Whether the request uses protocol 2026-07-28 or later.
    pub(in crate::server) is_stateless: bool,
    /// Whether only a handle connects the requests of one session.
    pub(in crate::server) needs_handle: bool,
}

impl Viewer {
    pub(super) fn of(cx: &RequestContext<RoleServer>, connection: &Arc<Connection>) -> Viewer {
        Viewer {
            connection: connection.clone(),
            is_stateless: is_stateless(cx),
            needs_handle: needs_handle(cx),
        }
    }
}

/// A handshake: the client's request, and what the middleware add to the author's answer.
#[derive(Debug)]
pub(in crate::server) struct Handshake {
    pub(in crate::server) cx: RequestContext<RoleServer>,
    pub(in crate::server) connection: Arc<Connection>,
    /// The client's capabilities and its name, from `initialize`.
    pub(in crate::server) initialize: Option<(ClientCapabilities, String)>,
    /// Whether the handshake arrived by the wire shim. Only the wire shim can write members that rmcp's types lack.
    pub(in crate::server) by_wire: bool,
    /// Whether rmcp replays the handshake of a client that was greeted before. Nobody reads the answer.
    pub(in crate::server) is_restored: bool,
    /// Whether the server has sessions that a call opens.
    pub(in crate::server) has_sessions: bool,
    /// The declarations that the answer carries beside those of the lifecycle hooks.
    pub(in crate::server) declarations: Vec<Declaration>,
    /// The text that follows the author's instructions.
    pub(in crate::server) instructions: Option<String>,
    /// The capabilities of the answer.
    pub(in crate::server) capabilities: ServerCapabilities,
    /// Whether the answer is for this client only.
    pub(in crate::server) is_private: bool,
}

impl Handshake {
    /// Returns the client's capabilities, from `initialize` or from the request itself.
    #[cfg_attr(
        not(feature = "mcpl"),
        expect(dead_code, reason = "MCPL alone reads it today")
    )]
    pub(in crate::server) fn client_capabilities(&self) -> Option<ClientCapabilities> {
        match &self.initialize {
            Some((capabilities, _)) => Some(capabilities.clone()),
            None => self.cx.client_capabilities(),
        }
    }
}
