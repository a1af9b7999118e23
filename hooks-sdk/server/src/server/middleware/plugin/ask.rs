//! Questions to the user: `elicitation/create` on older protocols, an `InputRequiredResult` on 2026-07-28.

use std::{collections::BTreeMap, time::Duration};

use rmcp::{
    RoleServer,
    model::{
        ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
        ElicitationSchema, InputRequest, InputRequiredResult, ServerRequest,
    },
    service::{OriginatingRequestId, PeerRequestOptions, RequestContext, ServiceError},
};
use serde_json::Value;

use super::built::Built;
use crate::server::{connection::Arrival, request::is_stateless};
use hooks_plugin::{Action, Denial, ElicitationResponse, Pending};

/// Returns the key of a hook's question.
pub(super) fn question_key(hook: &str) -> String {
    format!("hook:{hook}")
}

impl Built {
    /// Returns how long the user has to answer a question.
    pub(super) fn time_of(&self, pending: &Pending) -> Duration {
        let longest = self.policy.longest_question;
        pending
            .question
            .timeout
            .map_or(longest, |timeout| timeout.min(longest))
    }

    /// Asks the user on a protocol before 2026-07-28, and waits for the answer. Meanwhile later calls of the session do
    /// not wait for this one.
    ///
    /// # Errors
    ///
    /// The client cannot ask, or the user did not answer in time.
    pub(super) async fn ask(
        &self,
        pending: &Pending,
        cx: &RequestContext<RoleServer>,
    ) -> Result<ElicitationResponse, Denial> {
        let request = elicit(pending, cx)?;
        let ticket = cx.extensions.get::<Arrival>();
        let ticket = ticket.and_then(|arrival| arrival.ticket.clone());
        if let Some(ticket) = &ticket {
            ticket.release();
        }
        let answer = self.answer(pending, request, cx).await;
        if let Some(ticket) = &ticket {
            ticket.retake();
        }
        answer
    }

    async fn answer(
        &self,
        pending: &Pending,
        mut request: ElicitRequest,
        cx: &RequestContext<RoleServer>,
    ) -> Result<ElicitationResponse, Denial> {
        // It leaves on the stream of the call: the client may have no other stream at this replica.
        let origin = OriginatingRequestId(cx.id.clone());
        request.extensions.insert(origin);
        let time = self.time_of(pending);
        let mut options = PeerRequestOptions::default();
        options.timeout = Some(time);
        let request = ServerRequest::ElicitRequest(request);
        let sent = cx.peer.send_request_with_option(request, options).await;
        let asked = match sent {
            Ok(handle) => {
                let cancelled = cx.ct.cancelled();
                tokio::select! {
                    answer = handle.await_response() => answer,
                    () = cancelled => {
                        return Err(of_hook(pending, "elicitation_cancelled", "the client cancelled the call"));
                    }
                }
            }
            Err(error) => Err(error),
        };
        match asked {
            Ok(ClientResult::ElicitResult(result)) => Ok(response(result)),
            Ok(_) => Err(invalid(pending)),
            Err(ServiceError::Timeout { .. }) => {
                let reason = format!("the user did not answer within {} s", time.as_secs_f32());
                Err(of_hook(pending, "elicitation_timeout", &reason))
            }
            Err(error) => {
                tracing::warn!(
                    target: "hooks_sdk::server",
                    hook = &*pending.hook, %error, "the user could not be asked"
                );
                let reason = "the user could not be asked";
                Err(of_hook(pending, "elicitation_failed", reason))
            }
        }
    }
}

/// Returns the result that asks the user on protocol 2026-07-28.
///
/// # Errors
///
/// The client cannot ask.
pub(super) fn input_required(
    pending: &Pending,
    cx: &RequestContext<RoleServer>,
) -> Result<impl FnOnce(String) -> InputRequiredResult + use<>, Denial> {
    let request = elicit(pending, cx)?;
    let requests = BTreeMap::from([(
        question_key(&pending.hook),
        InputRequest::Elicitation(request),
    )]);
    Ok(move |state| InputRequiredResult::new(Some(requests), Some(state)))
}

/// Returns the request to the client.
fn elicit(pending: &Pending, cx: &RequestContext<RoleServer>) -> Result<ElicitRequest, Denial> {
    let capabilities = cx.client_capabilities();
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
    let asks = elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none());
    if !asks {
        return Err(of_hook(
            pending,
            "elicitation_unsupported",
            "this call needs the user's answer, and the client cannot ask its user",
        ));
    }
    let schema = Value::Object(pending.asking.sent.clone());
    let requested_schema: ElicitationSchema = serde_json::from_value(schema).map_err(|error| {
        tracing::error!(
            target: "hooks_sdk::server",
            hook = &*pending.hook, %error, "MCP does not allow the schema of a question"
        );
        of_hook(
            pending,
            "elicitation_refused",
            "the user could not be asked",
        )
    })?;
    Ok(ElicitRequest::new(
        ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: pending.question.message.clone(),
            requested_schema,
        },
    ))
}

/// Reads the answer that a client of 2026-07-28 sent with its call.
///
/// # Errors
///
/// It is no answer to an elicitation.
pub(super) fn read(pending: &Pending, answer: Value) -> Result<ElicitationResponse, Denial> {
    let result: Result<ElicitResult, _> = serde_json::from_value(answer);
    result.map(response).map_err(|_| invalid(pending))
}

fn response(result: ElicitResult) -> ElicitationResponse {
    let action = match result.action {
        ElicitationAction::Accept => Action::Accept,
        ElicitationAction::Decline => Action::Decline,
        _ => Action::Cancel,
    };
    let mut response = ElicitationResponse::new(action);
    if let Some(Value::Object(data)) = result.content {
        response.data = Some(data);
    }
    response
}

fn invalid(pending: &Pending) -> Denial {
    of_hook(
        pending,
        "elicitation_invalid",
        "the client's answer is no answer to an elicitation",
    )
}

/// Returns the stop of a request whose question got no usable answer.
fn of_hook(pending: &Pending, code: &str, reason: &str) -> Denial {
    let mut blocked = Denial::by_chain(code, reason);
    blocked.hook = pending.hook.clone();
    blocked
}

/// Returns whether the client of a request retries instead of answering requests of the server.
pub(super) fn retries(cx: &RequestContext<RoleServer>) -> bool {
    is_stateless(cx)
}
