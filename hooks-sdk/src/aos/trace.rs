//! The span of a step, with what the guardian decided about it as an event.

use std::any::Any;
#[cfg(feature = "metrics")]
use std::time::Instant;

use tracing::{Level, Span, field::Empty};

use super::{
    AgentTrigger, AosAt, AosDecision, AosPoint, CompletedToolCall, Denied, FailureClass,
    KnowledgeStep, McpMessage, Memory, MessageStep, Part, Posture, Ruled, StepContext,
    ToolCallRequest, TriggerKind, Undecided,
};
use crate::core::observe::{TARGET, TraceContext, contents_limit, cut, onward};

/// The longest name, id or word of another program in a span, in bytes. The rest is cut off.
const LONGEST: usize = 256;

/// A step that a guardian is asked about.
pub(super) struct StepTrace {
    pub(super) span: Span,
    #[cfg(feature = "metrics")]
    at: AosAt,
    #[cfg(feature = "metrics")]
    began: Instant,
}

impl StepTrace {
    /// Begins the trace of a question. A tool call's result has no name of the tool in it, so the caller gives the tool.
    pub(super) fn of<A: AosPoint>(
        context: Option<&StepContext>,
        tool: Option<&str>,
        payload: &A::Payload,
        remote: bool,
    ) -> StepTrace {
        let is_traced = tracing::enabled!(target: TARGET, Level::INFO);
        StepTrace {
            span: match is_traced {
                true => span(A::AT, context, &Facts::of(payload, tool), remote),
                false => Span::none(),
            },
            #[cfg(feature = "metrics")]
            at: A::AT,
            #[cfg(feature = "metrics")]
            began: Instant::now(),
        }
    }

    /// Returns the trace that the guardian gets with the question.
    pub(super) fn onward(&self) -> Option<TraceContext> {
        onward(&self.span)
    }

    /// Ends the trace with what was decided.
    pub(super) fn ended<T>(&self, decided: &Result<Ruled<T>, Undecided>, posture: Posture) {
        match decided {
            Ok(ruled) => self.decided(ruled),
            Err(undecided) => self.failed(undecided.class, posture),
        }
        #[cfg(feature = "metrics")]
        metrics::histogram!("aos.duration", "aos.method" => self.at.method().as_str())
            .record(self.began.elapsed());
    }

    fn decided<T>(&self, ruled: &Ruled<T>) {
        let (decision, denied) = match ruled {
            Ruled::Allowed | Ruled::Bypassed(_) => (AosDecision::Allow, None),
            Ruled::Modified(_) => (AosDecision::Modify, None),
            Ruled::Denied(denied) => (AosDecision::Deny, Some(denied)),
        };
        if !self.span.is_disabled() {
            let codes = denied.map(|denied| &*denied.reason_codes);
            event(&self.span, decision, codes.unwrap_or_default(), || {
                denied.and_then(reasons)
            });
        }
        #[cfg(feature = "metrics")]
        metrics::counter!(
            "aos.decisions",
            "aos.method" => self.at.method().as_str(),
            "acs.decision" => decision.as_str(),
        )
        .increment(1);
    }

    fn failed(&self, class: FailureClass, posture: Posture) {
        let class = class.as_str();
        let posture = match posture {
            Posture::Deny => "deny",
            Posture::Proceed => "proceed",
        };
        failure(&self.span, class, Some(posture), "observed_agent");
        #[cfg(feature = "metrics")]
        {
            let method = self.at.method().as_str();
            metrics::counter!(
                "aos.failures",
                "aos.method" => method,
                "acs.failure.class" => class,
                "acs.failure.posture" => posture,
            )
            .increment(1);
            if posture == "proceed" {
                metrics::counter!(
                    "aos.bypasses",
                    "aos.method" => method,
                    "acs.failure.class" => class,
                )
                .increment(1);
            }
        }
    }
}

/// Reports a decision.
pub(super) fn event(
    span: &Span,
    decision: AosDecision,
    codes: &[String],
    reasoning: impl FnOnce() -> Option<String>,
) {
    let codes = (!codes.is_empty()).then(|| codes.join(","));
    let reasoning = contents_limit().and_then(|limit| {
        let reasoning = reasoning()?;
        Some(cut(&reasoning, limit).to_owned())
    });
    tracing::event!(
        name: "acs.decision",
        target: TARGET,
        parent: span,
        Level::INFO,
        {
            acs.decision = decision.as_str(),
            acs.reason_codes = codes.as_deref().map(|codes| cut(codes, LONGEST)),
            acs.reasoning = reasoning,
        }
    );
}

/// Reports that there is no decision.
pub(super) fn failure(
    span: &Span,
    class: &'static str,
    posture: Option<&'static str>,
    by: &'static str,
) {
    if span.is_disabled() {
        return;
    }
    tracing::event!(
        name: "acs.decision.failure",
        target: TARGET,
        parent: span,
        Level::INFO,
        {
            acs.failure.class = class,
            acs.failure.posture = posture,
            acs.failure.reported_by = by,
        }
    );
    span.record("error.type", class);
    span.record("otel.status_code", "ERROR");
}

