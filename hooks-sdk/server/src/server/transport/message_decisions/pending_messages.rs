//! The messages of a stream about which a middleware decides. Each waits in a task of its own, so that no other waits for it
//! unless their order says so.

use std::{collections::HashMap, fmt, future::pending, pin::pin};

use futures::future::{Either, select};
use rmcp::{
    RoleServer,
    model::{JsonObject, JsonRpcError, JsonRpcMessage, RequestId, ServerResult},
    service::TxJsonRpcMessage,
};
use serde_json::Value;
use tokio::{
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
    task::JoinSet,
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{MessageAction, MessageDirection, MessageEnvelope, sending::Sending};
use crate::server::{connection::Connection, transport::in_flight::Bounds};

/// The messages of one connection about which a middleware decides at the moment.
pub(in crate::server::transport) struct PendingMessages {
    tasks: JoinSet<DecidedMessage>,
    /// The requests that wait, by their ids as JSON. Cancelling ends the waiting.
    requests: HashMap<String, CancellationToken>,
    /// How many bytes the waiting messages have together.
    bytes: usize,
    told: FifoLane,
    called: FifoLane,
    sent: FifoLane,
    /// The answers to the server's own requests that do not leave.
    refused: (UnboundedSender<JsonObject>, UnboundedReceiver<JsonObject>),
    /// Whether a middleware decides about anything.
    is_used: bool,
}

/// What becomes of a line.
pub(in crate::server::transport) enum Intake {
    /// Nobody decides about it.
    Free,
    /// It goes on at once, in this form.
    Now(Vec<u8>),
    /// A middleware decides about it, or it has ended the waiting of another one.
    Waits,
    /// No middleware can read it.
    Unreadable,
}

/// What happened to a message that waited.
pub(in crate::server::transport) enum Event {
    /// It is decided.
    Decided(DecidedMessage),
    /// The server's own request did not leave. This is its answer.
    Refused(JsonObject),
}

/// A message that arrived, and what becomes of it.
pub(in crate::server::transport) struct DecidedMessage {
    /// The message as the middleware saw it.
    pub(in crate::server::transport) message: Vec<u8>,
    pub(in crate::server::transport) passing: MessageAction,
    id: Option<String>,
    cancelled: CancellationToken,
    /// Held until the message has gone on.
    pub(in crate::server::transport) place: Option<DropGuard>,
}

/// Messages that go on in the order in which they came.
struct FifoLane(CancellationToken);

impl FifoLane {
    /// Returns the end of the last message in the lane.
    fn last(&self) -> CancellationToken {
        self.0.clone()
    }

    /// Adds a message. Returns the end of the one before it, and a guard that ends this one.
    fn join(&mut self) -> (CancellationToken, DropGuard) {
        let own = CancellationToken::new();
        let before = std::mem::replace(&mut self.0, own.clone());
        (before, own.drop_guard())
    }
}

impl Default for FifoLane {
    fn default() -> FifoLane {
        let last = CancellationToken::new();
        last.cancel();
        FifoLane(last)
    }
}

impl Default for PendingMessages {
    fn default() -> PendingMessages {
        PendingMessages {
            tasks: JoinSet::new(),
            requests: HashMap::new(),
            bytes: 0,
            told: FifoLane::default(),
            called: FifoLane::default(),
            sent: FifoLane::default(),
            refused: mpsc::unbounded_channel(),
            is_used: false,
        }
    }
}

impl PendingMessages {
    /// Takes a line that arrived.
    ///
    /// Notifications go on in their order, and so do calls of tools. Any other message waits only for the notifications
    /// before it.
    pub(in crate::server::transport) fn begin(
        &mut self,
        line: &[u8],
        connection: &Connection,
    ) -> Intake {
        let toward = [MessageDirection::Server, MessageDirection::Client];
        let mut deciders = toward.iter().map(|side| connection.decider(*side));
        let Some(decider) = deciders.find_map(|decider| decider) else {
            return Intake::Free;
        };
        self.is_used = true;
        let Ok(message) = serde_json::from_slice::<JsonObject>(line) else {
            return Intake::Unreadable;
        };
        // What the middleware sees is what the server reads: of two members with one name, only the last.
        let Ok(line) = serde_json::to_vec(&message) else {
            return Intake::Unreadable;
        };
        let envelope = MessageEnvelope::of(&message);
        let id = envelope.id();
        if envelope.is_exempt(MessageDirection::Server) {
            if id.is_none()
                && let Some(request) = cancelled(&message)
                && let Some(waiting) = self.requests.get(&request)
            {
                waiting.cancel();
                return Intake::Waits;
            }
            return Intake::Now(line);
        }
        if !decider.decides(MessageDirection::Server) {
            return Intake::Now(line);
        }
        let is_answer = envelope.method.is_none();
        let mut before = vec![self.told.last()];
        let place = match (&envelope.method, &id) {
            (Some(_), None) => {
                let (_, place) = self.told.join();
                Some(place)
            }
            (Some(method), Some(_)) if method == "tools/call" => {
                let (earlier, place) = self.called.join();
                before.push(earlier);
                Some(place)
            }
            _ => None,
        };
        let cancelled = CancellationToken::new();
        if let (Some(id), false) = (&id, is_answer) {
            self.requests.insert(id.clone(), cancelled.clone());
        }
        self.bytes += line.len();
        let (decider, session) = (decider.clone(), session(connection));
        self.tasks.spawn(async move {
            let deciding = pin!(decider.decide(MessageDirection::Server, message, &session));
            let passing = match select(deciding, pin!(cancelled.cancelled())).await {
                Either::Left((passing, _)) => passing,
                Either::Right(_) => MessageAction::Dropped,
            };
            for before in before {
                before.cancelled().await;
            }
            DecidedMessage {
                message: line,
                passing,
                id: id.filter(|_| !is_answer),
                cancelled,
                place,
            }
        });
        Intake::Waits
    }

    /// Returns whether nothing waits.
    pub(in crate::server::transport) fn is_idle(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Returns whether so much waits that no further line is to be read.
    pub(in crate::server::transport) fn is_full(&self, bounds: Bounds) -> bool {
        self.tasks.len() >= bounds.requests || self.bytes >= bounds.bytes
    }

    /// Waits for the next message that goes on, or that was refused. The caller may drop the future without loss.
    pub(in crate::server::transport) async fn next(&mut self) -> Event {
        if !self.is_used {
            return pending().await;
        }
        loop {
            let tasks = &mut self.tasks;
            let decided = async {
                match tasks.join_next().await {
                    Some(decided) => decided,
                    None => pending().await,
                }
            };
            let next = match select(pin!(decided), pin!(self.refused.1.recv())).await {
                Either::Left((decided, _)) => decided,
                Either::Right((Some(answer), _)) => return Event::Refused(answer),
                Either::Right((None, _)) => continue,
            };
            match next {
                Ok(decided) => return Event::Decided(self.settled(decided)),
                Err(error) => {
                    tracing::error!(
                        target: "hooks_sdk::server",
                        %error, "a message is lost: the task that decided about it failed"
                    );
                }
            }
        }
    }

    fn settled(&mut self, mut decided: DecidedMessage) -> DecidedMessage {
        self.bytes -= decided.message.len();
        if let Some(id) = &decided.id {
            self.requests.remove(id);
        }
        // No answer is due to a request that its client has cancelled.
        if decided.cancelled.is_cancelled() {
            decided.passing = MessageAction::Dropped;
        }
        decided
    }

    /// Gives up everything that waits. Returns how much that is.
    pub(in crate::server::transport) fn give_up(&mut self) -> usize {
        let waiting = self.tasks.len();
        self.tasks = JoinSet::new();
        self.requests.clear();
        self.bytes = 0;
        waiting
    }

    /// Takes a message that is about to be sent. Returns `None` if nobody decides about messages that are sent.
    ///
    /// Requests and notifications leave in their order. An answer waits only for those before it.
    pub(in crate::server::transport) fn sends(
        &mut self,
        message: &TxJsonRpcMessage<RoleServer>,
        connection: &Connection,
    ) -> Option<Sending> {
        if !self.is_used && connection.decider(MessageDirection::Client).is_none() {
            return None;
        }
        let text = |id: &RequestId| serde_json::to_string(id).unwrap_or_default();
        let (is_asked, id, is_in_order) = match message {
            JsonRpcMessage::Response(response) => (
                !is_exempt(&response.result),
                Some(text(&response.id)),
                false,
            ),
            JsonRpcMessage::Error(JsonRpcError { id, .. }) => (true, id.as_ref().map(text), false),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => (true, None, true),
        };
        let decider = connection.decider(MessageDirection::Client)?;
        self.is_used = true;
        let (before, place) = match (is_in_order, is_asked) {
            (true, _) => {
                let (before, place) = self.sent.join();
                (before, Some(place))
            }
            (false, true) => (self.sent.last(), None),
            // The answer to a ping waits for nothing.
            (false, false) => (FifoLane::default().last(), None),
        };
        Some(Sending {
            decider: is_asked.then(|| decider.clone()),
            session: session(connection),
            id,
            before,
            refused: self.refused.0.clone(),
            _place: place,
        })
    }
}

/// Returns whether nobody decides about a result: a handshake's, which only the handshake's own request has, and an empty
/// one. The type of the result tells it, so the id that a client chose does not matter.
fn is_exempt(result: &ServerResult) -> bool {
    use ServerResult::{DiscoverResult, EmptyResult, InitializeResult};
    matches!(
        result,
        InitializeResult(_) | DiscoverResult(_) | EmptyResult(_)
    )
}

/// Returns the id of the request that a message cancels, as JSON.
fn cancelled(message: &JsonObject) -> Option<String> {
    let id = message.get("params")?.get("requestId")?;
    (!id.is_null()).then(|| Value::to_string(id))
}

fn session(connection: &Connection) -> Vec<u8> {
    match connection.client_session() {
        Some(id) => id.into(),
        None => connection.number().to_be_bytes().into(),
    }
}

impl fmt::Debug for PendingMessages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingMessages")
            .field("waiting", &self.tasks.len())
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
