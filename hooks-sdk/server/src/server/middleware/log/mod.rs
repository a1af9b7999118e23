//! The decision log: a line before each call of a tool, prompt, resource or completion, and a line after it.

mod decided;
mod refusal;
mod settings;

use std::sync::Arc;

use self::{
    decided::{LoggedDecision, content},
    refusal::{unavailable, with_id},
};
use crate::server::{
    pipeline::{
        AuthorRequest, CallLog, Flow, McpAnswer, McpRequest, NamedItem, RequestState, add_decision,
    },
    request::{TextOfRequest, client_name, own_key, principal, tenant, text_of},
};
use hooks_core::store::Key;
use hooks_log::{DecisionEntry, DecisionLog, LogDecision, LogEnd, LogKind, Posture, session_name};
pub use settings::DecisionLogSettings;

/// Writes a line before each call, and a line after it.
pub(crate) struct LogMiddleware {
    pub(crate) log: DecisionLog,
    pub(crate) user: Option<TextOfRequest>,
    pub(crate) tenant: Option<TextOfRequest>,
}

impl LogMiddleware {
    /// Makes the line of a request: who asks for what.
    fn line(&self, request: &AuthorRequest, call: &mut RequestState) -> DecisionEntry {
        let AuthorRequest { asked, cx } = request;
        let item = shown_item(asked, self.log.has_contents());
        let mut line = DecisionEntry::call(self.log.decision_id(), asked.name(), item);
        line.user = text_of(cx, self.user.as_ref(), principal).map(Arc::from);
        line.tenant = text_of(cx, self.tenant.as_ref(), tenant).map(Arc::from);
        line.client = client_name(cx).map(Arc::from);
        line.request = Some(cx.id.to_string().into());
        let key = own_key(cx, &call.connection);
        line.session = key.as_ref().map(named);
        // The line after the call repeats who asked for it, so that each line says it.
        call.log = Some(Box::new(CallLog::new(line.clone(), key)));
        line
    }

    /// Writes the line before a call, and waits for it where the posture says so.
    pub(crate) async fn before(&self, request: &AuthorRequest, call: &mut RequestState) -> Flow {
        let mut first = Box::new(self.line(request, call));
        let asked = &request.asked;
        if asked.points().is_none() {
            if let Some(log) = &mut call.log {
                log.entry.kind = LogKind::Stop;
            }
            return Flow::On;
        }
        let id = first.decision_id.clone();
        if self.log.has_contents() {
            first.contents(arguments(asked).as_ref(), None);
        }
        tracing::Span::current().record("hooks.decision.id", &*id);
        if self.log.posture() == Posture::Proceed {
            self.log.add(*first);
            return Flow::On;
        }
        let Err(error) = self.log.acknowledged(*first).await else {
            return Flow::On;
        };
        tracing::error!(
            target: "hooks_sdk::log",
            %error, "a call is refused: its line is not in the decision log"
        );
        let (record, answer) = unavailable(asked, &id);
        call.refused = Some(record);
        Flow::answer(answer)
    }

    /// Writes the id of the decision into a refusal.
    pub(crate) fn after(&self, call: &RequestState, answer: &mut McpAnswer) {
        let decided = LoggedDecision::of(call, answer);
        if let (Some(log), Some(stop)) = (&call.log, &decided.stop) {
            with_id(answer, &log.entry.decision_id, &stop.code);
        }
    }

    /// Writes the line after a call, or the line of a stop.
    pub(crate) fn ended(&self, call: &mut RequestState, answer: &McpAnswer) {
        let Some(mut log) = call.log.take() else {
            return;
        };
        let LoggedDecision {
            decision,
            ended,
            mut stop,
        } = match &log.late {
            Some(record) => LoggedDecision::refused(record),
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
    pub(crate) fn late(&self, call: &mut RequestState, answer: &mut McpAnswer) {
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
