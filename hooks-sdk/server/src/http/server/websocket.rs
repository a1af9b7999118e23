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
    body::Body,
    extract::{
        FromRequestParts,
        ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code},
    },
    response::IntoResponse,
};
use bytes::Bytes;
use futures::{
    SinkExt, Stream, StreamExt,
    future::{Either, join, pending, select},
    stream::{self, SplitSink, SplitStream},
};
use http::{Request, Response};
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc},
    time::{MissedTickBehavior, interval, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    Server,
    pipeline::{EntryChecks, end_of},
};
use crate::{http::Principal, server::WireTransport};
use hooks_http::refusal::HttpRefusal;

/// The path for a server that speaks MCPL, unless configured.
pub(super) const WEBSOCKETS: &str = "/mcpl";

/// The subprotocols that a client may name. MCP's official clients name `mcp`.
const PROTOCOLS: [&str; 2] = ["mcp", "mcpl"];

/// How many pings in a row a client may leave unanswered. Then the connection is closed.
const UNANSWERED_PINGS: u32 = 3;

/// How many messages to a client wait for its socket.
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

impl EntryChecks {
    /// Answers a request for a WebSocket.
    pub(super) async fn socket(self: Arc<Self>, request: Request<Body>) -> Response<Body> {
        let method = request.method().clone();
        self.open_socket(request).await.unwrap_or_else(|refusal| {
            tracing::debug!(
                target: "hooks_sdk::http",
                status = %refusal.status(), "a WebSocket was refused"
            );
            refusal.response(&method)
        })
    }

    /// Checks who asks, and lets the hooks of HTTP see the request. Then the connection becomes a WebSocket.
    async fn open_socket(
        self: Arc<Self>,
        request: Request<Body>,
    ) -> Result<Response<Body>, HttpRefusal> {
        let (mut parts, body) = request.into_parts();
        let (place, lasts) = self.admits_socket(&mut parts).await?;
        let checks = self.clone();
        let upgrade = |request| checks.upgraded(request, place, lasts);
        let request = Request::from_parts(parts, body);
        Ok(self.hooked(request, upgrade).await)
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
            .max_message_size(self.settings.body.bytes)
            .max_frame_size(self.settings.body.bytes);
        let open = self.sockets.clone();
        upgrade.on_upgrade(move |socket| {
            open.track_future(async move {
                let end = self.end.clone();
                // It closes at the end of its token, as it does where the server stops.
                let closing = self.stopping.child_token();
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
        let (to_client, from_client) = socket.split();
        let state = Arc::<SocketState>::default();
        let messages = messages(from_client, state.clone(), stopping.clone());
        let (to_socket, from_server) = mpsc::channel(AHEAD);
        let transport = WireTransport::of_messages(messages.boxed(), to_socket)
            .sent_by(principal)
            .drain_timeout(self.settings.drain);
        let session = async {
            let serving = self.endpoint.sessions.hooked.clone().serve(transport);
            match timeout(self.settings.body.time, serving).await {
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
        let sending = async {
            self.send(from_server, to_client, &state, &stopping).await;
            stopping.cancel();
        };
        join(session, sending).await;
    }

    /// Sends each message of the transport, and pings between them.
    async fn send(
        &self,
        mut from_server: mpsc::Receiver<Vec<u8>>,
        mut to_client: SplitSink<WebSocket, Message>,
        state: &SocketState,
        stopping: &CancellationToken,
    ) {
        let mut pings = interval(self.settings.keep_alive);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let message = match select(pin!(from_server.recv()), pin!(pings.tick())).await {
                Either::Left((None, _)) => break,
                Either::Left((Some(message), _)) => match String::from_utf8(message) {
                    Ok(text) => Message::text(text),
                    Err(_) => continue,
                },
                Either::Right(_) if state.is_gone() => {
                    tracing::debug!(
                        target: "hooks_sdk::http",
                        "a WebSocket that answers no ping is closed"
                    );
                    return;
                }
                Either::Right(_) => Message::Ping(Bytes::new()),
            };
            let sending = to_client.send(message);
            let Ok(Ok(())) = timeout(self.settings.write_timeout, sending).await else {
                return;
            };
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
        _ = timeout(self.settings.write_timeout, closing).await;
    }
}

/// What the two directions of a connection tell each other.
#[derive(Default)]
struct SocketState {
    /// The pings since the client was last heard.
    unanswered: AtomicU32,
    /// Whether the server has taken a message of the client and no further one. Nothing more of the client is read then.
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

/// Returns the messages of the client, until the client closes or `stopping` is cancelled. The transport then answers the calls that
/// run, and ends.
fn messages(
    from_client: SplitStream<WebSocket>,
    state: Arc<SocketState>,
    stopping: CancellationToken,
) -> impl Stream<Item = Bytes> + Send {
    stream::unfold(from_client, move |mut from_client| {
        let (state, stopping) = (state.clone(), stopping.clone());
        async move {
            state.is_busy.store(false, Ordering::Relaxed);
            loop {
                let message = stopping.run_until_cancelled(from_client.next()).await??;
                state.unanswered.store(0, Ordering::Relaxed);
                let message = match message {
                    Ok(Message::Text(text)) => Bytes::from(text),
                    Ok(Message::Binary(bytes)) => bytes,
                    Ok(Message::Ping(_) | Message::Pong(_)) => continue,
                    Ok(Message::Close(_)) => return None,
                    Err(error) => {
                        tracing::debug!(
                            target: "hooks_sdk::http",
                            %error, "a WebSocket broke, or a message was too large"
                        );
                        state.is_broken.store(true, Ordering::Relaxed);
                        return None;
                    }
                };
                state.is_busy.store(true, Ordering::Relaxed);
                return Some((message, from_client));
            }
        }
    })
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
