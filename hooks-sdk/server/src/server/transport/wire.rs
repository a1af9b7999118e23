//! The transport for streams of JSON lines. It also carries the members that rmcp's types drop.

use std::{io, ops::ControlFlow, pin::pin, sync::Arc, time::Duration};

use futures::future::{Either, join, select};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, ProtocolVersion,
        ServerJsonRpcMessage, ServerNotification, ServerResult,
    },
    transport::Transport,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::Mutex,
    task::coop::consume_budget,
    time::{Instant, timeout, timeout_at},
};
use tokio_util::sync::CancellationToken;
#[cfg(all(feature = "http", feature = "mcpl"))]
use {bytes::Bytes, futures::stream::BoxStream, tokio::sync::mpsc};

use super::{
    in_flight::{ClientRequestMessage, InFlight, InFlightMark},
    lines::{Lines, MAX_LINE, ReadLine},
    message::{Id, Malformed, answered_by, answers, is_respelt},
    message_decisions::{pending_messages::PendingMessages, sending::SendingOrder},
    outbox::Outbox,
    run::{has_workers, run},
    writer::{LAST_WORDS, MessageWriter, Target},
};
use crate::server::connection::Connection;
use hooks_core::internal::{debugs, setters};

/// How long calls may run after the end of input, unless configured.
const DRAIN: Duration = Duration::from_secs(60);

/// How long calls may still run when the time above is over, as rmcp gives its own (5 seconds).
const AFTER_END: Duration = Duration::from_secs(5);

/// How long calls may still run when the server itself is stopped, as rmcp gives its own (2 seconds).
const AFTER_CANCEL: Duration = Duration::from_secs(2);

/// An rmcp transport for a stream of JSON lines, for servers wrapped in [`Hooked`](crate::server::Hooked).
///
/// It behaves as rmcp's own stream transport: a line has at most 16 MiB, and a malformed message gets an error answer
/// and does not end the connection. It also carries members that rmcp's types drop, such as `capabilities.hooks` of
/// both sides.
///
/// It limits how many requests run at a time. It reports the end of input when every request that it read is answered.
pub struct WireTransport {
    pub(super) lines: Lines,
    pub(super) outbox: Arc<Outbox>,
    flight: InFlight,
    pub(super) asking: PendingMessages,
    /// One side has ended.
    ended: CancellationToken,
    drain: Duration,
    /// When the transport reports the end of input, even if calls still run.
    drained_by: Option<Instant>,
    /// Whether the peer speaks a revision of MCP before 2025-11-25, in which every answer has an `id`, even `null`.
    id_is_due: bool,
    /// Whether the runtime has more threads than one. `None` before the first request: it may be served by another runtime than
    /// the one that made it.
    has_workers: Option<bool>,
}

