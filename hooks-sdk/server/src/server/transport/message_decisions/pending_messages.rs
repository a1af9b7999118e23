//! The messages of a stream about which a middleware decides. Each waits in a task of its own, so that no other waits for it
//! unless their order says so.

use std::{collections::HashMap, future::pending, pin::pin};

use futures::future::{Either, select};
use rmcp::{
    ErrorData, RoleServer,
    model::{GetExtensions, JsonObject, JsonRpcMessage},
    service::RxJsonRpcMessage,
};
use tokio::{
    sync::mpsc::UnboundedReceiver,
    task::{self, JoinError, JoinSet},
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    MessageAction, MessageDirection, MessageFilter, PassedTransport, decision::MessageEnvelope,
    sending::FifoLane,
};
use crate::server::{
    connection::Connection,
    transport::{
        WireTransport,
        in_flight::Bounds,
        message::{Id, Malformed},
        read::{WantedMembers, read},
    },
};

/// The messages of one connection about which a middleware decides at the moment.
pub(in crate::server::transport) struct PendingMessages {
    tasks: JoinSet<Decided>,
    /// The messages about which the tasks decide.
    waiting: HashMap<task::Id, WaitingMessage>,
    /// How many bytes the waiting messages have together.
    bytes: usize,
    told: FifoLane,
    called: FifoLane,
    /// The answers to the server's own requests that do not leave.
    refused: UnboundedReceiver<JsonObject>,
    /// Whether a middleware decides about anything.
    pub(in crate::server::transport) is_used: bool,
}

/// What becomes of a message, and its place in its order. The place is held until the message has gone on.
type Decided = (MessageAction, Option<DropGuard>);

struct WaitingMessage {
    /// The message as the middleware sees it.
    line: Vec<u8>,
    /// The id of a request, as JSON.
    id: Option<String>,
    /// Ends the waiting of a request. No answer is due to it then.
    cancelled: CancellationToken,
}

/// What happened to a message that waited.
pub(in crate::server::transport) enum Event {
    /// This line is decided.
    Decided(Vec<u8>, Decided),
    /// The server's own request did not leave. This is its answer.
    Refused(JsonObject),
}

impl PendingMessages {
    pub(in crate::server::transport) fn new(
        refused: UnboundedReceiver<JsonObject>,
    ) -> PendingMessages {
        PendingMessages {
            tasks: JoinSet::new(),
            waiting: HashMap::new(),
            bytes: 0,
            told: FifoLane::default(),
            called: FifoLane::default(),
            refused,
            is_used: false,
        }
    }

    /// Takes a message that arrived. Returns its line if it goes on at once, and `None` if a middleware decides about it, or if it
    /// has ended the waiting of another one.
    ///
    /// Notifications go on in their order, and so do calls of tools. Any other message waits only for the notifications
    /// before it.
    fn begin(
        &mut self,
        message: JsonObject,
        line: Vec<u8>,
        decider: &MessageFilter,
        connection: &Connection,
    ) -> Option<Vec<u8>> {
        self.is_used = true;
        let envelope = MessageEnvelope::of(&message);
        let id = envelope.id();
        if envelope.is_exempt(MessageDirection::Server) {
            let is_cancelled = id.is_none() && self.cancel(&message);
            return (!is_cancelled).then_some(line);
        }
        if !decider.decides(MessageDirection::Server) {
            return Some(line);
        }
        let mut before = vec![self.told.last()];
        let place = match (envelope.method.as_deref(), &id) {
            (Some(_), None) => Some(self.told.join().1),
            (Some("tools/call"), Some(_)) => {
                let (earlier, place) = self.called.join();
                before.push(earlier);
                Some(place)
            }
            _ => None,
        };
        let cancelled = CancellationToken::new();
        let (ended, decider, session) = (cancelled.clone(), decider.clone(), session(connection));
        let task = self.tasks.spawn(async move {
            let deciding = pin!(decider.decide(MessageDirection::Server, message, &session));
            let action = match select(deciding, pin!(ended.cancelled())).await {
                Either::Left((action, _)) => action,
                Either::Right(_) => MessageAction::Dropped,
            };
            for before in before {
                before.cancelled().await;
            }
            (action, place)
        });
        self.bytes += line.len();
        let id = id.filter(|_| envelope.method.is_some());
        let waiting = WaitingMessage {
            line,
            id,
            cancelled,
        };
        self.waiting.insert(task.id(), waiting);
        None
    }

