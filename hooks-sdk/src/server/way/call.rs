//! A request on its way, what the stations keep of it, and a handshake.

use std::{any::Any, borrow::Cow, fmt, sync::Arc, time::Duration};

use rmcp::{
    RoleServer,
    model::{ClientCapabilities, ServerCapabilities},
    service::RequestContext,
};

use super::{Asked, Served};
use crate::{
    lifecycle::Declaration,
    server::{
        connection::Connection,
        request::{is_stateless, needs_handle},
    },
    session::TIME_TO_LIVE,
    store::Key,
};

/// A request, as the author's server is given it. The stations before may change it.
#[derive(Debug)]
pub(in crate::server) struct Request {
    pub(in crate::server) asked: Asked,
    pub(in crate::server) cx: RequestContext<RoleServer>,
}

/// What a call did to its session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::server) enum Change {
    /// Nothing, or it moved from one state to another.
    #[default]
    None,
    /// It was opened.
    Opened,
    /// It was ended.
    Ended,
}

/// What is known of a request from its arrival to its end.
#[derive(Debug)]
pub(in crate::server) struct Call {
    /// The connection that it came by.
    pub(in crate::server) connection: Arc<Connection>,
    /// The tool that it calls.
    pub(in crate::server) tool: Option<Cow<'static, str>>,
    /// The station's tool that it calls.
    pub(in crate::server) served: Option<Arc<Served>>,
    /// Its session, once a station told.
    pub(in crate::server) session: Option<Key>,
    /// How long its session lives after its last call.
    pub(in crate::server) lives: Duration,
    /// What it did to its session.
    pub(in crate::server) change: Change,
    /// Whether the client cancelled it.
    pub(in crate::server) is_cancelled: bool,
    /// What the stations keep of it.
    pub(in crate::server) kept: Kept,
}

impl Call {
    pub(super) fn new(asked: &Asked, connection: Arc<Connection>) -> Call {
        let tool = match asked {
            Asked::CallTool(request) => Some(request.name.clone()),
            _ => None,
        };
        Call {
            connection,
            tool,
            served: None,
            session: None,
            lives: TIME_TO_LIVE,
            change: Change::None,
            is_cancelled: false,
            kept: Kept::default(),
        }
    }

    /// The tool that it calls; empty for a request that calls none.
    pub(in crate::server) fn tool(&self) -> &str {
        self.tool.as_deref().unwrap_or_default()
    }

    /// Whether its result is a hook's text for the client itself.
    pub(in crate::server) fn answers_hook(&self) -> bool {
        self.served
            .as_ref()
            .is_some_and(|served| served.answers_hook)
    }
}

/// One value of each type.
#[derive(Default)]
pub(in crate::server) struct Kept(Vec<Box<dyn Any + Send + Sync>>);

impl Kept {
    pub(in crate::server) fn put<T: Send + Sync + 'static>(&mut self, value: T) {
        _ = self.take::<T>();
        self.0.push(Box::new(value));
    }

    pub(in crate::server) fn take<T: 'static>(&mut self) -> Option<T> {
        let at = self.0.iter().position(|each| each.is::<T>())?;
        let taken = self.0.swap_remove(at).downcast();
        taken.ok().map(|value| *value)
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kept").field(&self.0.len()).finish()
    }
}

/// A client to which a list is shown.
#[derive(Debug)]
pub(in crate::server) struct Viewer {
    pub(in crate::server) connection: Arc<Connection>,
    /// Whether the request is of protocol 2026-07-28 or later.
    pub(in crate::server) is_stateless: bool,
    /// Whether nothing but a handle leads from one of its requests to the next of the session.
    pub(in crate::server) needs_handle: bool,
}

impl Viewer {
    pub(super) fn of(cx: &RequestContext<RoleServer>, connection: &Arc<Connection>) -> Viewer {
        Viewer {
            connection: connection.clone(),
            is_stateless: is_stateless(cx.protocol_version().as_ref()),
            needs_handle: needs_handle(cx),
        }
    }
}

/// A handshake: who asks, and what the stations add to the author's answer.
#[derive(Debug)]
pub(in crate::server) struct Meeting {
    pub(in crate::server) cx: RequestContext<RoleServer>,
    pub(in crate::server) connection: Arc<Connection>,
    /// What the client says in `initialize`: its capabilities and its name.
    pub(in crate::server) initialize: Option<(ClientCapabilities, String)>,
    /// Whether it came by a stream of ours, which alone can write members that rmcp's types lack.
    pub(in crate::server) by_wire: bool,
    /// Whether the server has sessions, which a call opens.
    pub(in crate::server) has_sessions: bool,
    /// What is declared beside the lifecycle hooks.
    pub(in crate::server) declarations: Vec<Declaration>,
    /// What the instructions say besides.
    pub(in crate::server) instructions: Option<String>,
    /// The capabilities of the answer.
    pub(in crate::server) capabilities: ServerCapabilities,
    /// Whether the answer is this client's alone.
    pub(in crate::server) is_private: bool,
}

impl Meeting {
    /// The client's capabilities: of `initialize`, or of the request itself.
    pub(in crate::server) fn client_capabilities(&self) -> Option<ClientCapabilities> {
        match &self.initialize {
            Some((capabilities, _)) => Some(capabilities.clone()),
            None => self.cx.client_capabilities(),
        }
    }
}
