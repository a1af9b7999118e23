//! WebSockets: the checks of the other paths hold, each message is a frame, and the connection ends as the others do.

mod mcpl_host;

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::{SinkExt, StreamExt};
use hooks_sdk::{
    Collected, Hooked,
    core::{Registry, Verdict, Violation},
    http,
    plugin::{PluginContext, PluginHook, PluginPoint, point},
    prelude::*,
};
use hooks_tests::{
    client::{LEGACY, PATIENCE, ask, get},
    toy_server::{Served, one},
};
use hyper::StatusCode;
use rmcp::ServerHandler;
use serde_json::{Value, json};
use tokio::{io::AsyncReadExt, net::TcpStream, time::timeout};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{
        self, Message,
        client::IntoClientRequest,
        protocol::{CloseFrame, frame::coding::CloseCode},
    },
};

use crate::desk::{Stage, desk, serve};

/// A client that writes frames by hand.
struct Client(WebSocketStream<TcpStream>);

impl Client {
    async fn open(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Client {
        let opened = try_open(address, path, headers).await;
        opened.unwrap_or_else(|status| panic!("refused with {status}"))
    }

    async fn send(&mut self, text: impl Into<String>) {
        let text: String = text.into();
        self.0.send(Message::text(text)).await.expect("sent");
    }

    /// Returns the next message, or the frame that closes.
    async fn next(&mut self) -> Result<Value, CloseFrame> {
        loop {
            let next = timeout(PATIENCE, self.0.next()).await.expect("in time");
            match next.expect("a message").expect("a frame") {
                Message::Text(text) => return Ok(serde_json::from_str(&text).expect("JSON")),
                Message::Close(frame) => return Err(frame.expect("a code")),
                _ => {}
            }
        }
    }

    async fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(message.to_string()).await;
        let answer = self.next().await.expect("an answer");
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    async fn initialize(&mut self) -> Value {
        let client = json!({"name": "client", "version": "1"});
        let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client});
        let answer = self.ask(0, "initialize", params).await;
        let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.send(done.to_string()).await;
        answer
    }

    async fn call(&mut self, id: u64, tool: &str) -> Value {
        let params = json!({"name": tool, "arguments": {}});
        self.ask(id, "tools/call", params).await["result"].take()
    }
}

async fn try_open(
    address: SocketAddr,
    path: &str,
    headers: &[(&str, &str)],
) -> Result<Client, StatusCode> {
    let url = format!("ws://{address}{path}");
    let mut request = url.into_client_request().expect("a request");
    for (name, value) in headers {
        let name: hyper::header::HeaderName = name.parse().expect("a name");
        request
            .headers_mut()
            .insert(name, value.parse().expect("a value"));
    }
    let stream = TcpStream::connect(address).await.expect("a server");
    match client_async(request, stream).await {
        Ok((stream, _)) => Ok(Client(stream)),
        Err(tungstenite::Error::Http(response)) => Err(response.status()),
        Err(error) => panic!("{error}"),
    }
}

async fn served(settings: impl FnOnce(http::Server) -> http::Server) -> Served {
    serve(|server| settings(server.websocket_path("/socket"))).await
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("a text")
}

#[tokio::test]
async fn a_connection_is_one_session() {
    let desk = desk();
    let hooked = desk.bare().session::<Stage>();
    let server = http::Server::new(hooked).websocket_path("/socket");
    let served = Served::start(desk, server).await;
    let headers = [("sec-websocket-protocol", "mcp")];
    let mut first = Client::open(served.address, "/socket", &headers).await;
    let mut second = Client::open(served.address, "/socket", &[]).await;
    for client in [&mut first, &mut second] {
        let answer = client.initialize().await;
        assert_eq!(answer["result"]["protocolVersion"], LEGACY);
        assert_eq!(client.call(1, "work").await["isError"], true);
    }
    assert_eq!(text(&first.call(2, "session_init").await), "opened");
    assert_eq!(text(&first.call(3, "work").await), "worked");
    assert_eq!(second.call(3, "work").await["isError"], true);
    // The spaces of JSON may have line ends, and a frame may have bytes.
    first
        .send("{\"jsonrpc\":\r\n\"2.0\",\n\"id\": 4, \"method\": \"ping\"}")
        .await;
    assert_eq!(first.next().await.expect("an answer")["id"], 4);
    let ping = json!({"jsonrpc": "2.0", "id": 5, "method": "ping"});
    first
        .0
        .send(Message::binary(ping.to_string()))
        .await
        .expect("sent");
    assert_eq!(first.next().await.expect("an answer")["id"], 5);
    first.0.close(None).await.expect("closed");
    served.end().await;
}

