//! The client's side of JSON-RPC over lines, with every frame recorded, for hosts of MCP and of MCPL.

mod error;
mod frame;
mod tools;

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::{Notify, oneshot},
    task::{AbortHandle, JoinHandle},
};

use self::frame::Frames;
pub(crate) use self::tools::{SESSION, all_tools, session_of};
pub use self::{
    error::{CallError, ConnectError, RequestError},
    frame::{Frame, Side},
    tools::ToolAnswer,
};
use hooks_core::internal::{debugs, lock};

/// How a connection behaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionSettings {
    /// How long to wait for each answer.
    pub(crate) timeout: Duration,
    /// The maximum number of recorded frames.
    pub(crate) keep: usize,
    /// The id of the first request.
    pub(crate) first_id: u64,
    /// Whether to cancel a request when its answer is no longer needed.
    pub(crate) cancels: bool,
}

impl ConnectionSettings {
    pub(crate) fn keeping_all(timeout: Duration) -> ConnectionSettings {
        ConnectionSettings {
            timeout,
            keep: usize::MAX,
            first_id: 1,
            cancels: false,
        }
    }
}

/// A connection to a server, open until it is dropped.
#[derive(Debug)]
pub(crate) struct ServerConnection {
    line: Arc<WeakConnection>,
    reading: JoinHandle<()>,
}

/// The part of a connection to which tasks of the host have weak references.
pub(crate) struct WeakConnection {
    settings: ConnectionSettings,
    state: Mutex<ConnectionState>,
    /// `None` after the close: a child process sees the end only when its pipe is dropped.
    write: tokio::sync::Mutex<Option<Box<dyn AsyncWrite + Send + Unpin>>>,
    /// Notified after each message that the host has handled.
    changed: Notify,
}

struct ConnectionState {
    next_id: u64,
    closed: bool,
    pending: HashMap<u64, Pending>,
    frames: Frames,
    reading: Option<AbortHandle>,
}

struct Pending {
    /// A function that handles the answer before any later message of the server.
    then: Box<dyn FnOnce(&Value) + Send>,
    waiting: oneshot::Sender<Value>,
}

impl ServerConnection {
    /// Starts to read. `received` gets each message of the server that is not an answer, in order.
    pub(crate) fn new<R>(
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
        settings: ConnectionSettings,
        received: impl FnOnce(&Arc<WeakConnection>) -> R,
    ) -> ServerConnection
    where
        R: FnMut(&Value) + Send + 'static,
    {
        let line = Arc::new(WeakConnection {
            settings,
            state: Mutex::new(ConnectionState {
                next_id: settings.first_id,
                closed: false,
                pending: HashMap::new(),
                frames: Frames::new(settings.keep),
                reading: None,
            }),
            write: tokio::sync::Mutex::new(Some(Box::new(write))),
            changed: Notify::new(),
        });
        let mut received = received(&line);
        // Weak, so that the reading task does not keep a dropped host's connection open.
        let reader = Arc::downgrade(&line);
        let reading = tokio::spawn(async move {
            let mut lines = BufReader::new(read).lines();
            while let Ok(Some(text)) = lines.next_line().await {
                let Some(line) = reader.upgrade() else {
                    return;
                };
                let message = serde_json::from_str(&text).unwrap_or(Value::String(text));
                line.receive(message, &mut received);
            }
            if let Some(line) = reader.upgrade() {
                line.end();
            }
        });
        line.state().reading = Some(reading.abort_handle());
        ServerConnection { line, reading }
    }
}

impl std::ops::Deref for ServerConnection {
    type Target = WeakConnection;

    fn deref(&self) -> &WeakConnection {
        &self.line
    }
}

impl Drop for ServerConnection {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl WeakConnection {
    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        lock(&self.state)
    }

    fn receive(&self, message: Value, received: &mut impl FnMut(&Value)) {
        let answered = {
            let mut state = self.state();
            state.frames.push(Side::Server, message.clone());
            match message.get("method") {
                None => message
                    .get("id")
                    .and_then(Value::as_u64)
                    .and_then(|id| state.pending.remove(&id)),
                Some(_) => None,
            }
        };
        match answered {
            Some(Pending { then, waiting }) => {
                then(&message);
                // A dropped receiver has stopped waiting; the frame is recorded in any case.
                _ = waiting.send(message.clone());
            }
            None => received(&message),
        }
        self.state().frames.handled(&message);
        self.changed.notify_waiters();
    }

    fn end(&self) {
        let mut state = self.state();
        state.closed = true;
        state.pending.clear();
        state.frames.close();
        drop(state);
        self.changed.notify_waiters();
    }

    pub(crate) fn frames(&self) -> Vec<Frame> {
        self.state().frames.all()
    }

    pub(crate) async fn request(
        &self,
        method: &str,
        params: Map<String, Value>,
    ) -> Result<Value, RequestError> {
        self.request_then(method, params, |_| {}).await
    }

