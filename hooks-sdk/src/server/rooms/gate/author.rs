//! How an author puts sessions before a server's tools.

use std::{error::Error as StdError, fmt, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, PaginatedRequestParams},
    service::{RequestContext, RunningService, ServerInitializeError, ServiceExt},
    transport::IntoTransport,
};
use thiserror::Error;

use super::{Connection, Gate, Sessions, Shared};
use crate::{
    core::BuildErrors,
    server::{Hooked, rooms::guidance::Guide},
    session::SessionState,
};

/// How many pages of tools are looked through for one that `get_tool` does not know.
const MAX_PAGES: usize = 100;

/// Whether a server has sessions.
#[derive(Clone, Debug, Default)]
pub(in crate::server) enum Gated {
    /// Every call passes.
    #[default]
    No,
    /// Calls pass as their session's state allows.
    Yes(Arc<Gate>),
    /// No call passes: the sessions do not fit the server.
    Broken(BuildErrors),
}

/// Why a hooked server is not served. Its `Debug` is its `Display`, as that of [`BuildErrors`] is.
#[derive(Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The sessions do not fit the server's hooks and tools.
    #[error(transparent)]
    Build(#[from] BuildErrors),
    /// The handshake failed.
    #[error("{}", handshake(.0))]
    Handshake(#[from] Box<ServerInitializeError>),
}

impl fmt::Debug for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What went wrong in the handshake, without the message that rmcp shows as Rust's `Debug` does.
fn handshake(error: &ServerInitializeError) -> String {
    match error {
        ServerInitializeError::ConnectionClosed(_) => {
            "the client closed the connection before the handshake ended\n    help: let an MCP client start this server"
                .to_owned()
        }
        ServerInitializeError::ExpectedInitializeRequest(_) => {
            "the client's first message is not `initialize`\n    help: let an MCP client start this server".to_owned()
        }
        ServerInitializeError::InitializeFailed(refusal) => {
            format!("the server refused the handshake: {}", refusal.message)
        }
        other => format!("the handshake failed: {other}"),
    }
}

impl ServeError {
    /// Whether the client went away before anything was served, as one does that only asks what a server is.
    pub fn is_closed(&self) -> bool {
        match self {
            ServeError::Build(_) => false,
            ServeError::Handshake(error) => {
                matches!(**error, ServerInitializeError::ConnectionClosed(_))
            }
        }
    }
}

impl<H: ServerHandler> Hooked<H> {
    /// Enforces a session state machine on every call of a tool: the states are the variants of `S`.
    ///
    /// What does not fit the server's hooks and tools is an error of [`serve`](Hooked::serve); served in
    /// another way, the server refuses the handshake and every call, and says why.
    ///
    /// Sessions are kept in memory, for this handle and its clones. Where a handle is made for each
    /// connection or request, give the sessions to [`Collected`](crate::Collected::session) instead.
    #[must_use]
    pub fn session<S: SessionState>(self) -> Hooked<H> {
        self.sessions(Sessions::of::<S>())
    }

    /// As [`session`](Hooked::session), with a machine built at run time, another store, or other settings.
    #[must_use]
    pub fn sessions(self, sessions: Sessions) -> Hooked<H> {
        let registry = &self.hooks.registry;
        let gated = Shared::new(sessions).gate(registry, &|name| self.server.get_tool(name));
        let gated = gated.map_or_else(
            |problems| {
                tracing::error!(%problems, "the sessions do not fit the server");
                Gated::Broken(problems)
            },
            Gated::Yes,
        );
        self.gated(gated)
    }

    /// Whether the sessions, the guidance and the MCPL settings fit the server.
    ///
    /// # Errors
    ///
    /// Everything that does not.
    pub fn check(&self) -> Result<(), BuildErrors> {
        match &self.gated {
            Gated::Broken(problems) => Err(problems.clone()),
            Gated::No | Gated::Yes(_) => self.guided.check().and_then(|()| self.mcpl.check()),
        }
    }

    /// Serves on `transport`.
    ///
    /// # Errors
    ///
    /// Sessions that do not fit the server, before anything is read; then as rmcp's own.
    pub async fn serve<T, E, A>(
        self,
        transport: T,
    ) -> Result<RunningService<RoleServer, Hooked<H>>, ServeError>
    where
        T: IntoTransport<RoleServer, E, A>,
        E: StdError + Send + Sync + 'static,
    {
        self.check()?;
        ServiceExt::serve(self, transport)
            .await
            .map_err(|error| Box::new(error).into())
    }

    pub(in crate::server) fn gated(mut self, gated: Gated) -> Hooked<H> {
        self.gated = gated;
        self.connection = Connection::new(None);
        self
    }

    /// Runs a call through the gate.
    pub(in crate::server) async fn run_gated(
        &self,
        gate: &Gate,
        guide: Option<&Arc<Guide>>,
        mut request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let get_tool = |name: &str| self.own_tool(name);
        let pass = match gate
            .admit(&mut request, &context, &self.connection, get_tool)
            .await
        {
            Ok(pass) => pass,
            // rmcp answers a call of a tool that is not there, with the error that clients know.
            Err(_) if self.has_no_tool(gate, &request.name, &context).await => {
                return self.run_tool(request, context, None).await;
            }
            Err(refused) => return Ok(refused.into()),
        };
        let cancelled = context.ct.clone();
        let around = guide.map(|guide| {
            let session = pass.session().cloned();
            self.around_call(guide, &request.name, session, &mut context)
        });
        let around = around.as_deref();
        if gate.served(&request.name).is_some() {
            let open = async { Ok(CallToolResult::success(Vec::new()).into()) };
            return pass.run(cancelled, open, around).await;
        }
        let call = self.run_tool(request, context, around);
        pass.run(cancelled, call, around).await
    }

    /// Whether the server certainly has no tool of this name: `get_tool` does not know it, and no list has it.
    async fn has_no_tool(
        &self,
        gate: &Gate,
        name: &str,
        context: &RequestContext<RoleServer>,
    ) -> bool {
        if gate.served(name).is_some()
            || !gate.may_be_unknown(name)
            || self.own_tool(name).is_some()
        {
            return false;
        }
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let page = PaginatedRequestParams::default().with_cursor(cursor);
            let Ok(page) = self.server.list_tools(Some(page), context.clone()).await else {
                return false;
            };
            if page.tools.iter().any(|tool| tool.name == name) {
                return false;
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return true;
            }
        }
        false
    }

    /// The gate; `None` when every call passes.
    pub(in crate::server) fn gate(&self) -> Result<Option<&Gate>, ErrorData> {
        match &self.gated {
            Gated::No => Ok(None),
            Gated::Yes(gate) => Ok(Some(gate)),
            Gated::Broken(problems) => {
                let message = format!("the server was not built right: {problems}");
                Err(ErrorData::internal_error(message, None))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_main_that_returns_it_prints_prose() {
        let closed = ServerInitializeError::ConnectionClosed("initialize request".into());
        let error = ServeError::from(Box::new(closed));
        assert!(error.is_closed());
        assert_eq!(
            format!("{error:?}"),
            "the client closed the connection before the handshake ended\n    help: let an MCP client start this server"
        );
        let refused = ErrorData::internal_error("the storage is gone", None);
        let refused = ServerInitializeError::InitializeFailed(refused);
        assert_eq!(
            format!("{:?}", ServeError::from(Box::new(refused))),
            "the server refused the handshake: the storage is gone"
        );
    }
}