#[tokio::test]
async fn a_call_on_a_websocket_has_the_deadline_of_http() {
    let served = served(|server| server).await;
    let mut client = Client::open(served.address, "/socket", &[]).await;
    client.initialize().await;
    let params = json!({"name": "wait", "arguments": {}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    client.send(call.to_string()).await;
    one(&served.server.begun).await;
    for seconds in [115, 5] {
        assert_eq!(served.server.ended.available_permits(), 0);
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(seconds)).await;
        tokio::time::resume();
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let answer = client.next().await.expect("an answer");
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let text = text(&answer["result"]);
    assert!(text.contains("did not end within 120 s"), "{text}");
    one(&served.server.ended).await;
}

#[tokio::test]
async fn the_checks_of_the_other_paths_hold() {
    let served = served(|server| {
        let server = server.bearer("right");
        server.principal(|parts| Some(parts.headers.get("x-user")?.to_str().ok()?.to_owned()))
    })
    .await;
    let at = served.address;
    let kim = ("x-user", "kim");
    let right = ("authorization", "Bearer right");
    let refused = |path, headers: Vec<_>| async move {
        try_open(at, path, &headers)
            .await
            .err()
            .map(|status| status.as_u16())
    };
    assert_eq!(refused("/socket", vec![kim]).await, Some(401));
    assert_eq!(refused("/socket?token=wrong", vec![kim]).await, Some(401));
    assert_eq!(refused("/socket?token=", vec![kim]).await, Some(401));
    assert_eq!(
        refused("/socket", vec![kim, ("authorization", "Bearer wrong")]).await,
        Some(401)
    );
    assert_eq!(refused("/socket", vec![right]).await, Some(401));
    assert_eq!(
        refused("/socket", vec![kim, right, ("host", "evil.example")]).await,
        Some(403)
    );
    let origin = ("origin", "https://evil.example");
    assert_eq!(
        refused("/socket", vec![kim, right, origin]).await,
        Some(403)
    );
    assert_eq!(refused("/socket/", vec![kim, right]).await, Some(404));
    assert_eq!(refused("/mcpl", vec![kim, right]).await, Some(404));
    assert_eq!(refused("/socket", vec![kim, right]).await, None);
    assert_eq!(refused("/socket?token=righ%74&a=b", vec![kim]).await, None);
    // Without an upgrade there is no WebSocket.
    let mut plain = get("/socket?token=right", "localhost");
    plain
        .headers_mut()
        .insert("x-user", "kim".parse().expect("a value"));
    let plain = ask(at, plain).await;
    assert!(plain.status.is_client_error(), "{plain:?}");
    served.end().await;
}

/// A hook that refuses what `refuses` says, and that writes down the user.
fn fence<P: PluginPoint>(
    point: P,
    users: &Arc<Mutex<Vec<Option<String>>>>,
    refuses: impl Fn(&P::Payload) -> bool + Send + Sync + 'static,
) -> PluginHook {
    let users = users.clone();
    PluginHook::answering_any(
        "fence",
        point,
        move |payload: &P::Payload, cx: &mut PluginContext| {
            users.lock().expect("no panic").push(cx.global.user.clone());
            let verdict = match refuses(payload) {
                true => Verdict::<Infallible>::Deny(Violation::new("no sockets here")),
                false => Verdict::Allow,
            };
            Box::pin(async { verdict })
        },
    )
}

#[tokio::test]
async fn hooks_see_the_request_without_its_token_and_who_opened_the_connection() {
    let desk = desk();
    let users = Arc::default();
    let request = fence(point::http_pre_request, &users, |request| {
        let shows_token = format!("{request:?}").contains("right");
        shows_token || request.headers.contains("x-refuse")
    });
    let call = fence(point::tool_pre_invoke, &users, |_| false);
    let registry = Registry::builder().add(request.into()).add(call.into());
    let collected = Collected::of(registry.build().expect("sound hooks")).expect("sound hooks");
    let hooked = collected.wrap(desk.clone()).expect("sound hooks");
    let server = http::Server::new(hooked)
        .websocket_path("/socket")
        .bearer("right")
        .principal(|parts| Some(parts.headers.get("x-user")?.to_str().ok()?.to_owned()));
    let served = Served::start(desk, server).await;
    let kim = ("x-user", "kim");
    let refused = [kim, ("x-refuse", "yes")];
    let refused = try_open(served.address, "/socket?token=right", &refused).await;
    assert_eq!(refused.err(), Some(StatusCode::FORBIDDEN));
    let mut client = Client::open(served.address, "/socket?token=right", &[kim]).await;
    client.initialize().await;
    assert_eq!(text(&client.call(1, "work").await), "worked");
    let kim = Some("kim".to_owned());
    assert_eq!(
        *users.lock().expect("no panic"),
        [kim.clone(), kim.clone(), kim]
    );
    served.end().await;
}

#[tokio::test]
async fn a_message_that_is_too_large_ends_the_connection() {
    let served = served(|server| server.max_body(2048)).await;
    let mut client = Client::open(served.address, "/socket", &[]).await;
    client.initialize().await;
    client.send("x".repeat(4096)).await;
    let closed = client.next().await.expect_err("closed");
    assert_eq!(closed.code, CloseCode::Size);
    served.end().await;
}

#[tokio::test]
async fn a_running_call_is_answered_before_the_server_stops() {
    let served = served(|server| server).await;
    let mut client = Client::open(served.address, "/socket", &[]).await;
    client.initialize().await;
    let call =
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "wait"}});
    client.send(call.to_string()).await;
    one(&served.server.begun).await;
    served.stop.cancel();
    let status = loop {
        match try_open(served.address, "/socket", &[]).await {
            Err(status) => break status,
            Ok(_) => tokio::task::yield_now().await,
        }
    };
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    served.server.leave.add_permits(1);
    assert_eq!(
        text(&client.next().await.expect("an answer")["result"]),
        "waited"
    );
    let closed = client.next().await.expect_err("closed");
    assert_eq!(closed.code, CloseCode::Away);
    served.end().await;
}

