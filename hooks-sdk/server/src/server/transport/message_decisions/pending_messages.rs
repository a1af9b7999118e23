//! The messages of a stream about which a middleware decides. Each waits in a task of its own, so that no other waits for it
//! unless their order says so.

use std::{collections::HashMap, fmt, future::pending, pin::pin};

use futures::future::{Either, select};
use rmcp::model::JsonObject;
use serde_json::Value;
use tokio::{
    sync::mpsc::{self, UnboundedReceiver},
    task::JoinSet,
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{MessageAction, MessageDirection, MessageEnvelope, sending::SendingOrder};
use crate::server::{connection::Connection, transport::load::Bounds};

/// The messages of one connection about which a middleware decides at the moment.
pub(in crate::server::transport) struct PendingMessages {
    tasks: JoinSet<DecidedMessage>,
    /// The requests that wait, by their ids as JSON. Cancelling ends the waiting.
    requests: HashMap<String, CancellationToken>,
    /// How many bytes the waiting messages have together.
    bytes: usize,
    told: FifoLane,
    called: FifoLane,
    /// The answers to the server's own requests that do not leave.
    refused: UnboundedReceiver<JsonObject>,
    /// Whether a middleware decides about anything.
    pub(in crate::server::transport) is_used: bool,
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
pub(super) struct FifoLane(CancellationToken);

impl FifoLane {
    /// Returns the end of the last message in the lane.
    pub(super) fn last(&self) -> CancellationToken {
        self.0.clone()
    }

    /// Adds a message. Returns the end of the one before it, and a guard that ends this one.
    pub(super) fn join(&mut self) -> (CancellationToken, DropGuard) {
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

impl PendingMessages {
    /// Creates this, and the order of what is sent.
    pub(in crate::server::transport) fn new() -> (PendingMessages, SendingOrder) {
        let (refusals, refused) = mpsc::unbounded_channel();
        let pending = PendingMessages {
            tasks: JoinSet::new(),
            requests: HashMap::new(),
            bytes: 0,
            told: FifoLane::default(),
            called: FifoLane::default(),
            refused,
            is_used: false,
        };
        (pending, SendingOrder::new(refusals))
    }

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
            let next = match select(pin!(decided), pin!(self.refused.recv())).await {
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
}

/// Returns the id of the request that a message cancels, as JSON.
fn cancelled(message: &JsonObject) -> Option<String> {
    let id = message.get("params")?.get("requestId")?;
    (!id.is_null()).then(|| Value::to_string(id))
}

pub(super) fn session(connection: &Connection) -> Vec<u8> {
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
