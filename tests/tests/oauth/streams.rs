//! Streams that outlive their token, and WebSockets.

use std::time::Duration;

use futures::StreamExt;
use hooks_sdk::{
    Collected,
    core::Registry,
    http,
    rmcp::{
        ErrorData, ServerHandler,
        model::{ServerCapabilities, ServerConfig, SubscriptionFilter},
        service::SubscriptionContext,
    },
};
use hooks_tests::{
    client::{Client, LEGACY, ask, begin, call, initialize, listen, raw, said},
    toy_server,
};
use hyper::header::HeaderValue;
use serde_json::json;
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    client_async,
    tungstenite::{Error, Message, client::IntoClientRequest},
};

use crate::rig::{Authority, RESOURCE, bearer, now, serve};

/// A server that tells its listeners nothing, for ever.
#[derive(Clone)]
struct Silent;

impl ServerHandler for Silent {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_resources()
            .enable_resources_subscribe();
        ServerConfig::new(capabilities.build())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, _: SubscriptionContext) -> Result<(), ErrorData> {
        std::future::pending().await
    }
}

/// Returns a token that expires soon.
fn short(authority: &Authority) -> String {
    let mut claims = authority.claims("ann");
    claims["exp"] = (now() + 2).into();
    authority.key.token(&claims)
}

#[tokio::test]
async fn an_open_stream_ends_with_its_token_and_a_call_does_not() {
    let authority = Authority::start().await;
    let served = serve([], |server| server.oauth(authority.login())).await;
    let token = bearer(&short(&authority));
    let value = || HeaderValue::try_from(&token).expect("a value");
    let mut opening = initialize();
    opening.headers_mut().insert("authorization", value());
    let opened = ask(served.address, opening).await;
    let id = opened
        .header("mcp-session-id")
        .expect("a session")
        .to_owned();
    let mut listening = listen(&id);
    listening.headers_mut().insert("authorization", value());
    let mut legacy = begin(served.address, listening).await;
    assert_eq!(legacy.status, 200);
    let collected = Collected::of(Registry::default()).expect("no hooks");
    let silent = http::Server::new(collected.wrap(Silent).expect("no hooks"));
    let silent = toy_server::serve(silent.oauth(authority.login())).await;
    let client = Client::stateless(silent).with("authorization", &*token);
    let mut stateless = client
        .request(
            "subscriptions/listen",
            json!({"notifications": {"resourceSubscriptions": ["file:notes"]}}),
        )
        .await;
    assert_eq!(stateless.status, 200);
    let waiting = tokio::spawn(ask(
        served.address,
        call("wait", json!({}), &[("authorization", &token)]),
    ));
    let ended = async {
        while legacy.next().await.is_some() {}
        while stateless.next().await.is_some() {}
    };
    timeout(Duration::from_secs(20), ended)
        .await
        .expect("both streams end");
    served.server.leave.add_permits(1);
    assert_eq!(said(&waiting.await.expect("an answer")), "waited");
}

type Socket = tokio_tungstenite::WebSocketStream<TcpStream>;

async fn open(
    address: std::net::SocketAddr,
    path: &str,
    token: Option<&str>,
) -> Result<Socket, u16> {
    let stream = TcpStream::connect(address).await.expect("a connection");
    let mut request = format!("ws://localhost{path}")
        .into_client_request()
        .expect("a request");
    if let Some(token) = token {
        let value = HeaderValue::try_from(bearer(token)).expect("a value");
        request.headers_mut().insert("authorization", value);
    }
    match client_async(request, stream).await {
        Ok((socket, _)) => Ok(socket),
        Err(Error::Http(response)) => {
            let challenge = response.headers().get("www-authenticate");
            assert!(challenge.is_some(), "{response:?}");
            Err(response.status().as_u16())
        }
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_websocket_takes_its_token_from_the_header_only_and_ends_with_it() {
    let authority = Authority::start().await;
    let served = serve([], |server| {
        server.oauth(authority.login()).websocket_path("/ws")
    })
    .await;
    let good = authority.token("ann");
    let in_query = format!("/ws?token={good}");
    assert_eq!(open(served.address, "/ws", None).await.err(), Some(401));
    assert_eq!(open(served.address, &in_query, None).await.err(), Some(401));
    assert_eq!(
        open(served.address, "/ws", Some("wrong")).await.err(),
        Some(401)
    );
    let less = authority.scoped("ann", "other");
    assert_eq!(
        open(served.address, "/ws", Some(&less)).await.err(),
        Some(403)
    );
    let mut socket = open(served.address, "/ws", Some(&short(&authority)))
        .await
        .expect("a socket");
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"},
    }});
    futures::SinkExt::send(&mut socket, Message::text(hello.to_string()))
        .await
        .expect("sent");
    let rest = async {
        let mut closed = None;
        while let Some(Ok(message)) = socket.next().await {
            if let Message::Close(frame) = message {
                closed = frame.map(|frame| u16::from(frame.code));
            }
        }
        closed
    };
    let closed = timeout(Duration::from_secs(20), rest)
        .await
        .expect("an end");
    assert_eq!(closed, Some(1001));
}

#[tokio::test]
async fn a_path_with_a_slash_behind_it_or_another_case_is_not_served() {
    let authority = Authority::start().await;
    let served = serve([], |server| server.oauth(authority.login())).await;
    for path in ["/mcp/", "/MCP", "//mcp", "/mcp%2f", "/./mcp"] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        );
        let answer = raw(served.address, &head).await;
        assert!(answer.contains(" 404 "), "{path}: {answer}");
    }
    assert!(RESOURCE.ends_with("/mcp"));
}