fn reasons(denied: &Denied) -> Option<String> {
    let reasoning = denied.reasoning.clone();
    Some(reasoning.unwrap_or_else(|| denied.message.clone().into_owned()))
}

/// What a span says of a payload. None of it is contents.
#[derive(Default)]
struct Facts<'p> {
    tool: Option<&'p str>,
    execution: Option<&'p str>,
    exit: Option<&'static str>,
    results: Option<u64>,
    types: Option<String>,
    trigger: Option<&'static str>,
    protocol: Option<&'static str>,
    method: Option<&'p str>,
}

impl<'p> Facts<'p> {
    fn of<T: Any>(payload: &'p T, tool: Option<&'p str>) -> Facts<'p> {
        let payload: &dyn Any = payload;
        let count = |count: usize| u64::try_from(count).ok();
        let mut facts = Facts::default();
        if let Some(call) = payload.downcast_ref::<ToolCallRequest>() {
            facts.tool = Some(&call.tool_id);
            facts.execution = Some(&call.execution_id);
        } else if let Some(call) = payload.downcast_ref::<CompletedToolCall>() {
            facts.tool = tool;
            facts.execution = Some(&call.execution_id);
            facts.exit = Some(match call.result.is_error {
                true => "failure",
                false => "success",
            });
        } else if let Some(step) = payload.downcast_ref::<MessageStep>() {
            facts.types = Some(types(&step.message.content));
        } else if let Some(trigger) = payload.downcast_ref::<AgentTrigger>() {
            facts.trigger = Some(match trigger.kind {
                TriggerKind::Autonomous => "autonomous",
            });
        } else if let Some(memory) = payload.downcast_ref::<Memory>() {
            facts.results = count(memory.memory.len());
        } else if let Some(step) = payload.downcast_ref::<KnowledgeStep>() {
            facts.results = count(step.results.len());
        } else if let Some(message) = payload.downcast_ref::<McpMessage>() {
            facts.protocol = Some("mcp");
            facts.method = message.method();
        } else {
            facts.protocol = Some("a2a");
        }
        facts
    }
}

/// The kinds of parts, each once.
fn types(parts: &[Part]) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for part in parts {
        let kind = match part {
            Part::Text(_) => "text",
            Part::Data(_) => "data",
            Part::File(_) => "file",
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.join(",")
}

fn span(at: AosAt, context: Option<&StepContext>, facts: &Facts<'_>, remote: bool) -> Span {
    let short = |text| cut(text, LONGEST);
    let agent = context.map(|context| &context.agent);
    // A span's name is a constant, so each step has a span of its own.
    macro_rules! span {
        ($name:literal) => {
            tracing::info_span!(
                target: TARGET,
                $name,
                otel.kind = if remote { "client" } else { "internal" },
                aos.method = at.method().as_str(),
                aos.protocol = facts.protocol,
                aos.execution.id = facts.execution.map(short),
                aos.step.id = context.map(|context| short(&context.step_id)),
                acs.request_id = Empty,
                acs.session.id = context.map(|context| short(&context.session.id)),
                acs.turn.id = context.map(|context| short(&context.turn_id)),
                acs.agent.id = agent.map(|agent| short(&agent.id)),
                agent.id = agent.map(|agent| short(&agent.id)),
                agent.name = agent.map(|agent| short(&agent.name)),
                agent.version = agent.map(|agent| short(&agent.version)),
                gen_ai.tool.name = facts.tool.map(short),
                mcp.method.name = facts.method.map(short),
                acs.exit_status = facts.exit,
                acs.results.count = facts.results,
                acs.content.types = facts.types,
                "acs.trigger.type" = facts.trigger,
                "error.type" = Empty,
                otel.status_code = Empty,
            )
        };
    }
    match at {
        AosAt::AgentTrigger => span!("acs.agent.trigger"),
        AosAt::ToolCallRequest => span!("gen_ai.tool.call"),
        AosAt::ToolCallResult => span!("gen_ai.tool.result"),
        AosAt::UserMessage => span!("acs.message.user"),
        AosAt::AgentResponse => span!("acs.message.agent"),
        AosAt::SystemMessage => span!("acs.message.system"),
        AosAt::MemoryContextRetrieval => span!("acs.memory.retrieval"),
        AosAt::MemoryStore => span!("acs.memory.store"),
        AosAt::KnowledgeRetrieval => span!("acs.knowledge.retrieval"),
        AosAt::Mcp => span!("aos.protocol.mcp"),
        _ => span!("aos.protocol.a2a"),
    }
}

/// Begins the trace of a request that a guardian got from another process.
pub(super) fn asked(at: AosAt, id: &str, session: Option<&str>, trace: Option<&str>) -> Span {
    let span = tracing::info_span!(
        target: TARGET,
        "aos.guardian",
        otel.kind = "server",
        aos.method = at.method().as_str(),
        acs.request_id = cut(id, LONGEST),
        acs.session.id = session.map(|session| cut(session, LONGEST)),
        "error.type" = Empty,
        otel.status_code = Empty,
    );
    if !span.is_disabled() {
        let context = trace.and_then(|parent| TraceContext::new(parent, None));
        crate::core::observe::join(&span, context.as_ref());
    }
    span
}
