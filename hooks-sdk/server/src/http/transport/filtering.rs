//! The messages of HTTP about which a middleware decides: a body before the service sees it, and answers and events before
//! the client does.

use std::collections::VecDeque;
use std::convert::Infallible;

use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use futures::{StreamExt, stream};
use http::{
    HeaderName, HeaderValue, Method, Request, Response, StatusCode,
    header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE},
    request::Parts,
};
use http_body_util::BodyExt;
use rmcp::model::{Extensions, JsonObject};
use serde_json::json;
use tower::{Service, ServiceExt};

use super::{
    answer::{self, media_type},
    event::{LONGEST, PartialEvent, data, with_data},
    lift::Exit,
};
use crate::server::carried::{
    ByTransport, MessageAction, MessageDirection, MessageEnvelope, MessageFilter, PassedTransport,
    Unreadable, unreadable,
};

/// The header with the session of a request, and the one that repeats the name of what it asks for.
const SESSION: &str = "mcp-session-id";
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Decides about the message in a body. Returns the body that goes on, and whether nobody decides about the answer: it is a
/// handshake's, and no other answer comes in this response.
///
/// # Errors
///
/// Returns the response if the message does not go on.
pub(super) async fn arrives(
    decider: &MessageFilter,
    body: Bytes,
    head: &mut Parts,
) -> Result<(Bytes, bool), Response<Body>> {
    let Ok(message) = serde_json::from_slice::<JsonObject>(&body) else {
        return Err(refusal(&body));
    };
    let envelope = MessageEnvelope::of(&message);
    // In a session, the answer to another request may come in this response.
    let is_exempt = envelope.begins() && !head.headers.contains_key(SESSION);
    // What the middleware sees is what the server reads: of two members with one name, only the last.
    let seen = Bytes::from(bytes(&message));
    let session = session(head);
    let message = match decider
        .decide(MessageDirection::Server, message, &session)
        .await
    {
        MessageAction::On => seen,
        MessageAction::As(changed) => {
            name(&changed, head);
            bytes(&changed).into()
        }
        MessageAction::Answered(answer) => {
            return Err(answer::json(StatusCode::OK, bytes(&answer)));
        }
        MessageAction::Dropped => return Err(answer::empty(StatusCode::ACCEPTED)),
    };
    head.extensions.insert(PassedTransport);
    Ok((message, is_exempt))
}

/// Decides about a message that another replica received. Returns `None` if the message does not go on.
pub(super) async fn forwarded(
    decider: &MessageFilter,
    session: &str,
    body: Bytes,
) -> Option<Bytes> {
    let Ok(message) = serde_json::from_slice::<JsonObject>(&body) else {
        tracing::warn!(
            target: "hooks_sdk::http",
            "a forwarded message is dropped: no guardian can read it"
        );
        return None;
    };
    let passing = decider.decide(MessageDirection::Server, message, session.as_bytes());
    match passing.await {
        MessageAction::On => Some(body),
        MessageAction::As(changed) => serde_json::to_vec(&changed).ok().map(Bytes::from),
        // Nobody waits for an answer to an answer or to a notification.
        MessageAction::Answered(_) | MessageAction::Dropped => None,
    }
}

/// Marks a message that another replica received as one that passed a transport.
pub(super) fn mark(_: &MessageFilter, extensions: &mut Extensions) {
    extensions.insert(PassedTransport);
}

/// Answers a body that no middleware can read.
fn refusal(body: &Bytes) -> Response<Body> {
    match unreadable(body, true) {
        Some(Unreadable::Malformed(error)) => answer::malformed(error),
        Some(Unreadable::Notification) => answer::empty(StatusCode::ACCEPTED),
        None => {
            let message = "the message cannot be shown to the guardian of this server: it is nested too deep, or has a \
                           number that is too large";
            let error = json!({"code": -32600, "message": message});
            let error = json!({"jsonrpc": "2.0", "id": null, "error": error});
            answer::malformed(error.to_string().into_bytes())
        }
    }
}

/// Lets the header repeat the name in a changed message. The service compares the two.
fn name(message: &JsonObject, head: &mut Parts) {
    if !head.headers.contains_key(&NAME) {
        return;
    }
    let params = message.get("params");
    let name = ["name", "uri", "taskId"]
        .iter()
        .find_map(|member| params?.get(*member)?.as_str());
    if let Some(Ok(name)) = name.map(HeaderValue::from_str) {
        head.headers.insert(NAME, name);
    }
}

fn session(head: &Parts) -> Vec<u8> {
    let session = head.headers.get(SESSION);
    session.map_or_else(Vec::new, |id| id.as_bytes().into())
}

/// The answer to a request, about whose messages a middleware decides.
pub(super) struct AskingAnswer<S> {
    decider: MessageFilter,
    session: Vec<u8>,
    is_exempt: bool,
    /// The service, and the head of a request to it, for the server's own requests that do not leave.
    service: S,
    head: Parts,
}

impl<S> AskingAnswer<S> {
    /// Returns `None` if no middleware decides about what is sent. `is_exempt` lets the result of a handshake pass.
    pub(super) fn of(
        decider: &MessageFilter,
        head: &Parts,
        service: &S,
        is_exempt: bool,
    ) -> Option<AskingAnswer<S>>
    where
        S: Clone,
    {
        decider
            .decides(MessageDirection::Client)
            .then(|| AskingAnswer {
                decider: decider.clone(),
                session: session(head),
                is_exempt,
                service: service.clone(),
                head: head.clone(),
            })
    }
}

