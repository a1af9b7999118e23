//! The handshake and every other request of a server that has guidance.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, ErrorCode, Extensions, ReadResourceRequestParams,
        ReadResourceResponse, SetLevelRequestParams,
    },
    service::RequestContext,
};

use super::{Around, Caller, Guide, Guided, Route, caller::client_name, context::attach};
use crate::{
    lifecycle::{Declaration, Event},
    server::{
        Hooked,
        door::transport::Wire,
        handler::is_stateless,
        rooms::gate::{Connection, Gated, Reported, Ticket, needs_handle, own_session},
    },
    store::Key,
};

/// What guidance adds to the answer of a handshake.
#[derive(Debug, Default)]
pub(in crate::server) struct Greeting {
    pub(in crate::server) declarations: Vec<Declaration>,
    pub(in crate::server) instructions: Option<String>,
}

impl Greeting {
    /// Whether it says anything, which then depends on the client.
    pub(in crate::server) fn is_empty(&self) -> bool {
        self.declarations.is_empty() && self.instructions.is_none()
    }
}

impl<H: ServerHandler> Hooked<H> {
    /// What is said of the session's start to the client of a handshake; `initialize` says its `name`.
    pub(in crate::server) async fn greeting(
        &self,
        caller: Caller,
        name: Option<String>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Greeting, ErrorData> {
        let Some(guide) = self.guide()? else {
            return Ok(Greeting::default());
        };
        let connection = self.connection_of(&context.extensions);
        if name.is_some() {
            connection.greeted.set();
        }
        self.teach(guide);
        self.warn_of_clashes(guide, context);
        if guide.leaves(|| name.or_else(|| client_name(context))) {
            return Ok(Greeting::default());
        }
        let server = self.any_server();
        let unasked = self.declares_unasked();
        let declarations = guide.declarations(&*server, &caller, unasked).await;
        let by_result = is_stateless(context.protocol_version().as_ref())
            && is_http(&context.extensions)
            && self.gate()?.is_some();
        let instructions = if by_result {
            None
        } else {
            guide.instructions(&*server, &caller).await
        };
        if !by_result && guide.takes(Route::Instructions) || caller.reads(Event::SessionStart) {
            connection.told.set();
        }
        Ok(Greeting {
            declarations,
            instructions,
        })
    }

    /// Lets the connection remember no more than is asked for.
    pub(in crate::server) fn ask_less(&self, extensions: &Extensions) {
        let connection = self.connection_of(extensions);
        if self.observer.is_none() {
            connection.unobserved.set();
        }
        if let Gated::No = self.gated {
            connection.stop_ordering();
        }
        if let Guided::No = self.guided {
            connection.progresses.stop();
        }
    }

    /// Runs a call that no session guards.
    pub(in crate::server) async fn run_guided(
        &self,
        guide: &Arc<Guide>,
        request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let session = self.own_key(&context);
        let around = self.around_call(guide, &request.name, session, &mut context);
        let cancelled = context.ct.clone();
        let call = self.run_tool(request, context, Some(&around));
        around.run(cancelled, call).await
    }

    /// The author's resource.
    pub(in crate::server) async fn resource_with(
        &self,
        request: ReadResourceRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if let Some(guide) = self.guide()? {
            self.around_request(guide, &mut context)?;
        }
        self.server.read_resource(request, context).await
    }

    /// The connection of a request: its stream's, or the handle's own where no wire shim tells.
    pub(in crate::server) fn connection_of<'a>(
        &'a self,
        extensions: &'a Extensions,
    ) -> &'a Arc<Connection> {
        let ticket = extensions.get::<Ticket>().map(Ticket::connection);
        let wire = extensions.get::<Wire>().map(|Wire(connection)| connection);
        ticket.or(wire).unwrap_or(&self.connection)
    }

    /// A call of a tool, as guidance sees it.
    pub(in crate::server) fn around_call(
        &self,
        guide: &Arc<Guide>,
        tool: &str,
        session: Option<Key>,
        context: &mut RequestContext<RoleServer>,
    ) -> Arc<Around> {
        let reported = context.extensions.get::<Reported>().cloned();
        let around = self.around(guide, session, context);
        let around = Arc::new(around.of_tool(tool, reported));
        attach(&mut context.extensions, &around);
        around
    }

    /// A request that calls no tool, as guidance sees it.
    pub(in crate::server) fn around_request(
        &self,
        guide: &Arc<Guide>,
        context: &mut RequestContext<RoleServer>,
    ) -> Result<Arc<Around>, ErrorData> {
        let session = match self.gate()? {
            Some(gate) => gate.key_of(context, self.connection_of(&context.extensions)),
            None => self.own_key(context),
        };
        let around = Arc::new(self.around(guide, session, context));
        attach(&mut context.extensions, &around);
        Ok(around)
    }

    /// The session of a request that no machine guards.
    pub(in crate::server) fn own_key(&self, context: &RequestContext<RoleServer>) -> Option<Key> {
        let connection = self.connection_of(&context.extensions);
        own_session(context, connection).map(|own| own.key(None))
    }

    fn around(
        &self,
        guide: &Arc<Guide>,
        session: Option<Key>,
        context: &RequestContext<RoleServer>,
    ) -> Around {
        self.teach(guide);
        let connection = self.connection_of(&context.extensions);
        let caller = Caller::of(context, self.extension(), connection);
        let left = guide.leaves(|| client_name(context));
        // Of a client before 2026-07-28 whose transport keeps no sessions, the handshake was another handler's.
        let apart = is_http(&context.extensions)
            && needs_handle(context)
            && !is_stateless(context.protocol_version().as_ref());
        let told = apart && (guide.takes(Route::Instructions) || caller.reads(Event::SessionStart));
        let around = Around::new(
            guide.clone(),
            self.any_server(),
            caller,
            context.id.clone(),
            session,
            connection.clone(),
        );
        let around = around.of_client(left, told);
        match &self.gated {
            Gated::Yes(gate) => around.of_sessions(gate.time_to_live()),
            Gated::No | Gated::Broken(_) => around,
        }
    }

    /// Lets the guidance learn what the server can do.
    fn teach(&self, guide: &Guide) {
        guide.learn(|| {
            let mut capabilities = self.info().ok()?.capabilities;
            self.declare_tools(&mut capabilities);
            Some(capabilities)
        });
    }

    /// Remembers what the client wants to be told; an author who knows nothing of it need not refuse it.
    pub(in crate::server) async fn set_level_with(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.guide()?.is_none() {
            return self.server.set_level(request, context).await;
        }
        let connection = self.connection_of(&context.extensions);
        connection.log_level.set(request.level);
        match self.server.set_level(request, context).await {
            Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND => Ok(()),
            answer => answer,
        }
    }
}

/// Whether the request came over HTTP, where each has a handler of its own on 2026-07-28.
#[cfg(feature = "http")]
fn is_http(extensions: &Extensions) -> bool {
    extensions.get::<http::request::Parts>().is_some()
}

#[cfg(not(feature = "http"))]
fn is_http(_: &Extensions) -> bool {
    false
}