    /// Ends the waiting of the request that a message cancels. Returns whether it waits.
    fn cancel(&self, message: &JsonObject) -> bool {
        let id = message
            .get("params")
            .and_then(|params| params.get("requestId"));
        let id = id.filter(|id| !id.is_null()).map(ToString::to_string);
        let mut is_waiting = false;
        // A client may have used the id twice by a mistake.
        for waiting in self.waiting.values() {
            if id.is_some() && waiting.id == id {
                waiting.cancelled.cancel();
                is_waiting = true;
            }
        }
        is_waiting
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
                match tasks.join_next_with_id().await {
                    Some(decided) => decided,
                    None => pending().await,
                }
            };
            let decided = match select(pin!(decided), pin!(self.refused.recv())).await {
                Either::Left((decided, _)) => decided,
                Either::Right((Some(answer), _)) => return Event::Refused(answer),
                Either::Right((None, _)) => continue,
            };
            if let Some(event) = self.settled(decided) {
                return event;
            }
        }
    }

    /// Returns what becomes of the message of a task that has ended.
    fn settled(&mut self, decided: Result<(task::Id, Decided), JoinError>) -> Option<Event> {
        let id = match &decided {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        let waiting = self.waiting.remove(&id)?;
        self.bytes -= waiting.line.len();
        let (action, place) = match decided {
            _ if waiting.cancelled.is_cancelled() => (MessageAction::Dropped, None),
            Ok((_, decided)) => decided,
            Err(error) => {
                tracing::error!(
                    target: "hooks_sdk::server",
                    %error, "a message does not go on: the task that decided about it failed"
                );
                let message = serde_json::from_slice(&waiting.line).unwrap_or_default();
                let text = "the server failed while it decided about the message; its log says why";
                let envelope = MessageEnvelope::of(&message);
                (envelope.refused(MessageDirection::Server, text, None), None)
            }
        };
        Some(Event::Decided(waiting.line, (action, place)))
    }
}

impl WireTransport {
    /// Reads a line that arrived. Returns `None` if a middleware decides about it first.
    ///
    /// # Errors
    ///
    /// Returns the answer to a line that cannot be read.
    pub(in crate::server::transport) fn arrives(
        &mut self,
        filter: &MessageFilter,
    ) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Malformed> {
        let (line, connection) = (self.lines.line(), &self.outbox.connection);
        let message = serde_json::from_slice::<JsonObject>(line);
        // What the middleware sees is what the server reads: of two members with one name, only the last.
        let shown = message.and_then(|message| Ok((serde_json::to_vec(&message)?, message)));
        let Ok((shown, message)) = shown else {
            return Err(unreadable(line));
        };
        match self.asking.begin(message, shown, filter, connection) {
            Some(line) => Ok(self.read(&line)?.map(seen)),
            None => Ok(None),
        }
    }

    /// Returns the message that goes on. Returns `None` if it is held back, answered or dropped.
    pub(in crate::server::transport) fn happened(
        &mut self,
        event: Event,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        let (line, action, _place) = match event {
            Event::Decided(line, (action, place)) => (line, action, place),
            Event::Refused(answer) => return self.goes_on(&bytes(&answer)).ok().flatten(),
        };
        match action {
            MessageAction::On => self.goes_on(&line).unwrap_or_else(|malformed| {
                self.refuse(malformed.error, malformed.id);
                None
            }),
            MessageAction::As(changed) => match self.goes_on(&bytes(&changed)) {
                Ok(message) => message,
                Err(malformed) => self.unusable(&changed, &malformed.error),
            },
            MessageAction::Answered(answer) => {
                self.outbox.send_text(bytes(&answer));
                None
            }
            MessageAction::Dropped => None,
        }
    }