impl<S, R> AskingAnswer<S>
where
    S: Service<Request<Body>, Response = Response<R>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    R: Send + 'static,
{
    /// Decides about the messages in a response.
    pub(super) async fn answer(mut self, response: Response<Body>) -> Response<Body> {
        let (mut head, body) = response.into_parts();
        let kind = media_type(&head.headers).unwrap_or_default();
        if kind.eq_ignore_ascii_case("text/event-stream") {
            let events = DecidedEvents {
                body: body.into_data_stream(),
                held: PartialEvent::new(LONGEST, Exit::default()),
                whole: VecDeque::new(),
                asking: self,
            };
            return Response::from_parts(head, Body::from_stream(events.stream()));
        }
        if !kind.eq_ignore_ascii_case("application/json") {
            return Response::from_parts(head, body);
        }
        let body = match body.collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) => {
                tracing::error!(
                    target: "hooks_sdk::http",
                    %error, "the body of an answer ended early"
                );
                return answer::empty(StatusCode::INTERNAL_SERVER_ERROR);
            }
        };
        let Some(body) = self.decide(body).await else {
            return answer::empty(StatusCode::INTERNAL_SERVER_ERROR);
        };
        if head.headers.contains_key(CONTENT_LENGTH) {
            let length = HeaderValue::from(body.len());
            head.headers.insert(CONTENT_LENGTH, length);
        }
        Response::from_parts(head, Body::from(body))
    }

    /// Returns what is sent in place of a message, or `None` if nothing is.
    async fn decide(&mut self, text: Bytes) -> Option<Bytes> {
        let Ok(message) = serde_json::from_slice::<JsonObject>(&text) else {
            tracing::error!(
                target: "hooks_sdk::http",
                "a message is not sent: no guardian can read it"
            );
            return None;
        };
        if self.is_exempt && !message.contains_key("method") && message.contains_key("result") {
            return Some(text);
        }
        let passing = self
            .decider
            .decide(MessageDirection::Client, message, &self.session)
            .await;
        match passing {
            MessageAction::On => Some(text),
            MessageAction::As(changed) => Some(bytes(&changed).into()),
            MessageAction::Answered(answer) => {
                self.tell(bytes(&answer)).await;
                None
            }
            MessageAction::Dropped => None,
        }
    }

    /// Answers a request of the server in the client's place.
    async fn tell(&mut self, answer: Vec<u8>) {
        let mut head = self.head.clone();
        head.method = Method::POST;
        head.headers.remove(CONTENT_LENGTH);
        let kind = HeaderValue::from_static("application/json");
        head.headers.insert(CONTENT_TYPE, kind);
        let accept = HeaderValue::from_static("application/json, text/event-stream");
        head.headers.insert(ACCEPT, accept);
        head.extensions.insert(ByTransport::default());
        let request = Request::from_parts(head, Body::from(answer));
        let Ok(response) = self.service.clone().oneshot(request).await;
        let status = response.status();
        if !status.is_success() {
            tracing::error!(
                target: "hooks_sdk::http",
                %status, "a request of the server, which the guardian denied, still waits"
            );
        }
    }
}

/// A stream of events.
struct DecidedEvents<S> {
    body: BodyDataStream,
    held: PartialEvent,
    whole: VecDeque<Bytes>,
    asking: AskingAnswer<S>,
}

impl<S, R> DecidedEvents<S>
where
    S: Service<Request<Body>, Response = Response<R>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    R: Send + 'static,
{
    fn stream(self) -> impl stream::Stream<Item = Result<Bytes, axum::Error>> + Send + 'static {
        stream::unfold(self, |mut events| async move {
            let next = events.next().await?;
            Some((next, events))
        })
    }

    async fn next(&mut self) -> Option<Result<Bytes, axum::Error>> {
        loop {
            if let Some(event) = self.whole.pop_front() {
                match self.decided(event).await {
                    Some(event) => return Some(Ok(event)),
                    None => continue,
                }
            }
            let frame = match self.body.next().await? {
                Ok(frame) => frame,
                Err(error) => return Some(Err(error)),
            };
            let Some(whole) = self.held.whole(&frame) else {
                let error = "an event is too long to be shown to the guardian of this server";
                tracing::error!(
                    target: "hooks_sdk::http",
                    longest = LONGEST, "a stream is ended: {error}"
                );
                return Some(Err(axum::Error::new(error)));
            };
            self.whole.extend(whole);
        }
    }

    /// Returns the event that is sent, if one is.
    async fn decided(&mut self, event: Bytes) -> Option<Bytes> {
        let data = data(&event);
        if data.trim_ascii().is_empty() {
            return Some(event);
        }
        let text = Bytes::from(data);
        let decided = self.asking.decide(text.clone()).await?;
        if decided == text {
            return Some(event);
        }
        Some(with_data(&event, &decided).into())
    }
}

fn bytes(message: &JsonObject) -> Vec<u8> {
    // An object of JSON is always text.
    serde_json::to_vec(message).unwrap_or_default()
}
