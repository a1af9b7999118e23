//! WebSockets: each connection is one session of a client, as it is on standard input and output.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{
        FromRequestParts,
        ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code},
    },
    response::IntoResponse,
    routing::any,
};
use bytes::Bytes;
use futures::{
    SinkExt, StreamExt,
    future::{Either, join, pending, select},
    stream::{SplitSink, SplitStream},
};
use http::{Request, Response};
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc},
    time::{MissedTickBehavior, interval, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    Server, TransportSettings,
    pipeline::{EntryChecks, end_of},
    running::READY,
};
use crate::{
    http::Principal,
    server::{HookedService, WireTransport},
};
use hooks_http::{error::HttpError, probe::ALIVE, refusal::HttpRefusal, settings::check_path};

/// The path for a server that speaks MCPL, unless configured.
const DEFAULT: &str = "/mcpl";

/// The subprotocols that a client may name. MCP's official clients name `mcp`.
const PROTOCOLS: [&str; 2] = ["mcp", "mcpl"];

/// How many pings in a row a client may leave unanswered. Then the connection is closed.
const UNANSWERED_PINGS: u32 = 3;

/// How many messages of each direction are read ahead.
const AHEAD: usize = 1;

impl Server {
    /// Sets the path of WebSockets (MCPL 0.5 §4.2). Default: `/mcpl` for a server that speaks MCPL, and none for others.
    ///
    /// Each connection is one session. A message is one text frame. The checks and limits of the other paths hold: hosts,
    /// origins, tokens, principals, `max_body` for each message, and `max_sessions` for the open connections. A client that
    /// cannot set a header sends its token as `?token=…`. The client has the time of `body_timeout` for its handshake. The
    /// server sends a ping in each interval of `keep_alive`, and closes the connection when three in a row stay unanswered.
    pub fn websocket_path(mut self, path: impl Into<String>) -> Server {
        self.settings.websocket_path = Some(path.into());
        self
    }
}

impl TransportSettings {
    /// Returns the path of WebSockets, if the server has one.
    ///
    /// # Errors
    ///
    /// The author's path is no path, or something else has it.
    pub(super) fn websocket_path(
        &self,
        hooked: &HookedService,
    ) -> Result<Option<String>, HttpError> {
        let taken = [ALIVE, READY, &*self.path].into_iter();
        #[cfg(feature = "guardian-server")]
        let taken = taken.chain(self.guardians.iter().map(|(path, _)| &**path));
        let card = self.card_path();
        let taken = taken.chain(card.as_deref());
        let taken: Vec<&str> = taken.collect();
        if let Some(path) = &self.websocket_path {
            check_path(path, DEFAULT, &taken)?;
            return Ok(Some(path.clone()));
        }
        let is_default = hooked.speaks_mcpl() && !taken.contains(&DEFAULT);
        Ok(is_default.then(|| DEFAULT.to_owned()))
    }
}

/// The WebSockets of a server.
struct WebSockets {
    hooked: HookedService,
    pipeline: Arc<EntryChecks>,
}

/// Adds the path of WebSockets to the routes.
pub(super) fn mounted(
    router: Router,
    path: &str,
    hooked: HookedService,
    pipeline: &Arc<EntryChecks>,
) -> Router {
    let pipeline = pipeline.clone();
    let sockets = Arc::new(WebSockets { hooked, pipeline });
    let answer = move |request: Request<Body>| async move {
        let method = request.method().clone();
        match sockets.answer(request).await {
            Ok(response) => response,
            Err(refusal) => {
                tracing::debug!(
                    target: "hooks_sdk::http",
                    status = %refusal.status(), "a WebSocket was refused"
                );
                refusal.response(&method)
            }
        }
    };
    router.route(path, any(answer))
}

impl WebSockets {
    /// Checks who asks, and lets the hooks of HTTP see the request. Then the connection becomes a WebSocket.
    async fn answer(
        self: Arc<Self>,
        request: Request<Body>,
    ) -> Result<Response<Body>, HttpRefusal> {
        let (mut parts, body) = request.into_parts();
        let (place, lasts) = self.pipeline.admits_socket(&mut parts).await?;
        let sockets = self.clone();
        let upgrade = |request| sockets.upgraded(request, place, lasts);
        let request = Request::from_parts(parts, body);
        Ok(self.pipeline.hooked(request, upgrade).await)
    }