impl WireTransport {
    /// Creates a transport that reads messages from `read` and writes messages to `write`.
    pub fn new(
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> WireTransport {
        WireTransport::of(Lines::new(read, MAX_LINE), Target::Stream(Box::new(write)))
    }

    /// Creates a transport for a WebSocket: each message is one of its own.
    #[cfg(all(feature = "http", feature = "mcpl"))]
    pub(crate) fn of_messages(
        read: BoxStream<'static, Bytes>,
        write: mpsc::Sender<Vec<u8>>,
    ) -> WireTransport {
        WireTransport::of(Lines::of_messages(read), Target::Messages(write))
    }

    fn of(lines: Lines, to: Target) -> WireTransport {
        let ended = CancellationToken::new();
        let flight = InFlight::default();
        let (order, refused) = SendingOrder::new();
        WireTransport {
            lines,
            outbox: Arc::new(Outbox {
                connection: Connection::new(None),
                load: flight.load.clone(),
                order,
                queued: Arc::default(),
                write: Mutex::new(MessageWriter::new(to, ended.clone())),
            }),
            flight,
            asking: PendingMessages::new(refused),
            ended,
            drain: DRAIN,
            drained_by: None,
            id_is_due: false,
            has_workers: None,
        }
    }

    setters! {
        /// Declares that the stream serves one session of the client. `id` is the client's own id of that session.
        fn client_session(mut self, id: impl Into<String>) {
            // Nothing else has the sending side before the transport is served.
            if let Some(outbox) = Arc::get_mut(&mut self.outbox) {
                outbox.connection = Connection::new(Some(id.into().into()));
            }
        }

        /// Sets how many requests run at a time. The default is 1,024.
        ///
        /// A request counts until it is answered and its handler has dropped its context. Further requests wait. The
        /// transport still reads the answers, notifications and cancellations behind them: it reads ahead up to 256 KiB of
        /// requests, or up to 16 MiB while the server itself waits for an answer of the client. When that is full, the
        /// transport stops reading. If no request ends for 60 seconds, it reads on and refuses further requests with an
        /// error, so that a cancellation can still arrive.
        fn max_requests(mut self, requests: usize) { self.flight.bounds.requests = requests }

        /// Sets how many bytes the running requests may have together. The default is 32 MiB. One request always runs.
        fn max_request_bytes(mut self, bytes: usize) { self.flight.bounds.bytes = bytes }

        /// Sets how long calls may run after the end of input. The default is 60 seconds.
        ///
        /// The transport reports the end to rmcp when every call is answered, or after this time. The SDK logs how many
        /// calls still run then. rmcp gives them 5 seconds more.
        fn drain_timeout(mut self, longest: Duration) { self.drain = longest }
    }

    /// Declares that the stream is a WebSocket, and who sends its every message.
    #[cfg(all(feature = "http", feature = "mcpl"))]
    pub(crate) fn sent_by(self, sender: Option<crate::http::Principal>) -> WireTransport {
        self.outbox.connection.over_http.set();
        if let Some(sender) = sender {
            self.outbox.connection.is_sent_by(sender);
        }
        self
    }

    /// Stops sending requests to the client.
    fn end(&mut self) {
        let connection = &self.outbox.connection;
        self.outbox.load.forget_asked(|id| connection.settles(id));
        self.outbox.connection.close();
        self.ended.cancel();
    }

    /// Ends the input. Requests that were read are still answered.
    fn end_input(&mut self) {
        self.end();
        self.drained_by = Some(Instant::now() + self.drain);
    }

    /// Waits for the next thing to do after the end of input. Returns errors for rmcp in place of the client's answers, then the
    /// end, and nothing while requests that were held back may run.
    async fn drained(&mut self, by: Instant) -> ControlFlow<Option<ClientJsonRpcMessage>> {
        if let Some(id) = self.outbox.load.next_asked() {
            let error = ErrorData::internal_error("the client has ended its side", None);
            return ControlFlow::Break(Some(JsonRpcMessage::error(error, Some(id))));
        }
        let all = async {
            join(self.flight.all_answered(), self.outbox.queued.none()).await;
        };
        let room = self.flight.room_to_run();
        let done = async { matches!(select(pin!(room), pin!(all)).await, Either::Right(_)) };
        match timeout_at(by, done).await {
            Ok(true) => {}
            Ok(false) => return ControlFlow::Continue(()),
            Err(_) => {
                let (unanswered, seconds) = (self.flight.unanswered(), self.drain.as_secs_f32());
                warn!(
                    unanswered,
                    seconds,
                    "requests are given up: they were not answered in time after the end of input"
                );
            }
        }
        ControlFlow::Break(None)
    }

    fn next_held(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let (request, mark) = self.flight.next_held()?;
            if let Some(message) = self.begin(request, mark) {
                return Some(message);
            }
        }
    }

    /// Runs a request. Before the handshake, returns it for rmcp.
    fn begin(
        &mut self,
        mut message: ClientRequestMessage,
        mark: InFlightMark,
    ) -> Option<ClientJsonRpcMessage> {
        let connection = &self.outbox.connection;
        connection.marks(&mut message.request, mark.clone());
        let Some((service, peer)) = connection.served() else {
            return Some(JsonRpcMessage::Request(message));
        };
        let has_workers = *self.has_workers.get_or_insert_with(has_workers);
        run(service, peer, &self.outbox, message, mark, has_workers);
        None
    }

    /// Returns the message for rmcp. Returns `None` if the message is held back or refused.
    pub(super) fn admit(
        &mut self,
        message: ClientJsonRpcMessage,
        length: usize,
    ) -> Option<ClientJsonRpcMessage> {
        let JsonRpcMessage::Request(request) = message else {
            return self.hears(message);
        };
        match self.flight.admit(request, length) {
            Ok(Some((request, mark))) => self.begin(request, mark),
            Ok(None) => None,
            Err((error, id)) => {
                warn!(%id, error = %error.message, "a request is refused");
                let id = Some(Id::from(id));
                self.refuse(Malformed { error, id });
                None
            }
        }
    }

