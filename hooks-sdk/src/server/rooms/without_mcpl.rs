//! What stands in MCPL's place in a program without the feature `mcpl`: nothing is declared, read, kept or refused.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, ClientCapabilities, CustomNotification,
        CustomRequest, Extensions, ListToolsResult, RequestId, ServerCapabilities,
    },
    service::{RequestContext, RxJsonRpcMessage, TxJsonRpcMessage},
};
use serde_json::Value;

use crate::core::{BuildError, BuildErrors, Registry};
use crate::server::{Hooked, door::read::Read, rooms::gate::Connection};

#[derive(Clone)]
pub(in crate::server) struct Mcpl;

impl Mcpl {
    pub(in crate::server) fn of(_: &Registry) -> Mcpl {
        Mcpl
    }

    pub(in crate::server) fn check(&self) -> Result<(), BuildErrors> {
        Ok(())
    }
}

pub(in crate::server) fn problems(_: &Registry) -> Vec<BuildError> {
    Vec::new()
}

pub(in crate::server) fn unbound(_: &Registry, _: impl Fn(&str) -> bool) -> Vec<BuildError> {
    Vec::new()
}

/// A connection to a host, of which there is none.
pub(in crate::server) enum Link {}

/// What an answer to a host brings about.
pub(in crate::server) enum Leaving {}

impl Leaving {
    pub(in crate::server) fn begins(&self, _: &Link) {
        match *self {}
    }

    pub(in crate::server) fn ended(self, _: &Link) {
        match self {}
    }
}

#[derive(Debug, Default)]
pub(in crate::server) struct Kept {}

impl Kept {
    pub(in crate::server) fn link(&self) -> Option<&Link> {
        None
    }

    pub(in crate::server) fn close(&self) {}

    pub(in crate::server) fn is_outstanding(&self, _: &RequestId) -> bool {
        false
    }
}

pub(in crate::server) fn declare_mcpl(_: Option<&Link>, _: &mut ServerCapabilities) {}

impl<H: ServerHandler> Hooked<H> {
    pub(in crate::server) fn meet(
        &self,
        _: &ClientCapabilities,
        _: &RequestContext<RoleServer>,
    ) -> Option<Arc<Link>> {
        None
    }

    pub(in crate::server) async fn answer_mcpl(
        &self,
        _: &mut CustomRequest,
        _: &RequestContext<RoleServer>,
    ) -> Option<Result<Value, ErrorData>> {
        None
    }

    pub(in crate::server) fn note_mcpl(&self, _: &mut CustomNotification, _: &Extensions) -> bool {
        false
    }

    pub(in crate::server) fn carry_call(&self, _: &mut RequestContext<RoleServer>) {}

    pub(in crate::server) async fn run_own_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let run = async { self.server.call_tool(request, context).await };
        self.answer("tools/call", run).await
    }

    pub(in crate::server) fn speaks_mcpl(&self, _: &Extensions) -> bool {
        false
    }

    pub(in crate::server) fn show_feature_sets(&self, _: &mut ListToolsResult, _: bool) {}
}

pub(in crate::server) struct Inbound;

impl Inbound {
    pub(in crate::server) fn of(_: &Arc<Connection>) -> Inbound {
        Inbound
    }

    pub(in crate::server) fn members_of_a_call(&self) -> &'static [&'static str] {
        &[]
    }

    pub(in crate::server) fn take(&self, read: Read) -> Option<RxJsonRpcMessage<RoleServer>> {
        Some(read.message)
    }

    pub(in crate::server) fn broken_answer(
        &self,
        _: Option<&RequestId>,
        _: &[u8],
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        None
    }
}

pub(in crate::server) struct Outbound;

impl Outbound {
    pub(in crate::server) fn of(_: &Connection) -> Outbound {
        Outbound
    }

    pub(in crate::server) fn mend(
        &self,
        _: &mut TxJsonRpcMessage<RoleServer>,
    ) -> Option<(Arc<Link>, Leaving)> {
        None
    }
}
