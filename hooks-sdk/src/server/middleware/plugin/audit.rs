//! The audit: one line for each call, prompt, resource and completion, however it ended.

use std::{sync::Arc, time::Instant};

use rmcp::{
    ErrorData,
    model::{CallToolResponse, GetPromptResponse, ReadResourceResponse},
};
use serde_json::Value;

use super::{
    built::Built,
    chained::ChainedRequest,
    item::{Completions, ItemFamily, Prompts, Resources, Tools, json, with_family},
    refusal,
};
use crate::{
    core::OnFailure,
    plugin::{
        Chain, ChainRecord, Contexts, Decision, Denial, GlobalContext,
        ready::{Audit, AuditRecord, Ended, Reserved},
    },
    server::{
        methods::Points,
        pipeline::{
            AuthorRequest, Flow, McpResponse, Middleware, MiddlewareId, OptionalTraits, Pipeline,
            RefusalRecord, RequestState, TaskResults, Work,
        },
    },
};

/// Reserves the line of a request before anything else, and writes it when the request has ended.
#[derive(Debug)]
pub(in crate::server) struct AuditMiddleware {
    built: Arc<Built>,
    audit: Audit,
}

/// The reserved line of a request.
struct ReservedLine {
    reserved: Option<Reserved>,
    method: &'static str,
    item: String,
    arguments: Option<Value>,
    /// What is known of a request that the chain never saw.
    global: GlobalContext,
    began: Instant,
}

impl AuditMiddleware {
    /// Returns the middleware, if the policy has an audit.
    pub(in crate::server) fn of(built: Arc<Built>) -> Option<AuditMiddleware> {
        let audit = built.policy.audit.clone()?;
        Some(AuditMiddleware { built, audit })
    }

    async fn reserve<I: ItemFamily>(
        &self,
        method: &'static str,
        request: &mut AuthorRequest,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Flow {
        let AuthorRequest { asked, cx } = request;
        let Some(params) = I::params(asked) else {
            return Flow::On;
        };
        let reserved = match self.audit.reserve_apart().await {
            Ok(reserved) => Some(reserved),
            Err(error) if self.audit.posture() == OnFailure::Ignore => {
                tracing::error!(%error, "a request goes on without its line in the audit");
                None
            }
            Err(error) => {
                tracing::error!(%error, "a request is refused: the audit cannot be written");
                let reason =
                    "the audit of this server cannot be written, so the request was refused";
                let blocked = Denial::by_chain("audit_unavailable", reason);
                return Flow::answer(I::refused(&blocked, false));
            }
        };
        let (list, item) = I::item(params);
        let item = item.to_owned();
        let arguments = self.audit.has_contents().then(|| I::content(params));
        let lists = self.built.policy_of(cx, call).lists;
        call.extensions.put(ReservedLine {
            reserved,
            method,
            global: self.built.global(&lists, (list, &item), cx, call, pipeline),
            item,
            arguments,
            began: Instant::now(),
        });
        Flow::On
    }

    /// Writes the line of a request, if it has none yet. Whoever awaits the returned future waits until the line is in
    /// the file.
    fn end(
        &self,
        call: &mut RequestState,
        answer: &Result<McpResponse, ErrorData>,
    ) -> Option<impl Future<Output = ()> + Send + use<>> {
        let line = call.extensions.take::<ReservedLine>()?;
        let running = ChainedRequest::take_from(call);
        let written = match &running {
            Some(running) => {
                let contexts = Some(&running.contexts);
                self.write(line, &running.chain, contexts, call, answer)
            }
            None => self.write(line, &self.built.chain(), None, call, answer),
        };
        // Other middleware read it when the request has ended, and the result of a task may come later.
        if let Some(running) = running {
            running.keep_in(call);
        }
        written
    }

    /// Writes a line for a late result that was withheld.
    async fn withheld(&self, refused: RefusalRecord, call: &mut RequestState) {
        let reserved = match self.audit.reserve_apart().await {
            Ok(reserved) => reserved,
            Err(error) => {
                tracing::error!(%error, "a late result that was withheld is not in the audit");
                return;
            }
        };
        let (none, unknown) = (ChainRecord::default(), GlobalContext::default());
        let running = ChainedRequest::of(call);
        let (item, global) = match &running {
            Some(running) => (&*running.name, &running.contexts.global),
            None => ("", &unknown),
        };
        let record = AuditRecord::new("tasks/get", item, Ended::Refused, global, &none);
        let record = record.refused_by(refused.middleware, &refused.rule, &refused.code);
        reserved.write_apart(&record).await;
    }

    fn write(
        &self,
        line: ReservedLine,
        chain: &Chain,
        contexts: Option<&Contexts>,
        call: &RequestState,
        answer: &Result<McpResponse, ErrorData>,
    ) -> Option<impl Future<Output = ()> + Send + use<>> {
        let reserved = line.reserved?;
        let none = ChainRecord::default();
        let record = contexts.map_or(&none, Contexts::record);
        let global = contexts.map_or(&line.global, |contexts| &contexts.global);
        let ended = ended(call, answer, record);
        let contents = self.audit.has_contents().then(|| content(answer));
        let mut written = AuditRecord::new(line.method, &line.item, ended, global, record)
            .chain(chain)
            .took(line.began.elapsed())
            .contents(line.arguments.as_ref(), contents.as_ref());
        if let Some(contexts) = contexts {
            written = written.contexts(contexts);
        }
        let refused = match &call.refused {
            None if !call.reached => by_station(answer, record),
            // The chain's own step says more.
            Some(RefusalRecord { middleware, .. })
                if *middleware == "plugin" && is_stopped(record) =>
            {
                None
            }
            other => other.clone(),
        };
        if let Some(refused) = &refused {
            written = written.refused_by(refused.middleware, &refused.rule, &refused.code);
        }
        Some(reserved.write_apart(&written))
    }
}

impl Middleware for AuditMiddleware {
    fn id(&self) -> MiddlewareId {
        MiddlewareId::Audit
    }

