//! The wire shim for streams: JSON lines, with the members that rmcp's types would drop carried across.

use std::{io, sync::Arc};

use rmcp::{
    ErrorData, RoleServer,
    model::{ClientRequest, JsonRpcMessage, ProtocolVersion, RequestId, ServerResult},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::Mutex,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{
    gate::Connection,
    lines::{Line, Lines, MAX_LINE},
    mcpl::{Inbound, Outbound},
    normalise, standard,
    writer::{LAST_WORDS, Waiting, Writer},
};

/// A stream of JSON lines as an rmcp transport, for servers wrapped in [`Hooked`](super::Hooked).
///
/// It behaves as rmcp's own stream transport (16 MiB a line, malformed messages answered and survived),
/// and carries what rmcp's types have no place for: `capabilities.hooks` of both sides.
#[derive(Debug)]
pub struct WireTransport<R, W> {
    lines: Lines<R>,
    write: Arc<Mutex<Writer<W>>>,
    waiting: Arc<Waiting>,
    connection: Arc<Connection>,
    /// One side has ended.
    ended: CancellationToken,
    /// The peer speaks a revision of MCP before 2025-11-25, in which every answer has an `id`, be it `null`.
    id_is_due: bool,
}

/// The mark on requests that came through a [`WireTransport`].
#[derive(Clone, Debug)]
pub(super) struct Wire(pub(super) Arc<Connection>);

impl<R, W> WireTransport<R, W>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// A transport that reads messages from `read` and writes them to `write`.
    pub fn new(read: R, write: W) -> WireTransport<R, W> {
        let ended = CancellationToken::new();
        WireTransport {
            lines: Lines::new(read, MAX_LINE),
            write: Arc::new(Mutex::new(Writer::new(write, ended.clone()))),
            waiting: Arc::default(),
            connection: Connection::new(None),
            ended,
            id_is_due: false,
        }
    }

    /// Says that the stream serves one session of the client's, to which the client itself gives this id.
    #[must_use]
    pub fn client_session(mut self, id: impl Into<String>) -> WireTransport<R, W> {
        self.connection = Connection::new(Some(id.into().into()));
        self
    }

    /// Nothing more is asked or answered but what was begun.
    fn end(&self) {
        self.connection.mcpl.close();
        self.ended.cancel();
    }

    /// The message on a line, without what is MCPL's.
    fn read(&self, line: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Malformed> {
        let inbound = Inbound::of(&self.connection);
        match read_message(line) {
            Ok(message) => Ok(message.and_then(|message| inbound.take(message, line))),
            Err(malformed) => match inbound.broken_answer(malformed.id.as_ref(), line) {
                Some(answer) => Ok(Some(answer)),
                None => Err(malformed),
            },
        }
    }

    /// Answers a message that is no request that rmcp could read.
    ///
    /// The answer is written by a task of its own, since a `receive` that is dropped while it waits for
    /// a slow reader would leave half of it unwritten.
    fn refuse(&self, error: ErrorData, id: Option<RequestId>) {
        tracing::debug!(error = %error.message, "malformed message");
        let mut answer = json!({"jsonrpc": "2.0", "error": error});
        if id.is_some() || self.id_is_due {
            answer["id"] = json!(id);
        }
        let answer = self.waiting.line(answer.to_string().into_bytes());
        let write = self.write.clone();
        tokio::spawn(async move {
            if let Err(error) = write.lock().await.write(&answer).await {
                tracing::debug!(%error, "the answer to a malformed message could not be written");
            }
        });
    }
}

impl<R, W> Transport<RoleServer> for WireTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        mut item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        if let JsonRpcMessage::Response(response) = &item
            && let ServerResult::InitializeResult(result) = &response.result
        {
            let since = ProtocolVersion::V_2025_11_25;
            self.id_is_due = result.protocol_version.as_str() < since.as_str();
        }
        normalise::outgoing(&mut item, &self.connection);
        let leaving = Outbound::of(&self.connection).mend(&mut item);
        let line = serde_json::to_vec(&item).map(|line| self.waiting.line(line));
        let write = self.write.clone();
        async move {
            let line = line?;
            let mut write = write.lock().await;
            let Some((link, leaving)) = leaving else {
                return write.write(&line).await;
            };
            leaving.begins(&link);
            write.write(&line).await?;
            leaving.ended(&link);
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if !self.waiting.is_short().await {
                tracing::error!("the peer sends requests and reads no answers; it is given up");
                self.end();
                return None;
            }
            match self.lines.next().await {
                Ok(Line::Whole) => {}
                Ok(Line::TooLong) => {
                    let message = format!(
                        "the message is longer than {MAX_LINE} bytes; send less in one message"
                    );
                    self.refuse(ErrorData::invalid_request(message, None), None);
                    continue;
                }
                Ok(Line::End) => {
                    self.end();
                    return None;
                }
                Err(error) => {
                    tracing::error!(%error, "the stream cannot be read");
                    self.end();
                    return None;
                }
            }
            let line = self.lines.line();
            let read = if line.trim_ascii().is_empty() {
                Ok(None)
            } else {
                self.read(line)
            };
            self.lines.clear();
            match read {
                Ok(Some(mut message)) => {
                    normalise::mark(&mut message, &self.connection);
                    return Some(message);
                }
                Ok(None) => {}
                Err(malformed) => self.refuse(malformed.error, malformed.id),
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.end();
        _ = timeout(LAST_WORDS, self.waiting.none()).await;
        self.write.lock().await.close().await
    }
}

/// A line that is no message, and what to answer.
struct Malformed {
    error: ErrorData,
    id: Option<RequestId>,
}

/// The message on a line; `None` for a notification that MCP does not know, which nobody answers.
fn read_message(line: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Malformed> {
    let mut read = serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line);
    if read.as_ref().map_or(true, |message| {
        normalise::needs_second_reading(message, line)
    }) {
        let mut value: Value = serde_json::from_slice(line).map_err(|error| Malformed {
            error: ErrorData::parse_error(format!("the message is not JSON: {error}"), None),
            id: None,
        })?;
        let id = value
            .get("id")
            .and_then(|id| RequestId::deserialize(id).ok());
        if read.is_err() && value.get("id").is_none() && value["method"].is_string() {
            tracing::trace!(method = %value["method"], "ignoring a notification that is not MCP's");
            return Ok(None);
        }
        if let (Err(_), Some(error)) = (&read, unnamed_params(&value)) {
            return Err(Malformed { error, id });
        }
        if normalise::capabilities_of(&mut value) {
            read = serde_json::from_value(value);
        }
        if let Some(error) = refusal(&read) {
            return Err(Malformed { error, id });
        }
    }
    Ok(read.ok())
}

/// Why a request whose params are no object is refused; rmcp reads none such as a request.
fn unnamed_params(message: &Value) -> Option<ErrorData> {
    let method = message.get("method")?.as_str()?;
    let params = message.get("params")?;
    let is_request = message.get("jsonrpc")? == "2.0" && message.get("id").is_some();
    let message = format!("the params of `{method}` are no object; MCP names its params");
    (is_request && !params.is_object()).then(|| ErrorData::invalid_params(message, None))
}

/// Why a message that was read twice cannot be handed on.
fn refusal(read: &serde_json::Result<RxJsonRpcMessage<RoleServer>>) -> Option<ErrorData> {
    match read {
        // rmcp would answer a malformed `initialize` with words about another protocol generation.
        Ok(JsonRpcMessage::Request(request)) => match &request.request {
            ClientRequest::CustomRequest(custom) => standard::wrong_shape(custom),
            _ => None,
        },
        Ok(_) => None,
        Err(_) => Some(ErrorData::invalid_request(
            "the message is not a JSON-RPC 2.0 request, notification or response with named params",
            None,
        )),
    }
}