    /// Takes an answer or a notification. Returns what of it is for rmcp.
    fn hears(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        if let Some(id) = answers(&message) {
            self.outbox.load.told(id);
            self.outbox.connection.clocks.told(id);
        }
        if let JsonRpcMessage::Notification(told) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &told.notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.flight.cancelled(id);
        }
        self.outbox.connection.call_peers.progressed(message)
    }

    /// Reads the message on a line. Returns `None` for a message that rmcp must not see.
    pub(super) fn read(&self, line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Malformed> {
        let connection = &self.outbox.connection;
        let Some(read) = connection.read(line, |id| connection.settles(id))? else {
            return Ok(None);
        };
        // Its id is not written as the server wrote it.
        if answers(&read.message).is_some_and(|id| is_respelt(id, line)) {
            warn!("an answer is dropped: no request of the server has its id");
            return Ok(None);
        }
        Ok(connection.inbound(read))
    }

    /// Answers a message that is too long. If the message is an answer, returns an error for the request that waits.
    fn too_long(&mut self) -> Option<ClientJsonRpcMessage> {
        let message =
            format!("the message is longer than {MAX_LINE} bytes; send less in one message");
        let error = ErrorData::invalid_request(message, None);
        let answered = answered_by(&self.lines.beginning());
        if let Some(id) = answered.filter(|id| self.outbox.load.told(id)) {
            return Some(JsonRpcMessage::error(error, Some(id)));
        }
        self.refuse(Malformed { error, id: None });
        None
    }

    /// Answers a message that rmcp cannot read as a request.
    ///
    /// A task of its own writes the answer. rmcp may drop `receive` while it waits for a slow reader, and half of the
    /// answer would be missing.
    pub(super) fn refuse(&self, malformed: Malformed) {
        self.outbox.send_text(malformed.answer(self.id_is_due));
    }
}

impl Transport<RoleServer> for WireTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        if let JsonRpcMessage::Response(response) = &item
            && let ServerResult::InitializeResult(result) = &response.result
        {
            let since = ProtocolVersion::V_2025_11_25;
            self.id_is_due = result.protocol_version.as_str() < since.as_str();
        }
        let load = &self.outbox.load;
        if let Some(id) = answers(&item) {
            load.answered(id, None);
        }
        match &item {
            JsonRpcMessage::Request(request) => {
                load.asks(request.id.clone());
                // A middleware may refuse it, and `receive` then returns the answer.
                self.asking.is_used = true;
            }
            JsonRpcMessage::Notification(notification) => {
                if let ServerNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    load.told(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        self.outbox.send(item)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // rmcp's loop has other work, and must get to it however many requests have arrived.
            consume_budget().await;
            self.outbox.connection.hears_first();
            if let Some(message) = self.next_held() {
                return Some(message);
            }
            if let Some(by) = self.drained_by {
                if self.asking.is_idle() {
                    match self.drained(by).await {
                        ControlFlow::Break(message) => return message,
                        ControlFlow::Continue(()) => continue,
                    }
                }
                match timeout_at(by, self.asking.next()).await {
                    Ok(event) => {
                        if let Some(message) = self.happened(event) {
                            return Some(message);
                        }
                    }
                    Err(_) => self.give_up_asking(),
                }
                continue;
            }
            if !self.outbox.queued.is_short().await {
                error!("the peer sends requests and reads no answers; it is given up");
                self.end();
                return None;
            }
            self.flight.room_to_read().await;
            let may_read = !self.asking.is_full(self.flight.bounds);
            let line = tokio::select! {
                biased;
                line = self.lines.next(), if may_read => line,
                () = self.flight.room_to_run() => continue,
                event = self.asking.next() => match self.happened(event) {
                    Some(message) => return Some(message),
                    None => continue,
                },
            };
            match line {
                Ok(ReadLine::Whole) => {}
                Ok(ReadLine::TooLong) => match self.too_long() {
                    Some(message) => return Some(message),
                    None => continue,
                },
                ended => {
                    if let Err(error) = ended {
                        error!(%error, "the stream cannot be read");
                    }
                    self.end_input();
                    continue;
                }
            }
            let line = self.lines.line();
            let length = line.len();
            let read = match self.outbox.connection.filter().cloned() {
                _ if line.trim_ascii().is_empty() => Ok(None),
                Some(filter) => self.arrives(&filter),
                None => self.read(line),
            };
            self.lines.clear();
            match read {
                Ok(Some(message)) => {
                    if let Some(message) = self.admit(message, length) {
                        return Some(message);
                    }
                }
                Ok(None) => {}
                Err(malformed) => self.refuse(malformed),
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        if self.outbox.connection.served().is_some() {
            let longest = match self.drained_by {
                Some(_) => AFTER_END,
                None => AFTER_CANCEL,
            };
            _ = timeout(longest, self.flight.all_answered()).await;
            self.outbox.load.cancel_all();
        }
        self.end();
        // After this, the process may end.
        self.outbox.connection.finished().await;
        _ = timeout(LAST_WORDS, self.outbox.queued.none()).await;
        self.outbox.write.lock().await.close().await
    }
}

debugs!(WireTransport {});
