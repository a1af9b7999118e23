//! A guardian beside the path of MCP.

use std::net::SocketAddr;

use hooks_sdk::{
    Collected,
    core::Registry,
    http::Server,
    server::{Hooked, ServerHandler},
};
use hooks_tests::client::ask;
use http::StatusCode;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{
    client::{GuardianReply, ask_about, post, request, step},
    keeper::{Keeper, one},
};

#[derive(Clone)]
struct Notes;

impl ServerHandler for Notes {}

fn hooked() -> Hooked<Notes> {
    let registry = Registry::builder().build().expect("no hooks");
    let collected = Collected::of(registry).expect("sound hooks");
    collected.wrap(Notes).expect("sound hooks")
}

async fn serve(server: Server) -> (SocketAddr, CancellationToken) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let stop = CancellationToken::new();
    let shutdown = stop.clone().cancelled_owned();
    tokio::spawn(async move {
        server
            .serve_on(listener, shutdown)
            .await
            .expect("sound settings")
    });
    (address, stop)
}

#[tokio::test]
async fn it_answers_beside_mcp_with_the_checks_of_the_server() {
    let keeper = Keeper::new();
    let server = Server::new(hooked()).bearer("secret").principal(|parts| {
        let user = parts.headers.get("x-user")?.to_str().ok()?;
        Some(user.to_owned())
    });
    let (address, stop) = serve(server.guardian_at("/aos", keeper.guardian())).await;
    let body = step("shell").to_string();
    let (token, user) = (("authorization", "Bearer secret"), ("x-user", "alice"));
    assert_eq!(
        ask_about(address, "shell").await.status,
        StatusCode::UNAUTHORIZED
    );
    let anonymous = ask(address, post(body.clone(), &[token])).await;
    assert_eq!(anonymous.status, StatusCode::UNAUTHORIZED);
    assert_eq!(
        ask(address, post(body.clone(), &[token, user]))
            .await
            .decision(),
        "deny"
    );
    let foreign = [token, user, ("host", "evil.example")];
    assert_eq!(
        ask(address, post(body, &foreign)).await.status,
        StatusCode::FORBIDDEN
    );
    let get = ask(address, request(http::Method::GET, &[token, user], "")).await;
    assert_eq!(
        (get.status.as_u16(), get.header("allow")),
        (405, Some("POST"))
    );
    let mut mcp = post(
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        &[token, user],
    );
    *mcp.uri_mut() = "/mcp".parse().expect("a path");
    assert_ne!(ask(address, mcp).await.status, 404);
    // The server waits for its guardian, too.
    let waiting =
        tokio::spawn(
            async move { ask(address, post(step("wait").to_string(), &[token, user])).await },
        );
    one(&keeper.begun).await;
    stop.cancel();
    keeper.leave.add_permits(1);
    assert_eq!(waiting.await.expect("no panic").decision(), "allow");
}

#[tokio::test]
async fn its_path_is_its_own() {
    for path in ["/mcp", "/readyz", "/other"] {
        let server = Server::new(hooked()).guardian_at("/other", Keeper::new().guardian());
        let server = server.guardian_at(path, Keeper::new().guardian());
        let refused = server.router().await.expect_err("a taken path").to_string();
        assert!(
            refused.starts_with(&format!("`{path}` is the path of something else")),
            "{refused}"
        );
    }
}
