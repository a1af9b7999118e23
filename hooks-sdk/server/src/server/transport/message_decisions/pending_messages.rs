//! The messages of a stream about which a middleware decides. Each waits in a task of its own, so that no other waits for it
//! unless their order says so.

use std::{collections::VecDeque, future::pending};

use rmcp::{
    ErrorData,
    model::{ClientJsonRpcMessage, GetExtensions, JsonObject, JsonRpcMessage},
};
use tokio::{
    sync::mpsc::UnboundedReceiver,
    task::{AbortHandle, Id as TaskId, JoinError, JoinSet},
};

use super::{
    MessageAction, MessageDirection, MessageFilter, PassedTransport, decision::MessageEnvelope,
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
pub(crate) struct PendingMessages {
    tasks: JoinSet<MessageAction>,
    /// The messages that have not gone on, in the order in which they arrived.
    waiting: VecDeque<WaitingMessage>,
    /// How many bytes the waiting messages have together.
    bytes: usize,
    /// The answers to the server's own requests that do not leave.
    refused: UnboundedReceiver<JsonObject>,
    /// Whether a middleware decides about anything.
    pub(crate) is_used: bool,
}

struct WaitingMessage {
    /// The message as the middleware sees it.
    line: Vec<u8>,
    /// The id of a request, as JSON.
    id: Option<String>,
    is_notification: bool,
    is_call: bool,
    task: AbortHandle,
    /// What becomes of it, once that is decided.
    action: Option<MessageAction>,
}

impl PendingMessages {
    pub(crate) fn new(refused: UnboundedReceiver<JsonObject>) -> PendingMessages {
        PendingMessages {
            tasks: JoinSet::new(),
            waiting: VecDeque::new(),
            bytes: 0,
            refused,
            is_used: false,
        }
    }

    /// Takes a message that arrived. Returns its line if it goes on at once, and `None` if a middleware decides about it, or if it
    /// has ended the waiting of another one.
    fn begin(
        &mut self,
        message: JsonObject,
        line: Vec<u8>,
        decider: &MessageFilter,
        connection: &Connection,
    ) -> Option<Vec<u8>> {
        self.is_used = true;
        let envelope = MessageEnvelope::of(&message);
        let id = envelope.id.as_ref().map(ToString::to_string);
        if envelope.is_exempt(MessageDirection::Server) {
            let is_cancelled = id.is_none() && self.cancel(&message);
            return (!is_cancelled).then_some(line);
        }
        if !decider.decides(MessageDirection::Server) {
            return Some(line);
        }
        let method = envelope.method.as_deref();
        let (decider, session) = (decider.clone(), session(connection));
        self.bytes += line.len();
        self.waiting.push_back(WaitingMessage {
            line,
            is_notification: method.is_some() && id.is_none(),
            is_call: method == Some("tools/call") && id.is_some(),
            id: id.filter(|_| method.is_some()),
            task: self.tasks.spawn(async move {
                let toward = MessageDirection::Server;
                decider.decide(toward, message, &session).await
            }),
            action: None,
        });
        None
    }

    /// Ends the waiting of the request that a message cancels. No answer is due to it then. Returns whether it waits.
    fn cancel(&mut self, message: &JsonObject) -> bool {
        let id = message
            .get("params")
            .and_then(|params| params.get("requestId"));
        let id = id.filter(|id| !id.is_null()).map(ToString::to_string);
        let mut is_waiting = false;
        // A client may have used the id twice by a mistake.
        for waiting in &mut self.waiting {
            if id.is_some() && waiting.id == id {
                waiting.task.abort();
                waiting.action = Some(MessageAction::Dropped);
                is_waiting = true;
            }
        }
        is_waiting
    }

    /// Returns whether nothing waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns whether so much waits that no further line is to be read.
    pub(crate) fn is_full(&self, bounds: Bounds) -> bool {
        self.waiting.len() >= bounds.requests || self.bytes >= bounds.bytes
    }

    /// Waits for the next message that is decided, and returns its line and what becomes of it. The answer to a request of the
    /// server that did not leave goes on, too. The caller may drop the future without loss.
    pub(crate) async fn next(&mut self) -> (Vec<u8>, MessageAction) {
        if !self.is_used {
            return pending().await;
        }
        loop {
            if let Some(decided) = self.first() {
                return decided;
            }
            tokio::select! {
                biased;
                Some(decided) = self.tasks.join_next_with_id() => self.decided(decided),
                refused = self.refused.recv() => if let Some(answer) = refused {
                    return (bytes(&answer), MessageAction::On);
                },
            }
        }
    }

    /// Takes the first message that may go on.
    ///
    /// Notifications go on in their order, and so do calls of tools. Any other message waits only for the notifications
    /// before it.
    fn first(&mut self) -> Option<(Vec<u8>, MessageAction)> {
        let (mut is_told, mut is_called) = (false, false);
        let at = self.waiting.iter().position(|waiting| {
            let is_held = is_told || is_called && waiting.is_call;
            is_told |= waiting.is_notification;
            is_called |= waiting.is_call;
            waiting.action.is_some() && !is_held
        })?;
        let waiting = self.waiting.remove(at)?;
        self.bytes -= waiting.line.len();
        Some((waiting.line, waiting.action?))
    }

    /// Keeps what becomes of the message of a task that has ended.
    fn decided(&mut self, decided: Result<(TaskId, MessageAction), JoinError>) {
        let id = match &decided {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        let mut waiting = self.waiting.iter_mut();
        let Some(waiting) = waiting.find(|waiting| waiting.task.id() == id) else {
            return;
        };
        waiting.action.get_or_insert_with(|| match decided {
            Ok((_, action)) => action,
            Err(error) => {
                error!(%error, "a message does not go on: the task that decided about it failed");
                let message = serde_json::from_slice(&waiting.line).unwrap_or_default();
                let text = "the server failed while it decided about the message; its log says why";
                MessageEnvelope::of(&message).refused(MessageDirection::Server, text, None)
            }
        });
    }
}

impl WireTransport {
    /// Reads a line that arrived. Returns `None` if a middleware decides about it first.
    /// Returns the answer to a line that cannot be read.
    pub(crate) fn arrives(
        &mut self,
        filter: &MessageFilter,
    ) -> Result<Option<ClientJsonRpcMessage>, Malformed> {
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
    pub(crate) fn happened(
        &mut self,
        (line, action): (Vec<u8>, MessageAction),
    ) -> Option<ClientJsonRpcMessage> {
        match action {
            MessageAction::On => self.goes_on(&line).unwrap_or_else(|malformed| {
                self.refuse(malformed);
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
    fn goes_on(&mut self, line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Malformed> {
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
    ) -> Option<ClientJsonRpcMessage> {
        let text = format!(
            "the guardian of this server changed the message, and the change cannot be used: {}",
            error.message
        );
        warn!("{text}");
        match MessageEnvelope::of(changed).refused(MessageDirection::Server, &text, None) {
            MessageAction::Answered(answer) => self.outbox.send_text(bytes(&answer)),
            MessageAction::As(answer) => return self.goes_on(&bytes(&answer)).ok().flatten(),
            MessageAction::On | MessageAction::Dropped => {}
        }
        None
    }

    /// Gives up the messages about which nobody has decided by the end of the connection.
    pub(crate) fn give_up_asking(&mut self) {
        let undecided = self.asking.waiting.len();
        self.asking.tasks = JoinSet::new();
        self.asking.waiting.clear();
        self.asking.bytes = 0;
        warn!(
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
pub(crate) fn seen(mut message: ClientJsonRpcMessage) -> ClientJsonRpcMessage {
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
        None => connection.number.to_be_bytes().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::transport::message_decisions::sending::SendingOrder;

    fn waiting(
        line: &str,
        task: AbortHandle,
        is_notification: bool,
        is_call: bool,
    ) -> WaitingMessage {
        WaitingMessage {
            line: line.into(),
            id: None,
            is_notification,
            is_call,
            task,
            action: None,
        }
    }

    #[tokio::test]
    async fn a_message_whose_task_fails_is_answered_and_gives_back_what_it_held() {
        let (_order, refused) = SendingOrder::new();
        let mut pending = PendingMessages::new(refused);
        let task = pending.tasks.spawn(async { panic!("a decision") });
        let line = r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
        (pending.bytes, pending.is_used) = (line.len(), true);
        pending.waiting.push_back(waiting(line, task, false, false));
        let (_, MessageAction::Answered(answer)) = pending.next().await else {
            panic!("the client waits for an answer")
        };
        assert_eq!(answer["id"], 1);
        assert!(pending.is_idle());
        assert_eq!(pending.bytes, 0);
    }

    #[tokio::test]
    async fn notifications_and_calls_keep_their_order_and_others_wait_for_notifications_only() {
        let (_order, refused) = SendingOrder::new();
        let mut pending = PendingMessages::new(refused);
        pending.is_used = true;
        for (line, is_notification, is_call) in [
            ("call 1", false, true),
            ("list 1", false, false),
            ("told", true, false),
            ("call 2", false, true),
            ("list 2", false, false),
        ] {
            let task = pending.tasks.spawn(std::future::pending());
            pending.bytes += line.len();
            pending
                .waiting
                .push_back(waiting(line, task, is_notification, is_call));
        }
        let mut gone = Vec::new();
        // What was decided last may go on last.
        for at in ["list 2", "call 2", "list 1", "told", "call 1"] {
            let mut all = pending.waiting.iter_mut();
            let waiting = all.find(|waiting| waiting.line == at.as_bytes()).unwrap();
            waiting.action = Some(MessageAction::On);
            let first = std::iter::from_fn(|| pending.first());
            gone.extend(first.map(|(line, _)| String::from_utf8(line).unwrap()));
        }
        assert_eq!(gone, ["list 1", "told", "list 2", "call 1", "call 2"]);
    }
}