#[tokio::test]
async fn connections_are_limited_and_a_silent_one_is_closed() {
    let settings =
        |server: http::Server| server.max_sessions(1).body_timeout(Duration::from_secs(2));
    let served = served(settings).await;
    let mut silent = Client::open(served.address, "/socket", &[]).await;
    let further = try_open(served.address, "/socket", &[]).await.err();
    assert_eq!(further, Some(StatusCode::SERVICE_UNAVAILABLE));
    silent
        .next()
        .await
        .expect_err("closed: it sent no handshake");
    drop(silent);
    let next = async {
        while try_open(served.address, "/socket", &[]).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, next).await.expect("a free place");
    served.end().await;
}

#[tokio::test]
async fn a_client_that_answers_no_ping_is_closed() {
    let served = served(|server| server.keep_alive(Duration::from_millis(150))).await;
    // It reads nothing, so it answers no ping.
    let mut deaf = Client::open(served.address, "/socket", &[]).await;
    deaf.initialize().await;
    let mut awake = Client::open(served.address, "/socket", &[]).await;
    awake.initialize().await;
    // It reads, and so it answers each ping.
    _ = timeout(Duration::from_millis(1500), awake.next()).await;
    assert_eq!(text(&awake.call(1, "work").await), "worked");
    let ended = async { while let Some(Ok(_)) = deaf.0.next().await {} };
    timeout(PATIENCE, ended)
        .await
        .expect("the server has closed it");
    served.end().await;
}

/// The client reads all that a flood brings, and answers no ping between. Without pings, the whole flood comes.
#[tokio::test]
async fn a_flood_keeps_no_ping_away() {
    const WHOLE: usize = 1024 * 5 * 16 * 1024;
    for (keep_alive, is_closed) in [
        (Duration::from_millis(20), true),
        (Duration::from_secs(3600), false),
    ] {
        let served = served(|server| server.keep_alive(keep_alive)).await;
        let mut mute = Client::open(served.address, "/socket", &[]).await;
        mute.initialize().await;
        let flood = json!({"name": "flood", "arguments": {}});
        let flood = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": flood});
        mute.send(flood.to_string()).await;
        let stream = mute.0.get_mut();
        let (mut buffer, mut received) = (vec![0; 64 * 1024], 0);
        let reading = async {
            while received < WHOLE {
                // The connection may also end with an error.
                match stream.read(&mut buffer).await {
                    Ok(0) | Err(_) => break,
                    Ok(read) => received += read,
                }
            }
        };
        timeout(PATIENCE, reading)
            .await
            .expect("the flood has ended");
        assert_eq!(received < WHOLE, is_closed, "{received} bytes came");
        served.end().await;
    }
}

#[tokio::test]
async fn a_wrong_path_is_an_error_at_start() {
    for path in ["socket", "/mcp", "/healthz", "/so cket"] {
        let server = http::Server::new(desk().bare()).websocket_path(path);
        let error = server.router().await.expect_err(path).to_string();
        assert!(error.contains(path), "{error}");
    }
}
