//! One client of the load, with one connection and one session.

use std::io;

use http_body_util::{BodyExt, Full};
use hyper::{
    Request,
    body::Bytes,
    client::conn::http1::SendRequest,
    header::{ACCEPT, CONTENT_TYPE, HOST},
};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

/// A client with one connection and one session. Every second client speaks 2026-07-28.
pub(crate) struct Client {
    sender: SendRequest<Full<Bytes>>,
    session: Option<String>,
    pub(crate) handle: Option<String>,
    stateless: bool,
    text: String,
}

impl Client {
    #[allow(dead_code, reason = "each benchmark uses its own part")]
    pub(crate) async fn open(port: u16, at: u64) -> io::Result<Client> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        let hands = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
        let (sender, connection) = hands.map_err(io::Error::other)?;
        tokio::spawn(connection);
        let mut client = Client {
            sender,
            session: None,
            handle: None,
            stateless: at % 2 == 1,
            text: format!("client {at}"),
        };
        if !client.stateless {
            client.initialize().await?;
        }
        let opened = client.call("session_init", json!({})).await?;
        if client.stateless {
            let handle = opened["result"]["_meta"]["hooks-sdk/session"].as_str();
            client.handle = handle.map(str::to_owned);
        }
        Ok(client)
    }

    /// Opens one more session of MCP on this connection, beside those that it has opened before.
    pub(crate) async fn initialize(&mut self) -> io::Result<()> {
        self.session = None;
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "load", "version": "1"}});
        self.post("initialize", params, true).await?;
        self.post("notifications/initialized", json!({}), false)
            .await?;
        Ok(())
    }

    /// Connects the same client to another replica, in the same session.
    #[allow(dead_code, reason = "each benchmark uses its own part")]
    pub(crate) async fn beside(&self, port: u16) -> io::Result<Client> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        let hands = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
        let (sender, connection) = hands.map_err(io::Error::other)?;
        tokio::spawn(connection);
        Ok(Client {
            sender,
            session: self.session.clone(),
            handle: self.handle.clone(),
            stateless: self.stateless,
            text: self.text.clone(),
        })
    }

    pub(crate) async fn echo(&mut self) -> io::Result<()> {
        let text = self.text.clone();
        let answer = self.call("echo", json!({"text": text})).await?;
        match answer["result"]["content"][0]["text"] == *text {
            true => Ok(()),
            false => Err(io::Error::other(answer.to_string())),
        }
    }

    pub(crate) async fn call(&mut self, tool: &str, mut arguments: Value) -> io::Result<Value> {
        if let Some(handle) = &self.handle {
            arguments["session"] = json!(handle);
        }
        let params = json!({"name": tool, "arguments": arguments});
        self.post("tools/call", params, true).await
    }

    async fn post(&mut self, method: &str, mut params: Value, asks: bool) -> io::Result<Value> {
        let mut request = Request::post("/mcp")
            .header(HOST, "127.0.0.1")
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json");
        if self.stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            request = request.header("mcp-protocol-version", "2026-07-28");
            request = request.header("mcp-method", method);
            if let Some(name) = params["name"].as_str() {
                request = request.header("mcp-name", name);
            }
        }
        if let Some(session) = &self.session {
            request = request.header("mcp-session-id", session);
            request = request.header("mcp-protocol-version", "2025-11-25");
        }
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if asks {
            message["id"] = json!(1);
        }
        let body = Full::new(Bytes::from(message.to_string()));
        let request = request.body(body).map_err(io::Error::other)?;
        self.sender.ready().await.map_err(io::Error::other)?;
        let response = self.sender.send_request(request).await;
        let response = response.map_err(io::Error::other)?;
        if !response.status().is_success() {
            return Err(io::Error::other(format!("{}", response.status())));
        }
        if let Some(session) = response.headers().get("mcp-session-id") {
            self.session = session.to_str().ok().map(str::to_owned);
        }
        let body = response
            .into_body()
            .collect()
            .await
            .map_err(io::Error::other)?;
        let body = body.to_bytes();
        if !asks {
            return Ok(Value::Null);
        }
        let text = String::from_utf8_lossy(&body);
        let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
        let answer = events.chain([&*text]).find_map(|text| {
            let message: Value = serde_json::from_str(text).ok()?;
            message.get("id").is_some().then_some(message)
        });
        answer.ok_or_else(|| io::Error::other(text.into_owned()))
    }
}