    /// Like `request`; `then` handles the whole answer before any later message of the server.
    pub(crate) async fn request_then(
        &self,
        method: &str,
        params: Map<String, Value>,
        then: impl FnOnce(&Value) + Send + 'static,
    ) -> Result<Value, RequestError> {
        self.request_within(method, params, self.settings.timeout, then)
            .await
    }

    /// Like `request_then`, with a time-out of its own.
    pub(crate) async fn request_within(
        &self,
        method: &str,
        params: Map<String, Value>,
        within: Duration,
        then: impl FnOnce(&Value) + Send + 'static,
    ) -> Result<Value, RequestError> {
        let (sender, answer) = oneshot::channel();
        let id = {
            let mut state = self.state();
            if state.closed {
                return Err(RequestError::Closed);
            }
            let id = state.next_id;
            state.next_id += 1;
            let then = Box::new(then);
            let waiting = sender;
            state.pending.insert(id, Pending { then, waiting });
            id
        };
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let asked = async {
            self.send(message).await.map_err(|_| RequestError::Closed)?;
            answer.await.map_err(|_| RequestError::Closed)
        };
        let message = match tokio::time::timeout(within, asked).await {
            Ok(message) => message?,
            Err(_) => {
                self.state().pending.remove(&id);
                // MCP does not allow cancelling the handshake.
                if self.settings.cancels && method != "initialize" {
                    self.cancel(id).await;
                }
                return Err(RequestError::TimedOut(within));
            }
        };
        match message.get("error") {
            None => Ok(message.get("result").cloned().unwrap_or_default()),
            Some(error) => Err(RequestError::Refused {
                code: error["code"].as_i64().unwrap_or_default(),
                message: error["message"].as_str().unwrap_or_default().to_owned(),
                data: error["data"].clone(),
            }),
        }
    }

    async fn cancel(&self, id: u64) {
        let params = json!({"requestId": id, "reason": "no answer in time"});
        let message =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        // The caller learns of the time-out, and of a failed stream with the next message.
        _ = self.send(message).await;
    }

    pub(crate) async fn notify(&self, method: &str, params: Map<String, Value>) -> io::Result<()> {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await
    }

    pub(crate) async fn send(&self, message: Value) -> io::Result<()> {
        let text = message.to_string();
        let mut write = self.write.lock().await;
        // Recorded while the stream is locked, so that the frames are in the order of the wire.
        self.state().frames.push(Side::Host, message);
        write_line(&mut write, text.as_bytes()).await
    }

    pub(crate) async fn send_line(&self, line: &[u8]) -> io::Result<()> {
        write_line(&mut *self.write.lock().await, line).await
    }

    pub(crate) async fn close(&self) -> io::Result<()> {
        match self.write.lock().await.take() {
            Some(mut write) => write.shutdown().await,
            None => Ok(()),
        }
    }
}

/// The waits of the MCPL host.
impl WeakConnection {
    pub(crate) fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Completes after the next message that the host handles, counted from when it is enabled or polled.
    pub(crate) fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.changed.notified()
    }

    /// Returns the server's next message of this method. Each message is returned once.
    pub(crate) async fn wait_for(
        &self,
        method: &str,
        within: Duration,
    ) -> Result<Value, RequestError> {
        let waiting = {
            let mut state = self.state();
            match state.frames.wait_for(method) {
                Ok(message) => return Ok(message),
                Err(_) if state.closed => return Err(RequestError::Closed),
                Err(waiting) => waiting,
            }
        };
        match tokio::time::timeout(within, waiting).await {
            Ok(Ok(message)) => Ok(message),
            Ok(Err(_)) => Err(RequestError::Closed),
            Err(_) => Err(RequestError::TimedOut(within)),
        }
    }

    /// Breaks off in the middle of a message, both ways.
    pub(crate) async fn cut(&self, half: &[u8]) {
        if let Some(mut write) = self.write.lock().await.take() {
            // The stream ends here, whether this half arrives or not.
            _ = write.write_all(half).await;
            _ = write.shutdown().await;
        }
        if let Some(reading) = self.state().reading.take() {
            reading.abort();
        }
        self.end();
    }
}

debugs!(WeakConnection { settings });

async fn write_line(
    write: &mut Option<Box<dyn AsyncWrite + Send + Unpin>>,
    line: &[u8],
) -> io::Result<()> {
    let Some(mut stream) = write.take() else {
        return Err(io::ErrorKind::NotConnected.into());
    };
    // A caller that is dropped here leaves half a line behind, so the stream must end.
    let written = async {
        stream.write_all(line).await?;
        stream.write_all(b"\n").await?;
        stream.flush().await
    };
    let written = written.await;
    *write = Some(stream);
    written
}

/// Returns the client information of every host.
pub(crate) fn client_info() -> Value {
    json!({"name": "hooks-sdk testing host", "version": env!("CARGO_PKG_VERSION")})
}

/// Returns the members of an object, or none of any other value.
pub(crate) fn object(params: Value) -> Map<String, Value> {
    match params {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}
