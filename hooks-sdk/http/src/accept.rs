//! The loop that accepts connections, and the limits of a connection.

use std::{
    any::Any,
    convert::Infallible,
    future::poll_fn,
    net::SocketAddr,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
    time::Duration,
};

use axum::{Router, body::Body, extract::ConnectInfo, serve::Listener};
use futures::future::{self, Either};
use http::{Request, Response, StatusCode};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use tokio::{
    net::TcpStream,
    sync::Semaphore,
    time::{sleep, timeout},
};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::refusal::HttpRefusal;
use hooks_core::internal::catch_panic;

/// The time in which a new connection has to bring the head of its first request.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// The time in which a connection has to bring the head of each further request.
///
/// Proxies keep connections for later requests, most of them for 60 seconds. If the server closed them first, a request
/// could meet a connection that is just being closed.
const IDLE_TIME: Duration = Duration::from_secs(75);

/// The largest head of a request, in bytes.
const LARGEST_HEAD: usize = 64 * 1024;

/// The largest number of requests at once on an HTTP/2 connection, and the bytes that one of them has waiting.
const MOST_STREAMS: u32 = 128;
const WAITING_BYTES: usize = 64 * 1024;

/// The interval of HTTP/2 pings. A client that does not answer for as long is gone.
const PING_EVERY: Duration = Duration::from_secs(20);

/// How long a stopped server waits for its connections to close.
const CLOSING_TIME: Duration = Duration::from_secs(5);

/// What is served to connections.
#[derive(Debug)]
pub struct Serving<A> {
    /// Answers a request.
    pub answer: A,
    pub max_connections: usize,
    /// How long a client may read nothing of what is sent to it.
    pub write_timeout: Duration,
}

impl<A, F> Serving<A>
where
    A: Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response<Body>> + Send + 'static,
{
    /// Serves until `stopped` ends. It accepts connections until then, so that a stopping server can answer new requests
    /// with 503 and their clients retry.
    pub async fn serve<L>(self, listener: L, stopped: impl Future<Output = ()>)
    where
        L: Listener<Addr: 'static>,
    {
        let places = Arc::new(Semaphore::new(self.max_connections));
        let closing = CancellationToken::new();
        let close = closing.clone().drop_guard();
        {
            let accepting = pin!(self.accept(listener, &places, &closing));
            match future::select(accepting, pin!(stopped)).await {
                Either::Left((never, _)) => match never {},
                Either::Right(((), _)) => {}
            }
        }
        let open = self.max_connections - places.available_permits();
        drop(close);
        // All places are free when the last connection has closed.
        _ = places.acquire_many(self.max_connections as u32).await;
        tracing::info!(target: "hooks_sdk::http", connections = open, "the server has stopped");
    }

    /// Accepts connections. It does not return.
    async fn accept<L>(
        &self,
        mut listener: L,
        places: &Arc<Semaphore>,
        closing: &CancellationToken,
    ) -> Infallible
    where
        L: Listener<Addr: 'static>,
    {
        let builder = Arc::new(builder());
        loop {
            let Ok(place) = places.clone().acquire_owned().await else {
                // Nobody closes the semaphore.
                return future::pending().await;
            };
            let (io, peer) = listener.accept().await;
            // Head and body of an answer are two writes, and the second must not wait for the client to acknowledge the first.
            if let Some(stream) = (&io as &dyn Any).downcast_ref::<TcpStream>() {
                _ = stream.set_nodelay(true);
            }
            let peer = (&peer as &dyn Any).downcast_ref::<SocketAddr>().copied();
            let answer = self.answer.clone();
            let answer = move |mut request: Request<Incoming>| {
                if let Some(peer) = peer {
                    request.extensions_mut().insert(ConnectInfo(peer));
                }
                answer(request)
            };
            let mut io = TimeoutStream::new(io);
            io.set_write_timeout(Some(self.write_timeout));
            // Each connection has a token of its own, because a look at it takes its lock.
            let connection = connection(io, answer, builder.clone(), closing.child_token());
            tokio::spawn(async move {
                connection.await;
                drop(place);
            });
        }
    }
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        // A request may have 100 headers, which is what hyper allows.
        .header_read_timeout(IDLE_TIME)
        .max_buf_size(LARGEST_HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(LARGEST_HEAD as u32)
        .max_concurrent_streams(MOST_STREAMS)
        .max_send_buf_size(WAITING_BYTES)
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_EVERY);
    builder
}

/// Lets a router answer.
pub async fn routed(router: Router, request: Request<Incoming>) -> Response<Body> {
    let Ok(response) = router.oneshot(request.map(Body::new)).await;
    response
}

/// Serves a connection, until `closing` is cancelled and what it answers has been sent.
async fn connection<A, F, I>(
    io: TimeoutStream<I>,
    answer: A,
    builder: Arc<Builder<TokioExecutor>>,
    closing: CancellationToken,
) where
    A: Fn(Request<Incoming>) -> F + Send + Sync + 'static,
    F: Future<Output = Response<Body>> + Send + 'static,
    I: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + 'static,
{
    let has_asked = Arc::new(AtomicBool::new(false));
    let asked = has_asked.clone();
    let answer = service_fn(move |request: Request<Incoming>| {
        asked.store(true, Ordering::Relaxed);
        let (method, answer) = (request.method().clone(), catch_panic(answer(request)));
        async move {
            // A panic would end the connection, with all the other requests on it.
            let answered = answer.await.unwrap_or_else(|failure| {
                tracing::error!(target: "hooks_sdk::http", error = %failure, "a request failed");
                let sentence = "the server failed at this request: its log says why";
                HttpRefusal::new(StatusCode::INTERNAL_SERVER_ERROR, sentence).response(&method)
            });
            Ok::<_, Infallible>(answered)
        }
    });
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(Box::pin(io)), answer);
    let mut connection = pin!(connection);
    // The waker of a task stays the same, so the token has to know it once.
    let mut closed = pin!(closing.cancelled());
    _ = future::poll_immediate(closed.as_mut()).await;
    // hyper waits without end for the bytes by which it knows the version.
    let mut head_time = pin!(sleep(HEAD_TIME));
    let ended = poll_fn(|cx| {
        if let Poll::Ready(ended) = connection.as_mut().poll(cx) {
            return Poll::Ready(Some(ended));
        }
        let may_be_late = !has_asked.load(Ordering::Relaxed);
        if closing.is_cancelled() || may_be_late && head_time.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        Poll::Pending
    });
    let ended = match ended.await {
        Some(ended) => ended,
        None if closing.is_cancelled() => {
            connection.as_mut().graceful_shutdown();
            let Ok(ended) = timeout(CLOSING_TIME, connection).await else {
                tracing::warn!(
                    target: "hooks_sdk::http",
                    "a connection that did not close was cut off"
                );
                return;
            };
            ended
        }
        None => {
            tracing::debug!(
                target: "hooks_sdk::http",
                "a connection without a request was closed"
            );
            return;
        }
    };
    if let Err(error) = ended {
        tracing::debug!(target: "hooks_sdk::http", %error, "a connection broke");
    }
}
