//! The audit: one line for each call, prompt and resource, however it ended.

use std::{sync::Arc, time::Instant};

use rmcp::{
    ErrorData,
    model::{CallToolResponse, GetPromptResponse, ReadResourceResponse},
};
use serde_json::Value;

use super::{
    built::Built,
    item::{Item, Prompts, Resources, Tools, json},
    pre::Running,
};
use crate::{
    core::OnFailure,
    plugin::{
        Chain, ChainRecord, Contexts, Decision, Denial, GlobalContext,
        ready::{Audit, AuditRecord, Ended, Reserved},
    },
    server::{
        methods::Points,
        way::{Answer, Call, Flow, Place, Request, Station, Step, Way},
    },
};

/// Reserves the line of a request before anything else, and writes it when the request has ended.
#[derive(Debug)]
pub(in crate::server) struct AuditStation {
    built: Arc<Built>,
    audit: Audit,
}

/// The reserved line of a request.
struct Line {
    reserved: Option<Reserved>,
    method: &'static str,
    item: String,
    arguments: Option<Value>,
    /// What is known of a request that the chain never saw.
    global: GlobalContext,
    began: Instant,
}

impl AuditStation {
    /// Returns the station, if the policy has an audit.
    pub(in crate::server) fn of(built: Arc<Built>) -> Option<AuditStation> {
        let audit = built.policy.audit.clone()?;
        Some(AuditStation { built, audit })
    }

    fn reserve<I: Item>(
        &self,
        method: &'static str,
        request: &mut Request,
        call: &mut Call,
        way: &Way,
    ) -> Flow {
        let Request { asked, cx } = request;
        let Some(params) = I::params(asked) else {
            return Flow::On;
        };
        let reserved = match self.audit.reserve() {
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
        let item = I::name(params).to_owned();
        let arguments = self.audit.has_contents().then(|| I::content(params));
        call.kept.put(Line {
            reserved,
            method,
            global: self.built.global::<I>(&item, cx, call, way),
            item,
            arguments,
            began: Instant::now(),
        });
        Flow::On
    }

    fn write(
        &self,
        line: Line,
        chain: &Chain,
        contexts: Option<&Contexts>,
        call: &Call,
        answer: &Result<Answer, ErrorData>,
    ) {
        let Some(reserved) = line.reserved else {
            return;
        };
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
        if let Err(error) = reserved.write(&written) {
            tracing::error!(%error, "the end of a request is not in the audit");
        }
    }
}

impl Station for AuditStation {
    fn place(&self) -> Place {
        Place::Audit
    }

    fn before<'a>(
        &'a self,
        request: &'a mut Request,
        call: &'a mut Call,
        way: &'a Way,
    ) -> Step<'a, Flow> {
        let method = request.asked.name();
        Step::Now(match request.asked.points() {
            Some(Points::Tool) => self.reserve::<Tools>(method, request, call, way),
            Some(Points::Prompt) => self.reserve::<Prompts>(method, request, call, way),
            Some(Points::Resource) => self.reserve::<Resources>(method, request, call, way),
            None => Flow::On,
        })
    }

    fn ended(&self, call: &mut Call, answer: &Result<Answer, ErrorData>) {
        let Some(line) = call.kept.take::<Line>() else {
            return;
        };
        let tools = call.kept.take::<Running<Tools>>();
        let prompts = call.kept.take::<Running<Prompts>>();
        let resources = call.kept.take::<Running<Resources>>();
        let seen = tools
            .as_ref()
            .map(|running| (&running.chain, &running.contexts))
            .or(prompts
                .as_ref()
                .map(|running| (&running.chain, &running.contexts)))
            .or(resources
                .as_ref()
                .map(|running| (&running.chain, &running.contexts)));
        match seen {
            Some((chain, contexts)) => self.write(line, chain, Some(contexts), call, answer),
            None => self.write(line, &self.built.chain(), None, call, answer),
        }
        // The result of a task may come later.
        if let Some(running) = tools {
            call.kept.put(running);
        }
    }
}

/// Returns how the client sees the end of a request.
fn ended(call: &Call, answer: &Result<Answer, ErrorData>, record: &ChainRecord) -> Ended {
    let stopped = record
        .steps
        .iter()
        .any(|step| matches!(step.decision, Decision::Denied | Decision::Failed));
    let failed = match answer {
        Ok(Answer::CallTool(CallToolResponse::Complete(result))) => result.is_error == Some(true),
        Ok(_) => false,
        Err(_) => true,
    };
    if call.is_cancelled {
        Ended::Cancelled
    } else if failed && (stopped || !call.reached) {
        Ended::Refused
    } else if failed {
        Ended::Failed
    } else {
        Ended::Answered
    }
}

/// Returns an answer as JSON.
fn content(answer: &Result<Answer, ErrorData>) -> Value {
    match answer {
        Ok(Answer::CallTool(CallToolResponse::Complete(result))) => json(result),
        Ok(Answer::CallTool(CallToolResponse::InputRequired(result))) => json(result),
        Ok(Answer::GetPrompt(GetPromptResponse::Complete(result))) => json(result),
        Ok(Answer::ReadResource(ReadResourceResponse::Complete(result))) => json(result),
        Ok(_) => Value::Null,
        Err(error) => json(error),
    }
}
