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

use super::{Hooked, gate::Connection};
use crate::core::{BuildError, BuildErrors, Registry};

#[derive(Clone)]
pub(super) struct Mcpl;

impl Mcpl {
    pub(super) fn of(_: &Registry) -> Mcpl {
        Mcpl
    }

    pub(super) fn check(&self) -> Result<(), BuildErrors> {
        Ok(())
    }
}

pub(super) fn problems(_: &Registry) -> Vec<BuildError> {
    Vec::new()
}

pub(super) fn unbound(_: &Registry, _: impl Fn(&str) -> bool) -> Vec<BuildError> {
    Vec::new()
}

/// A connection to a host, of which there is none.
pub(super) enum Link {}

/// What an answer to a host brings about.
pub(super) enum Leaving {}

impl Leaving {
    pub(super) fn begins(&self, _: &Link) {
        match *self {}
    }

    pub(super) fn ended(self, _: &Link) {
        match self {}
    }
}

#[derive(Debug, Default)]
pub(super) struct Kept {}

impl Kept {
    pub(super) fn link(&self) -> Option<&Link> {
        None
    }

    pub(super) fn close(&self) {}

    pub(super) fn is_outstanding(&self, _: &RequestId) -> bool {
        false
    }
}

pub(super) fn declare_mcpl(_: Option<&Link>, _: &mut ServerCapabilities) {}

impl<H: ServerHandler> Hooked<H> {
    pub(super) fn meet(
        &self,
        _: &ClientCapabilities,
        _: &RequestContext<RoleServer>,
    ) -> Option<Arc<Link>> {
        None
    }

    pub(super) async fn answer_mcpl(
        &self,
        _: &mut CustomRequest,
        _: &RequestContext<RoleServer>,
    ) -> Option<Result<Value, ErrorData>> {
        None
    }

    pub(super) fn note_mcpl(&self, _: &mut CustomNotification, _: &Extensions) -> bool {
        false
    }

    pub(super) fn carry_call(&self, _: &mut RequestContext<RoleServer>) {}

    pub(super) async fn run_own_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let run = async { self.server.call_tool(request, context).await };
        self.answer("tools/call", run).await
    }

    pub(super) fn speaks_mcpl(&self, _: &Extensions) -> bool {
        false
    }

    pub(super) fn show_feature_sets(&self, _: &mut ListToolsResult, _: bool) {}
}

pub(super) struct Inbound;

impl Inbound {
    pub(super) fn of(_: &Arc<Connection>) -> Inbound {
        Inbound
    }

    pub(super) fn take(
        &self,
        message: RxJsonRpcMessage<RoleServer>,
        _: &[u8],
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        Some(message)
    }

    pub(super) fn broken_answer(
        &self,
        _: Option<&RequestId>,
        _: &[u8],
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        None
    }
}

pub(super) struct Outbound;

impl Outbound {
    pub(super) fn of(_: &Connection) -> Outbound {
        Outbound
    }

    pub(super) fn mend(
        &self,
        _: &mut TxJsonRpcMessage<RoleServer>,
    ) -> Option<(Arc<Link>, Leaving)> {
        None
    }
}
