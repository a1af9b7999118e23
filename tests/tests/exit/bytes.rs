//! Without a hook, a guardian and a policy, what the author's server sends leaves byte for byte as rmcp writes it.

use std::net::SocketAddr;

use axum::Router;
use hooks_sdk::{
    WireTransport, http,
    rmcp::{
        ServiceExt,
        transport::streamable_http_server::{
            StreamableHttpService, session::local::LocalSessionManager,
        },
    },
};
use hooks_tests::{
    client::{Client, LEGACY, PATIENCE, STATELESS},
    toy_server,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split},
    net::TcpListener,
    time::timeout,
};

use crate::desk::{Desk, with};

/// Texts and numbers that a second writer may write in another way.
fn odd() -> Value {
    let mut odd = json!({
        "text": "\u{0}\u{7f}\u{2028}é\u{1f600} </script> \\ / \" \r\n\t",
        "numbers": [0, -0.0, 1.0, 1e300, 5e-324, 0.1, u64::MAX, i64::MIN],
        "": [[], {}, null, true],
        "b": {"z": 1, "a": 2, "method": "tools/call"},
    });
    odd["nested"] = (0..40).fold(json!(1), |inner, _| json!([inner]));
    odd
}

/// Requests, each with what the server answers or sends before its answer.
fn exchanges() -> Vec<(&'static str, Value, Value)> {
    let call = |tool: &str| json!({"name": tool, "arguments": {}, "_meta": {"progressToken": "p"}});
    let text = odd().to_string();
    let block = json!({"type": "text", "text": text, "_meta": odd()});
    let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
    let told = |method: &str, params: Value| json!({"method": method, "params": params});
    let mut custom = told(
        "notifications/resources/updated",
        json!({"uri": "x:a", "more": odd()}),
    );
    custom["custom"] = true.into();
    let reference = json!({"type": "ref/prompt", "name": "a"});
    vec![
        ("tools/call", call("a"), json!({"content": []})),
        (
            "tools/call",
            call("a"),
            json!({"content": [block, image], "structuredContent": odd(), "isError": true, "_meta": odd()}),
        ),
        (
            "tools/call",
            call("a"),
            json!({"error": {"code": -32000, "message": text, "data": odd()}}),
        ),
        (
            "tools/call",
            call("loose"),
            told(
                "notifications/progress",
                json!({"progress": 1.0, "message": text}),
            ),
        ),
        (
            "tools/call",
            call("loose"),
            told(
                "notifications/message",
                json!({"level": "error", "data": odd()}),
            ),
        ),
        (
            "tools/call",
            call("loose"),
            told("notifications/own", odd()),
        ),
        (
            "tools/call",
            call("loose"),
            told(
                "notifications/resources/updated",
                json!({"uri": text, "_meta": odd()}),
            ),
        ),
        ("tools/call", call("loose"), custom),
        (
            "tools/call",
            call("loose"),
            json!({"method": "notifications/tools/list_changed"}),
        ),
        (
            "prompts/get",
            json!({"name": "a"}),
            json!({"messages": [{"role": "user", "content": block}], "_meta": odd()}),
        ),
        (
            "resources/read",
            json!({"uri": "x:a"}),
            json!({"contents": [{"uri": "x:a", "text": text, "_meta": odd()}], "_meta": odd()}),
        ),
        // The SDK adds this member of 2026-07-28 where an author left it out.
        (
            "x/custom",
            json!({}),
            json!({"resultType": "complete", "a": odd()}),
        ),
        (
            "completion/complete",
            json!({"ref": reference, "argument": {"name": "a", "value": "b"}}),
            json!({"completion": {"values": [text]}}),
        ),
        ("tools/list", json!({}), json!({})),
        ("resources/list", json!({}), json!({})),
    ]
}

/// A server on each side of the comparison.
struct Pair {
    hooked: Desk,
    bare: Desk,
}

impl Pair {
    fn new() -> Pair {
        Pair {
            hooked: Desk::default(),
            bare: Desk::default(),
        }
    }

