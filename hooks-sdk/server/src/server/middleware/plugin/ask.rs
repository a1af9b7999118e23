//! Questions to the user: `elicitation/create` on older protocols, an `InputRequiredResult` on 2026-07-28.

use std::{sync::Arc, time::Duration};

use rmcp::{
    model::{
        ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
        ElicitationSchema, InputRequest, InputRequests, InputRequiredResult, ServerRequest,
    },
    service::{OriginatingRequestId, PeerRequestOptions, ServiceError},
};
use serde::Serialize;
use serde_json::Value;

use super::{
    built::Built,
    chained::ChainedRequest,
    item::{ItemFamily, json},
    pre::unknown,
    state::{Stage, no_state},
};
use crate::server::{
    McpContext,
    connection::Arrival,
    methods::Points,
    pipeline::{McpResponse, Pipeline},
    request::is_stateless,
};
use hooks_plugin::{
    Action, Denial, ElicitationResponse, End, Payload, Pending, PluginPoint, Ran,
    internal::{MetHooks, unaskable},
};

/// The longest time that a user has to answer, unless the author sets another (5 minutes).
const LONGEST_QUESTION: Duration = Duration::from_secs(300);

/// Returns the key of a hook's question.
pub(super) fn question_key(hook: &str) -> String {
    format!("hook:{hook}")
}

/// How the hooks of a point ended.
pub(super) enum Settled {
    /// The request goes on.
    Allowed(Ran),
    /// The client has to ask its user.
    Asks(Box<McpResponse>),
}

impl Built {
    /// Asks the user as often as the hooks of a point want to. `before` is the pipeline, for a point before the server.
    pub(super) async fn settle<I: ItemFamily, P: PluginPoint<Payload: Serialize>>(
        &self,
        mut ran: Ran,
        payload: &mut P::Payload,
        running: &mut ChainedRequest,
        before: Option<&Pipeline>,
    ) -> Result<Settled, Denial> {
        loop {
            let pending = match ran.end {
                End::Allowed => return Ok(Settled::Allowed(ran)),
                End::Blocked(blocked) => return Err(blocked),
                End::Asks(pending) => pending,
            };
            let asker = match &mut running.asker {
                _ if I::POINTS == Points::Completion => {
                    return Err(unaskable(pending.hook, "a completion"));
                }
                Some(asker) => asker,
                // The result of a task: its call has been answered.
                None => {
                    let what = format!("the late result of `{}`", payload.item());
                    return Err(unaskable(pending.hook, &what));
                }
            };
            if is_stateless(&asker.cx) {
                let request = InputRequest::Elicitation(elicit(&pending, &asker.cx)?);
                let requests = InputRequests::from([(question_key(&pending.hook), request)]);
                let (hook, lives) = (pending.hook.clone(), self.time_of(&pending));
                let stage = match before {
                    Some(_) => {
                        asker.before = json(payload);
                        Stage::Before(pending)
                    }
                    None => Stage::After(pending, json(payload)),
                };
                let done = MetHooks::default();
                let state = Box::pin(self.keep(&hook, stage, done, running, lives)).await?;
                let asks = InputRequiredResult::new(Some(requests), Some(state));
                let asks = I::question(asks).ok_or_else(no_state)?;
                return Ok(Settled::Asks(Box::new(asks)));
            }
            let answer = Box::pin(self.ask(&pending, &asker.cx)).await?;
            running.has_waited = true;
            // A rule or a list hook that came into force meanwhile holds for the answered call.
            let asked_by = std::mem::replace(&mut running.policy, self.now());
            if let Some(pipeline) = before
                && !Arc::ptr_eq(&asked_by, &running.policy)
            {
                let (name, lists) = (payload.item(), &running.policy.lists);
                let is_ours = pipeline.parts.served(name).is_some();
                if !is_ours && lists.has_hidden(running.list, name, before) {
                    return Err(unknown(name));
                }
            }
            ran = Box::pin(running.resume::<P>(*pending, answer, payload)).await;
        }
    }

    /// Returns how long the user has to answer a question.
    fn time_of(&self, pending: &Pending) -> Duration {
        let longest = self.policy.longest_question.unwrap_or(LONGEST_QUESTION);
        let own = pending.question.timeout;
        own.map_or(longest, |own| own.min(longest))
    }

    /// Asks the user on a protocol before 2026-07-28, and waits for the answer. Meanwhile later calls of the session do
    /// not wait for this one.
    /// Returns an error if the client cannot ask, or the user did not answer in time.
    async fn ask(&self, pending: &Pending, cx: &McpContext) -> Result<ElicitationResponse, Denial> {
        let mut request = elicit(pending, cx)?;
        // It leaves on the stream of the call: the client may have no other stream at this replica.
        let origin = OriginatingRequestId(cx.id.clone());
        request.extensions.insert(origin);
        let request = ServerRequest::ElicitRequest(request);
        let time = self.time_of(pending);
        let mut options = PeerRequestOptions::default();
        options.timeout = Some(time);
        let ticket = cx.extensions.get::<Arrival>();
        let ticket = ticket.and_then(|arrival| arrival.ticket.clone());
        if let Some(ticket) = &ticket {
            ticket.release();
        }
        let asking = async {
            let sent = cx.peer.send_request_with_option(request, options);
            sent.await?.await_response().await
        };
        let asked = tokio::select! {
            asked = asking => Some(asked),
            () = cx.ct.cancelled() => None,
        };
        if let Some(ticket) = &ticket {
            ticket.retake();
        }
        Err(match asked {
            Some(Ok(ClientResult::ElicitResult(result))) => return Ok(response(result)),
            Some(Ok(_)) => invalid(pending),
            None => {
                let reason = "the client cancelled the call";
                of_hook(pending, "elicitation_cancelled", reason)
            }
            Some(Err(ServiceError::Timeout { .. })) => {
                let reason = format!("the user did not answer within {} s", time.as_secs_f32());
                of_hook(pending, "elicitation_timeout", reason)
            }
            Some(Err(error)) => {
                warn!(hook = &*pending.hook, %error, "the user could not be asked");
                of_hook(pending, "elicitation_failed", "the user could not be asked")
            }
        })
    }
}

/// Returns the request to the client.
fn elicit(pending: &Pending, cx: &McpContext) -> Result<ElicitRequest, Denial> {
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
        error!(hook = &*pending.hook, %error, "MCP does not allow the schema of a question");
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
/// Returns an error if it is no answer to an elicitation.
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
fn of_hook(pending: &Pending, code: &str, reason: impl Into<String>) -> Denial {
    let mut blocked = Denial::by_chain(code, reason);
    blocked.hook = pending.hook.clone();
    blocked
}
