//! One call of a tool: what fires before, while and after it runs, and on which result it is told.

use std::{any::Any, pin::pin, sync::Arc};

use futures::future::{Either, select};
use rmcp::{
    ErrorData,
    model::{CallToolResponse, CallToolResult, ContentBlock},
};
use tokio_util::sync::CancellationToken;

use super::{
    ACTION, CANCEL, Caller, END, Guide, PROGRESS, Route, START, compose::Ask,
    session_name::session_name,
};
use crate::{
    guidance::{ComposedHooksResult, HookDefinition, Moment},
    server::{
        gate::{Change, Connection, Reported},
        lock::lock,
    },
    store::Key,
};

/// A request, as guidance sees it.
pub(in crate::server) struct Around {
    pub(super) guide: Arc<Guide>,
    pub(super) server: Arc<dyn Any + Send + Sync>,
    pub(super) caller: Caller,
    /// The tool that is called.
    pub(super) tool: Option<Box<str>>,
    /// The session, by the name under which hooks know it.
    pub(super) session: Option<Box<str>>,
    pub(super) request: Box<str>,
    connection: Arc<Connection>,
    reported: Option<Reported>,
}

impl Around {
    pub(in crate::server) fn new(
        guide: Arc<Guide>,
        server: Arc<dyn Any + Send + Sync>,
        caller: Caller,
        request: impl Into<Box<str>>,
        session: Option<&Key>,
        connection: Arc<Connection>,
    ) -> Around {
        Around {
            guide,
            server,
            caller,
            tool: None,
            session: session.map(session_name),
            request: request.into(),
            connection,
            reported: None,
        }
    }

    /// The request calls a tool, and `reported` tells whether it reports progress.
    pub(in crate::server) fn of_tool(self, tool: &str, reported: Option<Reported>) -> Around {
        Around {
            tool: Some(tool.into()),
            reported,
            ..self
        }
    }

    /// Runs a call that no session guards.
    pub(in crate::server) async fn run(
        &self,
        cancelled: CancellationToken,
        call: impl Future<Output = Result<CallToolResponse, ErrorData>>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut answer = match select(pin!(call), pin!(cancelled.cancelled())).await {
            Either::Left((answer, _)) => answer,
            Either::Right(((), call)) => {
                self.cancelled().await;
                return call.await;
            }
        };
        if cancelled.is_cancelled() {
            self.cancelled().await;
        } else if let Ok(CallToolResponse::Complete(result)) = &mut answer {
            self.finish(result, Change::None).await;
        }
        answer
    }

    /// Adds to the result of a call what fires with it.
    pub(in crate::server) async fn finish(&self, result: &mut CallToolResult, change: Change) {
        if let Some(session) = &self.session {
            let kept = lock(&self.guide.kept).take(session);
            result
                .content
                .extend(kept.into_iter().map(ContentBlock::text));
        }
        let moments = self.moments(change);
        if self.guide.stands_at(&moments) {
            let undeclared = |hook: &HookDefinition| !self.guide.declares(hook, &self.caller);
            let ask = Ask {
                only: &undeclared,
                ..self.ask(&moments)
            };
            let composed = self.compose(&ask).await;
            if !composed.content.is_empty() {
                result.content.push(ContentBlock::text(composed.content));
            }
        }
        if let (Change::Ended, Some(session)) = (change, &self.session) {
            lock(&self.guide.bound).forget(session);
        }
    }

    fn moments(&self, change: Change) -> Vec<Moment> {
        let guide = &self.guide;
        let mut moments = Vec::new();
        if guide.leaves(&self.caller) {
            return moments;
        }
        match change {
            Change::None => {}
            Change::Opened if self.connection.told.take() => {}
            Change::Opened if guide.takes(Route::Results) => moments.extend(START),
            Change::Ended if guide.takes(Route::Results) => moments.extend(END),
            Change::Opened | Change::Ended => {}
        }
        if guide.takes(Route::Actions) {
            moments.extend(ACTION);
        }
        if guide.takes(Route::Progress) && self.reported.as_ref().is_some_and(Reported::is_set) {
            moments.push(PROGRESS);
        }
        moments
    }

    /// Keeps for the session's next result what fires when a call is cancelled.
    pub(in crate::server) async fn cancelled(&self) {
        let Some(session) = self
            .session
            .as_ref()
            .filter(|_| self.guide.takes(Route::Cancellation) && self.guide.stands_at(&[CANCEL]))
            .filter(|_| !self.guide.leaves(&self.caller))
        else {
            return;
        };
        let composed = self.compose(&self.ask(&[CANCEL])).await;
        if !composed.content.is_empty() {
            lock(&self.guide.kept).keep(session, composed.content);
        }
    }

    pub(super) fn ask<'a>(&'a self, moments: &'a [Moment]) -> Ask<'a> {
        Ask {
            tool: self.tool.as_deref(),
            session: self.session.as_deref(),
            request: Some(&self.request),
            ..Ask::at(moments, self.guide.features_with(self.caller.features))
        }
    }

    /// Composes, and tells of what was left out.
    pub(super) async fn compose(&self, ask: &Ask<'_>) -> ComposedHooksResult {
        let composed = self.guide.compose(&*self.server, ask).await;
        self.caller.notice(&composed).await;
        composed
    }
}
