//! An HTTP client that knows of MCP only what goes over the wire, and that tells errors worth a retry from others.

use std::{
    io,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use hooks_tests::client::{Event, EventReader, LEGACY, STATELESS, mcp_request};
use http_body_util::{BodyExt, Full};
use hyper::{
    Method, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{CONTENT_TYPE, HOST, RETRY_AFTER},
};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::timeout,
};

/// How long a client waits for an answer. Then it calls again.
const PATIENCE: Duration = Duration::from_secs(20);

/// How a client reaches the servers.
pub(crate) trait Connect: Send + Sync + 'static {
    type Io: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    fn connect(&self) -> impl Future<Output = io::Result<Self::Io>> + Send;
}

/// The two generations of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    /// 2025-11-25, with a session of the transport.
    Legacy,
    /// 2026-07-28, where each request stands alone.
    Stateless,
}

impl Generation {
    fn version(self) -> &'static str {
        match self {
            Generation::Legacy => LEGACY,
            Generation::Stateless => STATELESS,
        }
    }
}

/// Why a request has no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The client may send it again.
    Retryable(String),
    /// The server is wrong, or the client is.
    Final(String),
}

/// What the user decides when a server asks. The text is the question.
pub(crate) type Decide<'d> = &'d (dyn Fn(&str) -> bool + Send + Sync);

/// One client, with its user.
pub(crate) struct Client<C> {
    connect: C,
    pub(crate) generation: Generation,
    user: String,
    session: Mutex<Option<String>>,
    ids: AtomicU64,
}

impl<C: Connect> Client<C> {
    pub(crate) fn new(connect: C, generation: Generation, user: String) -> Client<C> {
        Client {
            connect,
            generation,
            user,
            session: Mutex::new(None),
            ids: AtomicU64::new(0),
        }
    }

