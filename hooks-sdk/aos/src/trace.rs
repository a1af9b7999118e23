//! The span of a step, with what the guardian decided about it as an event.

#[cfg(feature = "metrics")]
use std::time::Instant;
use std::{any::Any, sync::OnceLock};

use tracing::{Level, Span, field::Empty};

use super::{
    AgentTrigger, AosAt, AosDecision, AosPoint, CompletedToolCall, Denied, FailureClass,
    KnowledgeStep, McpMessage, Memory, MessageStep, Part, Posture, StepContext, StepOutcome,
    ToolCallRequest, TriggerKind, Unaskable, observed::Unruled,
};
use hooks_core::{
    internal::{contents_limit, cut, onward},
    observe::{TARGET, TraceContext},
};

/// The longest name, id or word of another program in a span, in bytes. The rest is cut off.
const LONGEST: usize = 256;

/// A step that a guardian is asked about.
pub(super) struct StepTrace {
    pub(super) span: Span,
    at: AosAt,
    #[cfg(feature = "metrics")]
    began: Instant,
}

impl StepTrace {
    /// Begins the trace of a question.
    pub(super) fn of<A: AosPoint>(
        beside: &Beside<'_>,
        payload: &A::Payload,
        remote: bool,
    ) -> StepTrace {
        let is_traced = tracing::enabled!(target: TARGET, Level::INFO);
        StepTrace {
            span: match is_traced {
                true => {
                    let facts = Facts::of(payload, beside.tool);
                    beside.turn.in_scope(|| span(A::AT, beside, &facts, remote))
                }
                false => Span::none(),
            },
            at: A::AT,
            #[cfg(feature = "metrics")]
            began: Instant::now(),
        }
    }

    /// Records the id of the question. The span of a tool's result also has the id of the question about its call.
    pub(super) fn asked_as(&self, id: &str, of_call: &OnceLock<Box<str>>) {
        if self.span.is_disabled() {
            return;
        }
        self.span.record("acs.request_id", id);
        match self.at {
            AosAt::ToolCallRequest => _ = of_call.set(id.into()),
            AosAt::ToolCallResult => {
                if let Some(id) = of_call.get() {
                    self.span.record("acs.request_id_ref", &**id);
                }
            }
            _ => {}
        }
    }

    /// Returns the trace that the guardian gets with the question.
    pub(super) fn onward(&self) -> Option<TraceContext> {
        onward(&self.span)
    }

    /// Ends the trace with what was decided.
    pub(super) fn ended<T>(&self, decided: &Result<StepOutcome<T>, Unruled>, posture: Posture) {
        match decided {
            Ok(ruled) => self.decided(ruled),
            Err(Unruled::NoDecision(undecided)) => self.failed(undecided.class, posture),
            Err(Unruled::Unaskable(unaskable)) => self.not_asked(*unaskable),
        }
        #[cfg(feature = "metrics")]
        metrics::histogram!("aos.duration", "aos.method" => self.at.method().as_str())
            .record(self.began.elapsed());
    }

    fn decided<T>(&self, ruled: &StepOutcome<T>) {
        let (decision, denied) = match ruled {
            StepOutcome::Allowed | StepOutcome::Bypassed(_) => (AosDecision::Allow, None),
            StepOutcome::Modified(_) => (AosDecision::Modify, None),
            StepOutcome::Denied(denied) => (AosDecision::Deny, Some(denied)),
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

    fn not_asked(&self, unaskable: Unaskable) {
        let reason = unaskable.as_str();
        self.span.record("error.type", reason);
        self.span.record("otel.status_code", "ERROR");
        #[cfg(feature = "metrics")]
        metrics::counter!(
            "aos.unaskable",
            "aos.method" => self.at.method().as_str(),
            "error.type" => reason,
        )
        .increment(1);
    }

    fn failed(&self, class: FailureClass, posture: Posture) {
        let class = class.as_str();
        let posture = posture.as_str();
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

/// The facts about a question beside its payload.
pub(super) struct Beside<'b> {
    pub(super) context: Option<&'b StepContext>,
    /// The tool: a tool call's result does not name it.
    pub(super) tool: Option<&'b str>,
    pub(super) reasoning: Option<&'b str>,
    /// The span of the turn.
    pub(super) turn: &'b Span,
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

fn span(at: AosAt, beside: &Beside<'_>, facts: &Facts<'_>, remote: bool) -> Span {
    let short = |text| cut(text, LONGEST);
    let context = beside.context;
    let agent = context.map(|context| &context.agent);
    let model = agent.and_then(|agent| agent.model.as_ref());
    // Reasoning is contents.
    let reasoning = contents_limit().and_then(|limit| Some(cut(beside.reasoning?, limit)));
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
                acs.request_id_ref = Empty,
                acs.session.id = context.map(|context| short(&context.session.id)),
                acs.turn.id = context.map(|context| short(&context.turn_id)),
                acs.agent.id = agent.map(|agent| short(&agent.id)),
                agent.id = agent.map(|agent| short(&agent.id)),
                agent.name = agent.map(|agent| short(&agent.name)),
                agent.version = agent.map(|agent| short(&agent.version)),
                agent.reasoning = reasoning,
                llm.model.name = model.map(|model| short(&model.name)),
                llm.provider.name = model.map(|model| short(&model.provider.name)),
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
    macro_rules! spans {
        ($(
            $(#[$about:meta])+
            $method:ident = $wire:literal $of:ident $may:ident, $payload:ident in $member:literal {
                $($(#[$doc:meta])+ $word:ident = $at:ident $span:literal;)*
            }
        )+) => {
            match at {
                $($(AosAt::$at => span!($span),)*)+
            }
        };
    }
    hooks_text::aos_steps!(spans)
}

/// Begins the span of a session of which the server asks about steps. It ends with the connection, or when the next
/// session begins on it.
#[doc(hidden)]
pub fn session(id: &str) -> Span {
    tracing::info_span!(
        target: TARGET,
        parent: None,
        "acs.session",
        otel.kind = "internal",
        acs.session.id = cut(id, LONGEST),
    )
}

/// Begins the span of a turn: one request of a client, below the span of the request. `session` is the span of the
/// session, which is linked because the request belongs to the client's trace.
#[doc(hidden)]
pub fn turn(id: &str, session_id: &str, session: &Span) -> Span {
    let turn = tracing::info_span!(
        target: TARGET,
        "acs.turn",
        otel.kind = "internal",
        acs.session.id = cut(session_id, LONGEST),
        acs.turn.id = cut(id, LONGEST),
        // A server sees a turn of its caller, which is the loop of an agent.
        acs.turn.triggered_by = "agent_loop",
    );
    turn.follows_from(session);
    turn
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
        hooks_core::internal::join(&span, context.as_ref());
    }
    span
}