    /// Reads a message, and admits it.
    fn goes_on(&mut self, line: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Malformed> {
        let Some(message) = self.read(line)? else {
            return Ok(None);
        };
        Ok(self.admit(seen(message), line.len()))
    }

    /// Stops a message because what a middleware made of it cannot be read.
    fn unusable(
        &mut self,
        changed: &JsonObject,
        error: &ErrorData,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        let text = format!(
            "the guardian of this server changed the message, and the change cannot be used: {}",
            error.message
        );
        tracing::warn!(target: "hooks_sdk::server", "{text}");
        match MessageEnvelope::of(changed).refused(MessageDirection::Server, &text, None) {
            MessageAction::Answered(answer) => self.outbox.send_text(bytes(&answer)),
            MessageAction::As(answer) => return self.goes_on(&bytes(&answer)).ok().flatten(),
            MessageAction::On | MessageAction::Dropped => {}
        }
        None
    }

    /// Gives up the messages about which nobody has decided by the end of the connection.
    pub(in crate::server::transport) fn give_up_asking(&mut self) {
        let undecided = self.asking.tasks.len();
        self.asking.tasks = JoinSet::new();
        self.asking.waiting.clear();
        self.asking.bytes = 0;
        tracing::warn!(
            target: "hooks_sdk::server",
            undecided,
            "messages are given up: nobody decided about them in time after the end of input"
        );
    }
}

/// Returns why a line is refused that no middleware can read.
fn unreadable(line: &[u8]) -> Malformed {
    let wanted = WantedMembers {
        of_a_call: &[],
        whole_result: &|_| false,
    };
    match read(line, &wanted) {
        Err(malformed) => malformed,
        Ok(_) => Malformed {
            error: ErrorData::invalid_request(
                "the message cannot be shown to the guardian of this server: it is nested too deep, or has a number \
                 that is too large",
                None,
            ),
            id: Id::on(line),
        },
    }
}

/// Marks a message that passed the transport where a middleware could decide about it, and about its answer.
pub(in crate::server::transport) fn seen(
    mut message: RxJsonRpcMessage<RoleServer>,
) -> RxJsonRpcMessage<RoleServer> {
    let extensions = match &mut message {
        JsonRpcMessage::Request(request) => request.request.extensions_mut(),
        JsonRpcMessage::Notification(told) => told.notification.extensions_mut(),
        JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => return message,
    };
    extensions.insert(PassedTransport);
    message
}

fn bytes(message: &JsonObject) -> Vec<u8> {
    // An object of JSON is always text.
    serde_json::to_vec(message).unwrap_or_default()
}

pub(super) fn session(connection: &Connection) -> Vec<u8> {
    match connection.client_session() {
        Some(id) => id.into(),
        None => connection.number().to_be_bytes().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::transport::message_decisions::sending::SendingOrder;

    #[tokio::test]
    async fn a_message_whose_task_fails_is_answered_and_gives_back_what_it_held() {
        let (_order, refused) = SendingOrder::new();
        let mut pending = PendingMessages::new(refused);
        let task = pending.tasks.spawn(async { panic!("a decision") });
        let line = br#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#.to_vec();
        (pending.bytes, pending.is_used) = (line.len(), true);
        let waiting = WaitingMessage {
            line,
            id: Some("1".to_owned()),
            cancelled: CancellationToken::new(),
        };
        pending.waiting.insert(task.id(), waiting);
        let Event::Decided(_, (MessageAction::Answered(answer), None)) = pending.next().await
        else {
            panic!("the client waits for an answer")
        };
        assert_eq!(answer["id"], 1);
        assert!(pending.waiting.is_empty() && pending.is_idle());
        assert_eq!(pending.bytes, 0);
    }
}