    fn relays(&self, answer: &Value) {
        self.hooked.relays(answer.clone());
        self.bare.relays(answer.clone());
    }
}

/// Sends each message, and returns every line up to the answer to it.
async fn lines(stream: &mut BufReader<DuplexStream>, message: &Value) -> Vec<String> {
    let line = format!("{message}\n");
    stream.get_mut().write_all(line.as_bytes()).await.unwrap();
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        let read = timeout(PATIENCE, stream.read_line(&mut line)).await;
        read.expect("a line in time").unwrap();
        let sent: Value = serde_json::from_str(&line).unwrap();
        lines.push(line);
        if sent["id"] == message["id"] {
            return lines;
        }
    }
}

#[tokio::test]
async fn without_hooks_a_stream_carries_what_rmcp_writes() {
    for version in [LEGACY, STATELESS] {
        let pair = Pair::new();
        let (ours, theirs) = duplex(1 << 20);
        let mut hooked = BufReader::new(ours);
        let (read, write) = split(theirs);
        let serving = with(&pair.hooked, []).serve(WireTransport::new(read, write));
        tokio::spawn(async move { serving.await.unwrap().waiting().await.unwrap() });
        let (ours, theirs) = duplex(1 << 20);
        let mut bare = BufReader::new(ours);
        let serving = ServiceExt::serve(pair.bare.clone(), split(theirs));
        tokio::spawn(async move { serving.await.unwrap().waiting().await.unwrap() });
        // It writes messages, and connects to nothing.
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 1));
        let client = match version {
            LEGACY => Client::stranger(nowhere),
            _ => Client::stateless(nowhere),
        };
        if version == LEGACY {
            let params = json!({
                "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"},
            });
            let hello = client.message(Some(0), "initialize", params);
            lines(&mut hooked, &hello).await;
            lines(&mut bare, &hello).await;
            let told = client.message(None, "notifications/initialized", json!({}));
            let told = format!("{told}\n");
            hooked.get_mut().write_all(told.as_bytes()).await.unwrap();
            bare.get_mut().write_all(told.as_bytes()).await.unwrap();
        }
        for (id, (method, params, answer)) in (1..).zip(exchanges()) {
            pair.relays(&answer);
            let message = client.message(Some(id), method, params);
            let (shown, whole) = (
                lines(&mut hooked, &message).await,
                lines(&mut bare, &message).await,
            );
            assert_eq!(shown, whole, "{version} {method} {answer}");
        }
    }
}

/// The messages in a body, as they are written.
/// Returns the messages of a body: rmcp writes events, and the SDK JSON.
fn data(body: &str) -> Vec<&str> {
    if body.starts_with('{') {
        return vec![body];
    }
    let lines = body.lines().filter_map(|line| line.strip_prefix("data: "));
    lines.filter(|line| !line.is_empty()).collect()
}

#[tokio::test]
async fn without_hooks_http_carries_what_rmcp_writes() {
    for version in [LEGACY, STATELESS] {
        let pair = Pair::new();
        let hooked = toy_server::serve(http::Server::new(with(&pair.hooked, []))).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let bare = listener.local_addr().unwrap();
        let desk = pair.bare.clone();
        let sessions = LocalSessionManager::default().into();
        let service =
            StreamableHttpService::new(move || Ok(desk.clone()), sessions, Default::default());
        let router = Router::new().route_service("/mcp", service);
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let (hooked, bare) = match version {
            LEGACY => (Client::legacy(hooked).await, Client::legacy(bare).await),
            _ => (Client::stateless(hooked), Client::stateless(bare)),
        };
        for (id, (method, params, answer)) in (1..).zip(exchanges()) {
            pair.relays(&answer);
            let message = hooked.message(Some(id), method, params).to_string();
            let shown = hooked.post(&message).await;
            let whole = bare.post(&message).await;
            assert_eq!(shown.status, whole.status, "{version} {method} {answer}");
            let (shown, whole) = (shown.whole().await.body, whole.whole().await.body);
            assert_eq!(data(&shown), data(&whole), "{version} {method} {answer}");
            assert!(!whole.is_empty(), "{version} {method}");
        }
    }
}
