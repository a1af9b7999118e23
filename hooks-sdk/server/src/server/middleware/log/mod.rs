//! The decision log: a line before each call of a tool, prompt, resource or completion, and a line after it.

mod decided;
mod refusal;
mod settings;

use std::sync::Arc;

use rmcp::{ErrorData, RoleServer, service::RequestContext};

use self::{
    decided::{LoggedDecision, content},
    refusal::{unavailable, with_id},
};
use crate::server::{
    pipeline::{
        AuthorRequest, CallLog, Flow, McpRequest, McpResponse, NamedItem, RequestState, Work,
        add_decision,
    },
    request::{client_name, own_key, principal, tenant},
};
use hooks_core::store::Key;
use hooks_log::{
    DecisionEntry, DecisionLog, LogDecision, LogEnd, LogKind, LogPosture, session_name,
};
pub use settings::DecisionLogSettings;

/// Returns the user or the tenant of a request.
pub(in crate::server) type NameOfRequest =
    Arc<dyn Fn(&RequestContext<RoleServer>) -> Option<String> + Send + Sync>;

/// Writes a line before each call, and a line after it.
pub(in crate::server) struct LogMiddleware {
    log: DecisionLog,
    user: Option<NameOfRequest>,
    tenant: Option<NameOfRequest>,
}

impl LogMiddleware {
    pub(in crate::server) fn new(
        log: DecisionLog,
        user: Option<NameOfRequest>,
        tenant: Option<NameOfRequest>,
    ) -> LogMiddleware {
        LogMiddleware { log, user, tenant }
    }

    /// Makes the line of a request: who asks for what.
    fn line(&self, request: &AuthorRequest, call: &mut RequestState) -> DecisionEntry {
        let AuthorRequest { asked, cx } = request;
        let item = shown_item(asked, self.log.has_contents());
        let mut line = DecisionEntry::call(self.log.decision_id(), asked.name(), item);
        let user = match &self.user {
            Some(of) => of(cx),
            None => principal(cx),
        };
        let tenant = match &self.tenant {
            Some(of) => of(cx),
            None => tenant(cx),
        };
        line.user = user.map(Arc::from);
        line.tenant = tenant.map(Arc::from);
        line.client = client_name(cx).map(Arc::from);
        line.request = Some(cx.id.to_string().into());
        let key = own_key(cx, &call.connection);
        line.session = key.as_ref().map(named);
        // The line after the call repeats who asked for it, so that each line says it.
        call.log = Some(Box::new(CallLog::new(line.clone(), key)));
        line
    }

    /// Adds the first line, and waits for it where the posture says so.
    fn begin<'a>(
        &'a self,
        request: &'a mut AuthorRequest,
        call: &'a mut RequestState,
    ) -> Work<'a, Flow> {
        let mut first = self.line(request, call);
        let AuthorRequest { asked, .. } = request;
        let id = first.decision_id.clone();
        if self.log.has_contents() {
            first.contents(arguments(asked).as_ref(), None);
        }
        tracing::Span::current().record("hooks.decision.id", &*id);
        if self.log.posture() == LogPosture::Proceed {
            self.log.add(first);
            return Work::Now(Flow::On);
        }
        let written = self.log.acknowledged(first);
        Work::Later(Box::pin(async move {
            match written.await {
                Ok(()) => Flow::On,
                Err(error) => {
                    tracing::error!(
                        target: "hooks_sdk::log",
                        %error, "a call is refused: its line is not in the decision log"
                    );
                    let (record, answer) = unavailable(asked, &id);
                    call.refused = Some(record);
                    Flow::answer(answer)
                }
            }
        }))
    }
}

impl std::fmt::Debug for LogMiddleware {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("LogMiddleware").field(&self.log).finish()
    }
}

