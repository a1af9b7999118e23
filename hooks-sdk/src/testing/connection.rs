//! JSON-RPC over lines, as a client sees it, with every frame kept.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::{Map, Value, json};
use thiserror::Error;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::oneshot,
    task::JoinHandle,
};

/// One JSON-RPC message as it stood on the wire.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Frame {
    /// Who sent it.
    pub from: Side,
    /// The message.
    pub message: Value,
}

/// One end of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a connection has two ends")]
pub enum Side {
    /// The host under the test's control.
    Host,
    /// The server under test.
    Server,
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The server answered with a JSON-RPC error.
    #[error("error {code}: {message}")]
    Refused {
        /// The JSON-RPC error code.
        code: i64,
        /// The JSON-RPC error message.
        message: String,
        /// The JSON-RPC error data; `null` when there is none.
        data: Value,
    },
    /// The server closed the connection first.
    #[error("the server closed the connection before it answered")]
    Closed,
    /// Nothing came in time.
    #[error("the server did not answer within {} ms", .0.as_millis())]
    TimedOut(Duration),
}

type Pending = HashMap<u64, oneshot::Sender<Value>>;

/// A connection to a server.
pub(super) struct Connection {
    shared: Arc<Shared>,
    /// `None` once it is closed: a child process sees the end only when its pipe is dropped.
    write: tokio::sync::Mutex<Option<Box<dyn AsyncWrite + Send + Unpin>>>,
    timeout: Duration,
    reading: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next_id: u64,
    closed: bool,
    pending: Pending,
    frames: Vec<Frame>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn receive(&self, message: Value) {
        let mut state = self.state();
        if message.get("method").is_none()
            && let Some(id) = message.get("id").and_then(Value::as_u64)
            && let Some(waiting) = state.pending.remove(&id)
        {
            // A receiver that is gone has stopped waiting; the frame is kept all the same.
            _ = waiting.send(message.clone());
        }
        state.frames.push(Frame {
            from: Side::Server,
            message,
        });
    }

    fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.pending.clear();
    }
}

impl Connection {
    pub(super) fn new(
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
        timeout: Duration,
    ) -> Connection {
        let shared = Arc::new(Shared::default());
        let reader = shared.clone();
        let reading = tokio::spawn(async move {
            let mut lines = BufReader::new(read).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                match serde_json::from_str(&line) {
                    Ok(message) => reader.receive(message),
                    Err(_) => reader.receive(Value::String(line)),
                }
            }
            reader.close();
        });
        Connection {
            shared,
            write: tokio::sync::Mutex::new(Some(Box::new(write))),
            timeout,
            reading,
        }
    }

    pub(super) fn frames(&self) -> Vec<Frame> {
        self.shared.state().frames.clone()
    }

    pub(super) async fn request(
        &self,
        method: &str,
        params: Map<String, Value>,
    ) -> Result<Value, RequestError> {
        let (sender, answer) = oneshot::channel();
        let id = {
            let mut state = self.shared.state();
            if state.closed {
                return Err(RequestError::Closed);
            }
            state.next_id += 1;
            let id = state.next_id;
            state.pending.insert(id, sender);
            id
        };
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(message).await.map_err(|_| RequestError::Closed)?;
        let message = match tokio::time::timeout(self.timeout, answer).await {
            Ok(Ok(message)) => message,
            Ok(Err(_)) => return Err(RequestError::Closed),
            Err(_) => {
                self.shared.state().pending.remove(&id);
                return Err(RequestError::TimedOut(self.timeout));
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

    pub(super) async fn notify(&self, method: &str, params: Map<String, Value>) -> io::Result<()> {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await
    }

    async fn send(&self, message: Value) -> io::Result<()> {
        let line = message.to_string();
        self.shared.state().frames.push(Frame {
            from: Side::Host,
            message,
        });
        self.send_line(line.as_bytes()).await
    }

    pub(super) async fn send_line(&self, line: &[u8]) -> io::Result<()> {
        let mut write = self.write.lock().await;
        let Some(write) = write.as_mut() else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        write.write_all(line).await?;
        write.write_all(b"\n").await?;
        write.flush().await
    }

    pub(super) async fn close(&self) -> io::Result<()> {
        match self.write.lock().await.take() {
            Some(mut write) => write.shutdown().await,
            None => Ok(()),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.reading.abort();
    }
}
