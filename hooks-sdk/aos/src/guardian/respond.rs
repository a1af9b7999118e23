//! Requests as they arrive: bytes in, bytes out.

use serde::Serialize;
use tracing::{Instrument, Span};

use super::{DecisionOutcome, Guardian};
use crate::{
    AosAt, AosError, AosPayload, AosPoint, AosRequest, AosResponse, PingReply, Received, Reply,
    RequestId, StepInfo, StepPayload, StepRole, point, trace, wire::Envelope,
};
use hooks_core::{Verdict, observe::TARGET};

/// What a transport knows of a request beside its body.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Transported {
    /// The trace that the request belongs to, in the words of the W3C's `traceparent`.
    pub trace_parent: Option<String>,
}

impl Transported {
    /// A request of this trace, or of none.
    pub fn new(trace_parent: Option<String>) -> Transported {
        Transported { trace_parent }
    }
}

impl Guardian {
    /// Answers a request of JSON-RPC. There is an answer to every body: a decision, an answer to a ping, or an error.
    ///
    /// The caller limits the body's length.
    pub async fn answer(&self, body: &[u8], transported: Transported) -> Vec<u8> {
        match Received::read(body) {
            Ok(Received::Step(request)) => {
                let id = request.id.clone();
                match self.respond(*request, transported).await {
                    Ok(response) => encode(&id, &response),
                    Err(error) => encode_error(Some(&id), &error),
                }
            }
            Ok(Received::Ping { id, .. }) => encode(&id, &PingReply::now()),
            Err(bad) => {
                // The reason can repeat what was sent.
                let code = bad.error.code;
                tracing::debug!(
                    target: "hooks_sdk::aos",
                    code, "a guardian was sent what is no request"
                );
                encode_error(bad.id.as_ref(), &bad.error)
            }
        }
    }

    /// Answers a request that is already read.
    ///
    /// # Errors
    ///
    /// No hook stands at the step's point, or a hook failed.
    pub async fn respond(
        &self,
        request: AosRequest,
        transported: Transported,
    ) -> Result<AosResponse, AosError> {
        macro_rules! respond {
            ($(
                $(#[$about:meta])+
                $method:ident = $wire:literal $of:ident $may:ident, $payload:ident in $member:literal {
                    $($(#[$doc:meta])+ $word:ident = $at:ident $span:literal;)*
                }
            )+) => {
                match point_of(&request) {
                    $($(Some(AosAt::$at) => {
                        self.respond_at::<point::$word>(request, transported).await
                    })*)+
                    None => Err(AosError::invalid_params("the payload is not the method's")),
                }
            };
        }
        hooks_text::aos_steps!(respond)
    }

    async fn respond_at<P: AosPoint>(
        &self,
        request: AosRequest,
        transported: Transported,
    ) -> Result<AosResponse, AosError> {
        let Some(payload) = P::Payload::within(&request.payload) else {
            return Err(AosError::invalid_params("the payload is not the method's"));
        };
        let asked = asked(P::AT, &request, transported);
        let span = span(P::AT, &asked);
        let decided = self.decide::<P>(payload, &asked);
        let reply = match decided.instrument(span.clone()).await {
            Ok(reply) => reply,
            Err(failure) => {
                trace::failure(&span, "guardian_error", None, "guardian");
                return Err(failure.to_error());
            }
        };
        if !span.is_disabled()
            && let DecisionOutcome::Ruled(decision, words) = DecisionOutcome::of(&reply)
        {
            let reasoning = || Some(words.reasoning.unwrap_or(words.message).to_owned());
            trace::event(&span, decision, words.reason_codes, reasoning);
        }
        Ok(response(reply, request))
    }
}

/// The point of a request's step.
fn point_of(request: &AosRequest) -> Option<AosAt> {
    if let AosPayload::MessageStep(step) = &request.payload {
        return Some(match step.message.role {
            StepRole::User => AosAt::UserMessage,
            StepRole::Agent => AosAt::AgentResponse,
            StepRole::System => AosAt::SystemMessage,
        });
    }
    let mut points = AosAt::ALL.iter().copied();
    points.find(|at| at.method() == request.method)
}

/// The span of a request. A guardian in the asker's own process has the asker's span.
fn span(at: AosAt, asked: &StepInfo) -> Span {
    let is_traced = tracing::enabled!(target: TARGET, tracing::Level::INFO);
    let id = match asked.request_id() {
        Some(id) if is_traced => id.to_string(),
        _ => return Span::none(),
    };
    let session = asked.context().map(|context| &*context.session.id);
    trace::asked(at, &id, session, asked.trace_parent())
}

/// What the hooks see beside the payload.
fn asked(at: AosAt, request: &AosRequest, transported: Transported) -> StepInfo {
    StepInfo {
        at,
        context: request.context.clone(),
        a2a_context: request.a2a_context.clone(),
        reasoning: request.reasoning.clone(),
        request_id: Some(request.id.clone()),
        trace_parent: transported.trace_parent,
    }
}

/// The response that says what was decided. A changed step is the request with its new payload: all else stays.
fn response<T: Into<AosPayload>>(reply: Reply<T>, mut request: AosRequest) -> AosResponse {
    let words = reply.words();
    let message = words.message.to_owned();
    let reasoning = words.reasoning.map(str::to_owned);
    let reason_code = (!words.reason_codes.is_empty()).then(|| words.reason_codes.to_vec());
    let data = words.data.cloned();
    let mut response = match reply.verdict {
        Verdict::Allow => AosResponse::allow(message),
        Verdict::Deny(_) => AosResponse::deny(message),
        Verdict::Modify(payload) => {
            request.payload = payload.into();
            AosResponse::modify(message, request)
        }
        Verdict::Ask(never) => match never {},
    };
    response.reasoning = reasoning;
    response.reason_code = reason_code;
    response.data = data;
    response
}

fn encode<T: Serialize>(id: &RequestId, result: &T) -> Vec<u8> {
    serde_json::to_vec(&Envelope::result(id, result))
        .unwrap_or_else(|wrong| encode_error(Some(id), &AosError::internal(wrong)))
}

fn encode_error(id: Option<&RequestId>, error: &AosError) -> Vec<u8> {
    // An error is texts only, which are always JSON.
    serde_json::to_vec(&Envelope::error(id, error)).unwrap_or_default()
}