/// Returns the item of a request. The query and the fragment of a URI are contents.
fn shown_item(asked: &McpRequest, contents: bool) -> Arc<str> {
    let (item, is_uri) = match asked.named() {
        NamedItem::Tool(name) | NamedItem::Prompt(name) | NamedItem::Task(name) => (name, false),
        NamedItem::Resource(uri) | NamedItem::ResourceTemplate(uri) => (uri, true),
        NamedItem::Nothing | NamedItem::Unknown => ("", false),
    };
    let end = item.find(['?', '#']).filter(|_| is_uri && !contents);
    item[..end.unwrap_or(item.len())].into()
}

/// Returns the arguments of a request as JSON.
fn arguments(asked: &McpRequest) -> Option<serde_json::Value> {
    let value = match asked {
        McpRequest::CallTool(params) => serde_json::to_value(&params.arguments),
        McpRequest::GetPrompt(params) => serde_json::to_value(&params.arguments),
        McpRequest::Complete(params) => serde_json::to_value(&params.argument),
        _ => return None,
    };
    value.ok().filter(|value| !value.is_null())
}

/// Returns the name of a session. The key itself opens the session.
fn named(key: &Key) -> Arc<str> {
    session_name(key.as_slice()).into()
}

impl LogMiddleware {
    /// Returns the log.
    #[cfg(feature = "aos")]
    pub(in crate::server) fn log(&self) -> &DecisionLog {
        &self.log
    }

    /// Writes the line before a call.
    pub(in crate::server) fn before<'a>(
        &'a self,
        request: &'a mut AuthorRequest,
        call: &'a mut RequestState,
    ) -> Work<'a, Flow> {
        if request.asked.points().is_some() {
            self.begin(request, call)
        } else {
            self.line(request, call);
            if let Some(log) = &mut call.log {
                log.entry.kind = LogKind::Stop;
            }
            Work::Now(Flow::On)
        }
    }

    /// Writes the id of the decision into a refusal.
    pub(in crate::server) fn after(
        &self,
        call: &RequestState,
        answer: &mut Result<McpResponse, ErrorData>,
    ) {
        let decided = LoggedDecision::of(call, answer);
        if let (Some(log), Some(stop)) = (&call.log, &decided.stop) {
            with_id(answer, &log.entry.decision_id, &stop.code);
        }
    }

    /// Writes the line after a call, or the line of a stop.
    pub(in crate::server) fn ended(
        &self,
        call: &mut RequestState,
        answer: &Result<McpResponse, ErrorData>,
    ) {
        let Some(mut log) = call.log.take() else {
            return;
        };
        let LoggedDecision {
            decision,
            ended,
            mut stop,
        } = match &log.late {
            Some(record) => LoggedDecision::late(record),
            None => LoggedDecision::of(call, answer),
        };
        if !log.is_call() && stop.is_none() && log.entry.bypassed.is_empty() {
            return;
        }
        if let Some(stop) = &mut stop
            && stop.posture.is_empty()
        {
            stop.posture = log.posture;
        }
        let decision = match decision {
            LogDecision::Allowed if !log.entry.bypassed.is_empty() => LogDecision::Bypassed,
            other => other,
        };
        if let Some(key) = &call.session
            && log.key.as_ref() != Some(key)
        {
            log.entry.session = Some(named(key));
        }
        if log.is_call() {
            tracing::Span::current().record("hooks.decision", decision.as_str());
        }
        if self.log.has_contents() && ended != LogEnd::Cancelled {
            log.entry.contents(None, content(answer).as_ref());
        }
        add_decision(&self.log, log.ended(decision, ended, stop));
    }

    /// Keeps why the late result of a task is withheld.
    pub(in crate::server) fn late(
        &self,
        call: &mut RequestState,
        answer: &mut Result<McpResponse, ErrorData>,
    ) {
        let tool = call.tool().to_owned();
        if let (Some(log), Some(record)) = (&mut call.log, call.refused.take()) {
            with_id(answer, &log.entry.decision_id, &record.code);
            // The tool of a task says more than its id.
            if !tool.is_empty() {
                log.entry.item = tool.into();
            }
            log.late = Some(record);
        }
    }
}