    /// Shakes hands, if the generation has a handshake.
    pub(crate) async fn begin(&self) -> Result<(), Failure> {
        if self.generation == Generation::Stateless {
            return Ok(());
        }
        *self.session.lock().unwrap() = None;
        let params = json!({
            "protocolVersion": self.generation.version(),
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "fleet", "version": "1"},
        });
        let message = self.message("initialize", params);
        let response = self.send(Method::POST, Some(&message)).await?;
        let session = response.headers().get("mcp-session-id");
        let session = session.and_then(|id| id.to_str().ok()).map(str::to_owned);
        let session = session.ok_or_else(|| Failure::Final("no session".to_owned()))?;
        self.read(response, &|_| false).await?;
        *self.session.lock().unwrap() = Some(session);
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.tell(&initialized).await
    }

    /// Ends the session of the transport.
    pub(crate) async fn end(&self) -> Result<(), Failure> {
        if self.generation == Generation::Legacy {
            self.send(Method::DELETE, None).await?;
        }
        Ok(())
    }

    /// Calls a tool, and answers the questions of the server as the user decides.
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: Value,
        decide: Decide<'_>,
    ) -> Result<Value, Failure> {
        let mut params = json!({"name": tool, "arguments": arguments});
        loop {
            let result = self.request(params.clone(), decide).await?;
            if result["resultType"] != "input_required" {
                return Ok(result);
            }
            params = answered(params, &result, decide);
        }
    }

    /// Calls a tool and returns the question of the server, on 2026-07-28. The second value is the call with the
    /// user's answer, ready to be sent.
    pub(crate) async fn asked(
        &self,
        tool: &str,
        arguments: Value,
        decide: Decide<'_>,
    ) -> Result<(Value, Value), Failure> {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.request(params.clone(), decide).await?;
        let call = answered(params, &result, decide);
        Ok((result, call))
    }

    /// Sends `tools/call` with these params.
    pub(crate) async fn request(
        &self,
        mut params: Value,
        decide: Decide<'_>,
    ) -> Result<Value, Failure> {
        if self.generation == Generation::Stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": self.generation.version(),
                "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
            });
        }
        let message = self.message("tools/call", params);
        let done = async {
            let response = self.send(Method::POST, Some(&message)).await?;
            self.read(response, decide).await
        };
        let mut answer = within(done).await?;
        if let Some(error) = answer.get("error") {
            // JSON-RPC errors of this server tell a client that it is wrong.
            return Err(Failure::Final(error.to_string()));
        }
        let result = answer["result"].take();
        let said = text(&result);
        let mut later = ["elicitation_unavailable", "cannot be kept at the moment"].iter();
        if result["_meta"]["hooks-sdk/retryable"] == true || later.any(|why| said.contains(why)) {
            return Err(Failure::Retryable(said));
        }
        Ok(result)
    }

    fn message(&self, method: &str, params: Value) -> Value {
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    }

    async fn tell(&self, message: &Value) -> Result<(), Failure> {
        within(self.send(Method::POST, Some(message))).await?;
        Ok(())
    }

    async fn send(
        &self,
        method: Method,
        message: Option<&Value>,
    ) -> Result<Response<Incoming>, Failure> {
        let retryable = |error: &dyn std::fmt::Display| Failure::Retryable(error.to_string());
        let io = self.connect.connect().await;
        let io = TokioIo::new(io.map_err(|error| retryable(&error))?);
        let hands = hyper::client::conn::http1::handshake(io).await;
        let (mut sender, connection) = hands.map_err(|error| retryable(&error))?;
        tokio::spawn(connection);
        let session = self.session.lock().unwrap().clone();
        let said = message.unwrap_or(&Value::Null);
        let request = mcp_request(method, self.generation.version(), session.as_deref(), said)
            .header(HOST, "127.0.0.1")
            .header("x-user", &self.user);
        let body = message.map(Value::to_string).unwrap_or_default();
        let request = request.body(Full::new(Bytes::from(body)));
        let request = request.expect("a request");
        let response = sender.send_request(request).await;
        let response = response.map_err(|error| retryable(&error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let comes_back = response.headers().contains_key(RETRY_AFTER);
        let body = response.into_body().collect().await;
        let body = body.map(|body| body.to_bytes()).unwrap_or_default();
        let said = format!("{status}: {}", String::from_utf8_lossy(&body));
        Err(match status {
            // The proxy's own answers when a server is gone.
            StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT => Failure::Retryable(said),
            StatusCode::SERVICE_UNAVAILABLE if comes_back => Failure::Retryable(said),
            _ => Failure::Final(said),
        })
    }

    /// Reads the answer of a request. Questions of the server before it are answered as the user decides.
    async fn read(
        &self,
        response: Response<Incoming>,
        decide: Decide<'_>,
    ) -> Result<Value, Failure> {
        let kind = response.headers().get(CONTENT_TYPE);
        let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        let mut body = response.into_body();
        let cut = |reason: &dyn std::fmt::Display| Failure::Retryable(format!("cut off: {reason}"));
        let (mut whole, mut events) = (Vec::new(), EventReader::default());
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| cut(&error))?;
            let data = frame.into_data().unwrap_or_default();
            if !is_stream {
                whole.extend_from_slice(&data);
                continue;
            }
            events.push(&data);
            for Event { message, .. } in events.by_ref() {
                match message["method"].as_str() {
                    None => return Ok(message),
                    Some("elicitation/create") => self.answer(&message, decide).await?,
                    Some(_) => {}
                }
            }
        }
        if is_stream {
            return Err(cut(&"the stream ended without an answer"));
        }
        serde_json::from_slice(&whole).map_err(|error| cut(&error))
    }

    async fn answer(&self, question: &Value, decide: Decide<'_>) -> Result<(), Failure> {
        let said = question["params"]["message"].as_str().unwrap_or_default();
        let result = decided(decide(said));
        let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": result});
        // The answer may reach a server that is about to end. Then the call itself has no answer.
        loop {
            match self.tell(&answer).await {
                Err(Failure::Retryable(_)) => tokio::time::sleep(Duration::from_millis(50)).await,
                other => return other,
            }
        }
    }
}

async fn within<T>(done: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    match timeout(PATIENCE, done).await {
        Ok(done) => done,
        Err(_) => Err(Failure::Retryable("no answer in time".to_owned())),
    }
}

fn decided(accepts: bool) -> Value {
    match accepts {
        true => json!({"action": "accept", "content": {"confirm": true}}),
        false => json!({"action": "decline"}),
    }
}

/// Adds the user's answers to a call that the server answered with questions.
fn answered(mut params: Value, result: &Value, decide: Decide<'_>) -> Value {
    params["requestState"] = result["requestState"].clone();
    params["inputResponses"] = json!({});
    let questions = result["inputRequests"].as_object().into_iter().flatten();
    for (name, question) in questions {
        let said = question["params"]["message"].as_str().unwrap_or_default();
        params["inputResponses"][name] = decided(decide(said));
    }
    params
}

/// Returns the text blocks of a result.
pub(crate) fn text(result: &Value) -> String {
    let blocks = result["content"].as_array().into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}
