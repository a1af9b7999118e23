//! The loop that accepts connections, and the limits of a connection.

use std::{
    any::Any,
    fmt::Display,
    net::SocketAddr,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{Router, body::Body, extract::ConnectInfo, serve::Listener};
use futures::future::{self, Either};
use http::Request;
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::{Server, error::HttpError, pipeline::Pipeline, running::Running};
use crate::server::ServerHandler;

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

impl<H: ServerHandler> Server<H> {
    /// Serves on the address until the process receives SIGTERM or Ctrl-C. A second signal ends the server at once.
    ///
    /// Then `/readyz` answers 503, new requests are refused, open `GET` streams end, and running calls have the time of
    /// [`drain`](Server::drain).
    ///
    /// # Errors
    ///
    /// The settings do not fit the server, the store does not answer, or the address is not free. Nothing listens then.
    pub async fn serve(self, address: impl Display) -> Result<(), HttpError> {
        self.serve_and_tell(address, |address| {
            tracing::info!(address, "the server listens")
        })
        .await
    }

    /// Serves as [`serve`](Server::serve) does. When the server listens, tells the URL.
    pub(crate) async fn serve_and_tell(
        self,
        address: impl Display,
        tell: impl FnOnce(&str),
    ) -> Result<(), HttpError> {
        let address = address.to_string();
        let running = self.start().await?;
        let listen = |source| HttpError::Listen {
            address: address.clone(),
            source,
        };
        let listener = TcpListener::bind(&address).await.map_err(listen)?;
        let bound = listener.local_addr().map_err(listen)?;
        let mut told = pin!(told_to_stop());
        // It hears signals from its first poll on.
        _ = future::poll_immediate(&mut told).await;
        tell(&format!("http://{bound}{}", running.path));
        let serving = pin!(running.serve(listener, told));
        let at_once = pin!(async {
            told_to_stop().await;
            told_to_stop().await;
        });
        future::select(serving, at_once).await;
        Ok(())
    }

    /// Serves the connections of `listener` until `shutdown` ends, then stops as [`serve`](Server::serve) does.
    ///
    /// # Errors
    ///
    /// The settings do not fit the server, or the store does not answer.
    pub async fn serve_on<L>(
        self,
        listener: L,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), HttpError>
    where
        L: Listener<Addr: 'static>,
    {
        self.start().await?.serve(listener, shutdown).await;
        Ok(())
    }
}

impl Running {
    async fn serve<L>(self, listener: L, shutdown: impl Future<Output = ()>)
    where
        L: Listener<Addr: 'static>,
    {
        let places = Arc::new(Semaphore::new(self.max_connections));
        let closing = CancellationToken::new();
        let _closes = closing.clone().drop_guard();
        {
            let accepting = pin!(accept(listener, &self, &places, &closing));
            // The server accepts connections until the last call has ended. It answers new requests with 503, so that
            // their clients retry.
            let stopping = pin!(async {
                shutdown.await;
                self.stop().await;
            });
            match future::select(accepting, stopping).await {
                Either::Left((never, _)) => match never {},
                Either::Right(((), _)) => {}
            }
        }
        let open = self.max_connections - places.available_permits();
        closing.cancel();
        // All places are free when the last connection has closed.
        _ = places.acquire_many(self.max_connections as u32).await;
        tracing::info!(connections = open, "the server has stopped");
    }
}

/// Accepts connections. It does not return.
async fn accept<L>(
    mut listener: L,
    running: &Running,
    places: &Arc<Semaphore>,
    closing: &CancellationToken,
) -> std::convert::Infallible
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
            router: running.router.clone(),
            path: running.path.clone(),
            pipeline: running.pipeline.clone(),
            builder: builder.clone(),
            closing: closing.clone(),
            write_timeout: running.write_timeout,
            place,
        };
        tokio::spawn(connection.serve(io));
    }
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE_TIME)
        // A request may have 100 headers, which is what hyper allows.
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

/// A connection, and what it needs.
struct Connection {
    /// The address of the client, if it has one.
    peer: Option<SocketAddr>,
    /// The paths of the probes.
    router: Router,
    /// The path of MCP, and what answers there.
    path: Arc<str>,
    pipeline: Arc<Pipeline>,
    builder: Arc<Builder<TokioExecutor>>,
    /// Tells the connection to close.
    closing: CancellationToken,
    write_timeout: Duration,
    place: OwnedSemaphorePermit,
}

impl Connection {
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
            // The router takes its time to find a route.
            let router = (request.uri().path() != &*self.path).then(|| self.router.clone());
            let pipeline = self.pipeline.clone();
            async move {
                match router {
                    None => Ok(pipeline.answer(request).await),
                    Some(router) => router.oneshot(request.map(Body::new)).await,
                }
            }
        });
        let connection = self
            .builder
            .serve_connection(TokioIo::new(Box::pin(io)), answer);
        let mut connection = pin!(connection);
        let closing = pin!(self.closing.cancelled());
        let mut until = future::select(connection.as_mut(), closing);
        // hyper waits without end for the bytes by which it knows the version.
        let ended = match timeout(HEAD_TIME, &mut until).await {
            Ok(ended) => ended,
            Err(_) if has_asked.load(Ordering::Relaxed) => until.await,
            Err(_) => {
                tracing::debug!("a connection without a request was closed");
                return;
            }
        };
        let ended = match ended {
            Either::Left((ended, _)) => ended,
            Either::Right(((), mut connection)) => {
                connection.as_mut().graceful_shutdown();
                let Ok(ended) = timeout(CLOSING_TIME, connection).await else {
                    tracing::warn!("a connection that did not close was cut off");
                    return;
                };
                ended
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection broke");
        }
    }
}

/// Waits until the process is told to stop.
async fn told_to_stop() {
    let interrupt = pin!(async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::warn!(%error, "Ctrl-C is not heard");
            future::pending::<()>().await;
        }
    });
    #[cfg(unix)]
    let terminate = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => _ = signal.recv().await,
            Err(error) => {
                tracing::warn!(%error, "SIGTERM is not heard");
                future::pending::<()>().await;
            }
        }
    };
    #[cfg(not(unix))]
    let terminate = future::pending::<()>();
    future::select(interrupt, pin!(terminate)).await;
}