    fn optional(self: Arc<Self>) -> OptionalTraits {
        OptionalTraits {
            task_results: Some(self),
            ..OptionalTraits::default()
        }
    }

    fn before<'a>(
        &'a self,
        request: &'a mut AuthorRequest,
        call: &'a mut RequestState,
        pipeline: &'a Pipeline,
    ) -> Work<'a, Flow> {
        let method = request.asked.name();
        match request.asked.points() {
            Some(points) => with_family!(points, I => {
                Work::Later(Box::pin(self.reserve::<I>(method, request, call, pipeline)))
            }),
            None => Work::Now(Flow::On),
        }
    }

    fn after<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        _: &'a Pipeline,
    ) -> Work<'a, ()> {
        match self.end(call, answer) {
            Some(written) => Work::Later(Box::pin(written)),
            None => Work::Now(()),
        }
    }

    fn ended(&self, call: &mut RequestState, answer: &Result<McpResponse, ErrorData>) {
        // A cancelled request did not pass `after`. Nobody waits for its line.
        drop(self.end(call, answer));
    }
}

impl TaskResults for AuditMiddleware {
    fn late<'a>(
        &'a self,
        call: &'a mut RequestState,
        _: &'a mut Result<McpResponse, ErrorData>,
        _: &'a Pipeline,
    ) -> Work<'a, ()> {
        match call.refused.take() {
            Some(refused) => Work::Later(Box::pin(self.withheld(refused, call))),
            None => Work::Now(()),
        }
    }
}

/// Returns the middleware that answered a request which did not reach the author's server, if the chain did not stop it.
fn by_station(
    answer: &Result<McpResponse, ErrorData>,
    record: &ChainRecord,
) -> Option<RefusalRecord> {
    if is_stopped(record) {
        return None;
    }
    let violation = match answer {
        Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => {
            result.meta.as_ref()?.get(refusal::VIOLATION)
        }
        Err(error) => error.data.as_ref(),
        Ok(_) => None,
    };
    let code = violation.and_then(|violation| violation.get("code")?.as_str());
    Some(RefusalRecord::new("server", "", code.unwrap_or_default()))
}

fn is_stopped(record: &ChainRecord) -> bool {
    let mut steps = record.steps.iter();
    steps.any(|step| matches!(step.decision, Decision::Denied | Decision::Failed))
}

/// Returns how the client sees the end of a request.
fn ended(
    call: &RequestState,
    answer: &Result<McpResponse, ErrorData>,
    record: &ChainRecord,
) -> Ended {
    let stopped = is_stopped(record) || call.refused.is_some();
    let asks = matches!(
        answer,
        Ok(McpResponse::CallTool(CallToolResponse::InputRequired(_))
            | McpResponse::GetPrompt(GetPromptResponse::InputRequired(_))
            | McpResponse::ReadResource(ReadResourceResponse::InputRequired(_)))
    );
    let failed = match answer {
        Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => {
            result.is_error == Some(true)
        }
        Ok(_) => false,
        Err(_) => true,
    };
    if call.is_cancelled {
        Ended::Cancelled
    } else if failed && (stopped || !call.reached) {
        Ended::Refused
    } else if failed {
        Ended::Failed
    } else if asks {
        Ended::Asked
    } else {
        Ended::Answered
    }
}

/// Returns an answer as JSON.
fn content(answer: &Result<McpResponse, ErrorData>) -> Value {
    match answer {
        Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => json(result),
        Ok(McpResponse::CallTool(CallToolResponse::InputRequired(result))) => json(result),
        Ok(McpResponse::GetPrompt(GetPromptResponse::Complete(result))) => json(result),
        Ok(McpResponse::ReadResource(ReadResourceResponse::Complete(result))) => json(result),
        Ok(McpResponse::Complete(result)) => json(result),
        Ok(_) => Value::Null,
        Err(error) => json(error),
    }
}