    async fn upgraded(
        self: Arc<Self>,
        request: Request<Body>,
        place: OwnedSemaphorePermit,
        lasts: Option<Duration>,
    ) -> Response<Body> {
        let (mut parts, _) = request.into_parts();
        let upgrade = match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
            Ok(upgrade) => upgrade,
            Err(rejection) => return rejection.into_response(),
        };
        let principal = parts.extensions.get::<Principal>().cloned();
        let upgrade = upgrade
            .protocols(PROTOCOLS)
            .max_message_size(self.pipeline.settings.body.bytes)
            .max_frame_size(self.pipeline.settings.body.bytes);
        let open = self.pipeline.sockets.clone();
        upgrade.on_upgrade(move |socket| {
            open.track_future(async move {
                let end = self.pipeline.end.clone();
                // It closes at the end of its token, as it does where the server stops.
                let closing = self.pipeline.stopping.child_token();
                let served = pin!(self.serve(socket, principal, closing.clone()));
                let expiry = pin!(async {
                    end_of(lasts.map(sleep)).await;
                    closing.cancel();
                    pending::<()>().await;
                });
                _ = end.run_until_cancelled(select(served, expiry)).await;
                drop(place);
            })
        })
    }

    async fn serve(
        &self,
        socket: WebSocket,
        principal: Option<Principal>,
        stopping: CancellationToken,
    ) {
        let (to_server, from_client) = mpsc::channel(AHEAD);
        let (to_client, from_server) = mpsc::channel(AHEAD);
        let transport = WireTransport::of_messages(from_client, to_client)
            .sent_by(principal)
            .drain_timeout(self.pipeline.settings.drain);
        let session = async {
            let serving = self.hooked.clone().serve(transport);
            match timeout(self.pipeline.settings.body.time, serving).await {
                Ok(Ok(running)) => _ = running.waiting().await,
                Ok(Err(error)) => tracing::debug!(
                    target: "hooks_sdk::http",
                    %error, "a WebSocket had no handshake"
                ),
                Err(_) => tracing::debug!(
                    target: "hooks_sdk::http",
                    "a WebSocket had no handshake in time"
                ),
            }
        };
        join(
            session,
            self.carry(socket, to_server, from_server, stopping),
        )
        .await;
    }

    /// Carries messages between the socket and the transport, until the transport has ended.
    async fn carry(
        &self,
        socket: WebSocket,
        to_server: mpsc::Sender<Bytes>,
        from_server: mpsc::Receiver<Vec<u8>>,
        stopping: CancellationToken,
    ) {
        let (to_client, from_client) = socket.split();
        let state = SocketState::default();
        let receiving = async {
            let receiving = receive(from_client, to_server, &state);
            // Then the transport answers the calls that run, and ends.
            _ = stopping.run_until_cancelled(receiving).await;
            pending::<()>().await;
        };
        let sending = self.send(from_server, to_client, &state, &stopping);
        select(pin!(receiving), pin!(sending)).await;
    }

    /// Sends each message of the transport, and pings between them.
    async fn send(
        &self,
        mut from_server: mpsc::Receiver<Vec<u8>>,
        mut to_client: SplitSink<WebSocket, Message>,
        state: &SocketState,
        stopping: &CancellationToken,
    ) {
        let mut pings = interval(self.pipeline.settings.keep_alive);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let next = match select(pin!(from_server.recv()), pin!(pings.tick())).await {
                Either::Left((message, _)) => Some(message),
                Either::Right(_) => None,
            };
            let message = match next {
                Some(None) => break,
                Some(Some(message)) => match String::from_utf8(message) {
                    Ok(text) => Message::text(text),
                    Err(_) => continue,
                },
                None if state.is_gone() => {
                    tracing::debug!(
                        target: "hooks_sdk::http",
                        "a WebSocket that answers no ping is closed"
                    );
                    return;
                }
                None => Message::Ping(Bytes::new()),
            };
            match timeout(
                self.pipeline.settings.write_timeout,
                to_client.send(message),
            )
            .await
            {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return,
            }
        }
        let code = match state.is_broken.load(Ordering::Relaxed) {
            _ if stopping.is_cancelled() => close_code::AWAY,
            true => close_code::SIZE,
            false => close_code::NORMAL,
        };
        let close = CloseFrame {
            code,
            reason: "".into(),
        };
        let closing = to_client.send(Message::Close(Some(close)));
        _ = timeout(self.pipeline.settings.write_timeout, closing).await;
    }
}

/// What the two directions of a connection tell each other.
#[derive(Default)]
struct SocketState {
    /// The pings since the client was last heard.
    unanswered: AtomicU32,
    /// Whether a message of the client waits for the server. Nothing more of the client is read then.
    is_busy: AtomicBool,
    /// Whether the client has sent something that is no message, or one that is too large.
    is_broken: AtomicBool,
}

impl SocketState {
    /// Counts a ping. Returns whether the client has left too many unanswered.
    fn is_gone(&self) -> bool {
        let unanswered = self.unanswered.fetch_add(1, Ordering::Relaxed);
        unanswered >= UNANSWERED_PINGS && !self.is_busy.load(Ordering::Relaxed)
    }
}

/// Hands each message of the client to the transport, until the client closes.
async fn receive(
    mut from_client: SplitStream<WebSocket>,
    to_server: mpsc::Sender<Bytes>,
    state: &SocketState,
) {
    while let Some(message) = from_client.next().await {
        state.unanswered.store(0, Ordering::Relaxed);
        let message = match message {
            Ok(Message::Text(text)) => Bytes::from(text),
            Ok(Message::Binary(bytes)) => bytes,
            Ok(Message::Ping(_) | Message::Pong(_)) => continue,
            Ok(Message::Close(_)) => return,
            Err(error) => {
                tracing::debug!(
                    target: "hooks_sdk::http",
                    %error, "a WebSocket broke, or a message was too large"
                );
                state.is_broken.store(true, Ordering::Relaxed);
                return;
            }
        };
        state.is_busy.store(true, Ordering::Relaxed);
        let taken = to_server.send(message).await;
        state.is_busy.store(false, Ordering::Relaxed);
        if taken.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_whose_message_waits_is_not_gone() {
        let state = SocketState::default();
        state.is_busy.store(true, Ordering::Relaxed);
        assert!((0..10).all(|_| !state.is_gone()));
        state.is_busy.store(false, Ordering::Relaxed);
        assert!(state.is_gone());
    }
}
