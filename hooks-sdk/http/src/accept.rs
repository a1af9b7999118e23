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
use http::{Request, Response};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use tokio::{
    net::TcpStream,
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{sleep, timeout},
};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

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
        let closing = Arc::new(Closing::default());
        let close = Close(closing.clone());
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
        closing: &Arc<Closing>,
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
            let connection = Connection {
                peer,
                answer: self.answer.clone(),
                builder: builder.clone(),
                closing: closing.clone(),
                write_timeout: self.write_timeout,
                place,
            };
            tokio::spawn(connection.serve(io));
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

/// Tells the connections to close.
#[derive(Default)]
struct Closing {
    has_begun: AtomicBool,
    /// Wakes the connections, so that they see it.
    token: CancellationToken,
}

/// Lets the connections close when it is dropped.
struct Close(Arc<Closing>);

impl Drop for Close {
    fn drop(&mut self) {
        self.0.has_begun.store(true, Ordering::Release);
        self.0.token.cancel();
    }
}

/// What a connection does not decide itself.
enum Interruption {
    /// The server stops.
    Stop,
    /// The time for the head of the first request is over.
    HeadTime,
}

/// A connection, and what it needs.
struct Connection<A> {
    /// The address of the client, if it has one.
    peer: Option<SocketAddr>,
    answer: A,
    builder: Arc<Builder<TokioExecutor>>,
    closing: Arc<Closing>,
    write_timeout: Duration,
    place: OwnedSemaphorePermit,
}

impl<A, F> Connection<A>
where
    A: Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response<Body>> + Send + 'static,
{
    async fn serve<I>(self, io: I)
    where
        I: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + 'static,
    {
        let _place = self.place;
        let mut io = TimeoutStream::new(io);
        io.set_write_timeout(Some(self.write_timeout));
        let has_asked = AtomicBool::new(false);
        let has_asked = Arc::new(has_asked);
        let asked = has_asked.clone();
        let answer = service_fn(move |mut request: Request<Incoming>| {
            asked.store(true, Ordering::Relaxed);
            if let Some(peer) = self.peer {
                request.extensions_mut().insert(ConnectInfo(peer));
            }
            let answer = (self.answer)(request);
            async move { Ok::<_, Infallible>(answer.await) }
        });
        let connection = self
            .builder
            .serve_connection_with_upgrades(TokioIo::new(Box::pin(io)), answer);
        let mut connection = pin!(connection);
        // The waker of a task stays the same, so the token has to know it once. Each poll takes two locks that all
        // connections share.
        let mut closing = pin!(self.closing.token.cancelled());
        _ = future::poll_immediate(closing.as_mut()).await;
        // hyper waits without end for the bytes by which it knows the version.
        let mut head_time = pin!(sleep(HEAD_TIME));
        let interrupted = poll_fn(|cx| {
            if let Poll::Ready(ended) = connection.as_mut().poll(cx) {
                return Poll::Ready(Ok(ended));
            }
            if self.closing.has_begun.load(Ordering::Acquire) {
                return Poll::Ready(Err(Interruption::Stop));
            }
            if !has_asked.load(Ordering::Relaxed) && head_time.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err(Interruption::HeadTime));
            }
            Poll::Pending
        });
        let ended = match interrupted.await {
            Ok(ended) => ended,
            Err(Interruption::HeadTime) => {
                tracing::debug!(
                    target: "hooks_sdk::http",
                    "a connection without a request was closed"
                );
                return;
            }
            Err(Interruption::Stop) => {
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
        };
        if let Err(error) = ended {
            tracing::debug!(target: "hooks_sdk::http", %error, "a connection broke");
        }
    }
}
