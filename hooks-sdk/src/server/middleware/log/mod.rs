//! The decision log: a line before each call of a tool, prompt, resource or completion, and a line after it.

mod decided;
mod refusal;
mod settings;

use std::sync::Arc;

use rmcp::{ErrorData, RoleServer, service::RequestContext};

use self::{
    decided::{Decided, content},
    refusal::{unavailable, with_id},
};
use crate::{
    log::{DecisionEntry, DecisionLog, LogDecision, LogEnd, LogPosture, LogStop, session_name},
    server::{
        pipeline::{
            AuthorRequest, CallLog, Flow, McpRequest, McpResponse, Middleware, MiddlewareId,
            NamedItem, OptionalTraits, Pipeline, RequestState, TaskResults, Work,
        },
        request::{client_name, own_key, principal, tenant},
    },
    store::Key,
};
pub(crate) use settings::DecisionLogSettings;

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

    /// Adds the first line, and waits for it where the posture says so.
    fn begin<'a>(
        &'a self,
        request: &'a mut AuthorRequest,
        call: &'a mut RequestState,
    ) -> Work<'a, Flow> {
        let AuthorRequest { asked, cx } = request;
        let id = self.log.decision_id();
        let method = asked.name();
        let mut first = DecisionEntry::call(
            id.clone(),
            method,
            shown_item(asked, self.log.has_contents()),
        );
        first.user = match &self.user {
            Some(of) => of(cx),
            None => principal(cx),
        };
        first.tenant = match &self.tenant {
            Some(of) => of(cx),
            None => tenant(cx),
        };
        first.client = client_name(cx);
        first.request = Some(cx.id.to_string());
        let key = own_key(cx, &call.connection);
        first.session = key.as_ref().map(named);
        if self.log.has_contents() {
            first.contents(arguments(asked).as_ref(), None);
        }
        tracing::Span::current().record("hooks.decision.id", &*id);
        // The line after the call repeats who asked for it, so that each line says it.
        let mut last = first.clone();
        last.arguments = None;
        last.left_out = false;
        call.log = Some(Box::new(CallLog::new(last, key)));
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

    /// Adds the line of a stop that belongs to no call. Returns its decision id.
    fn stopped(&self, method: &str, item: &str, decided: &Decided) -> Arc<str> {
        let id = self.log.decision_id();
        let stop = decided.stop.clone().unwrap_or_default();
        count(decided.decision, Some(&stop), &[]);
        let entry = DecisionEntry::stopped(id.clone(), method, item, decided.decision, stop);
        self.log.add(entry);
        id
    }
}

impl std::fmt::Debug for LogMiddleware {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("LogMiddleware").field(&self.log).finish()
    }
}

/// Returns the item of a request. The query and the fragment of a URI are contents.
fn shown_item(asked: &McpRequest, contents: bool) -> String {
    let (item, is_uri) = match asked.named() {
        NamedItem::Tool(name) | NamedItem::Prompt(name) | NamedItem::Task(name) => (name, false),
        NamedItem::Resource(uri) | NamedItem::ResourceTemplate(uri) => (uri, true),
        NamedItem::Nothing | NamedItem::Unknown => ("", false),
    };
    let end = item.find(['?', '#']).filter(|_| is_uri && !contents);
    item[..end.unwrap_or(item.len())].to_owned()
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
fn named(key: &Key) -> String {
    session_name(key.as_slice())
}

/// Counts a decision, and the checks that were bypassed.
pub(crate) fn count(decision: LogDecision, stop: Option<&LogStop>, bypassed: &[LogStop]) {
    #[cfg(feature = "metrics")]
    {
        let none = LogStop::default();
        let LogStop {
            middleware, rule, ..
        } = stop.unwrap_or(&none);
        metrics::counter!(
            "mcp.server.decisions",
            "hooks.decision" => decision.as_str(),
            "hooks.middleware" => middleware.clone(),
            "hooks.rule" => rule.clone(),
        )
        .increment(1);
        for stop in bypassed {
            metrics::counter!(
                "mcp.server.bypasses",
                "hooks.middleware" => stop.middleware.clone(),
                "hooks.rule" => stop.rule.clone(),
            )
            .increment(1);
        }
    }
    #[cfg(not(feature = "metrics"))]
    let _ = (decision, stop, bypassed);
}

impl Middleware for LogMiddleware {
    fn id(&self) -> MiddlewareId {
        MiddlewareId::Log
    }

    fn optional(self: Arc<Self>) -> OptionalTraits {
        OptionalTraits {
            #[cfg(feature = "aos")]
            log: Some(self.log.clone()),
            task_results: Some(self),
            ..OptionalTraits::default()
        }
    }

    fn before<'a>(
        &'a self,
        request: &'a mut AuthorRequest,
        call: &'a mut RequestState,
        _: &'a Pipeline,
    ) -> Work<'a, Flow> {
        if request.asked.points().is_some() {
            self.begin(request, call)
        } else {
            call.method = Some(request.asked.name());
            Work::Now(Flow::On)
        }
    }

    fn after<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        _: &'a Pipeline,
    ) -> Work<'a, ()> {
        let decided = Decided::of(call, answer);
        if let (Some(log), Some(stop)) = (&call.log, &decided.stop) {
            with_id(answer, &log.entry.decision_id, &stop.code);
        }
        Work::Now(())
    }

    fn ended(&self, call: &mut RequestState, answer: &Result<McpResponse, ErrorData>) {
        let decided = Decided::of(call, answer);
        let Some(mut log) = call.log.take() else {
            if decided.stop.is_some() {
                let method = call.method.unwrap_or("a request");
                self.stopped(method, call.tool(), &decided);
            }
            return;
        };
        let Decided {
            decision,
            ended,
            mut stop,
        } = decided;
        if let Some(stop) = &mut stop
            && stop.posture.is_empty()
        {
            stop.posture = log.posture;
        }
        let decision = match decision {
            LogDecision::Allowed if !log.entry.bypassed.is_empty() => LogDecision::Bypassed,
            other => other,
        };
        count(decision, stop.as_ref(), &log.entry.bypassed);
        tracing::Span::current().record("hooks.decision", decision.as_str());
        if let Some(key) = &call.session
            && log.key.as_ref() != Some(key)
        {
            log.entry.session = Some(named(key));
        }
        if self.log.has_contents() && ended != LogEnd::Cancelled {
            log.entry.contents(None, content(answer).as_ref());
        }
        self.log.add(log.ended(decision, ended, stop));
    }
}

impl TaskResults for LogMiddleware {
    fn late<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        _: &'a Pipeline,
    ) -> Work<'a, ()> {
        if let Some(record) = call.refused.take() {
            let decided = Decided::late(&record);
            let id = self.stopped("tasks/get", call.tool(), &decided);
            with_id(answer, &id, &record.code);
        }
        Work::Now(())
    }
}
