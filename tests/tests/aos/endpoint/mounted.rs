//! A guardian beside the path of MCP.

use hooks_sdk::http::Server;
use hooks_tests::{
    client::ask,
    toy_server::{Served, ToyServer, one},
};
use http::StatusCode;

use super::{
    client::{GuardianReply, ask_about, post, request, step},
    keeper::Keeper,
};

#[tokio::test]
async fn it_answers_beside_mcp_with_the_checks_of_the_server() {
    let keeper = Keeper::new();
    let server = Server::new(ToyServer::default().bare())
        .bearer("secret")
        .principal(|parts| {
            let user = parts.headers.get("x-user")?.to_str().ok()?;
            Some(user.to_owned())
        });
    let server = server.guardian_at("/aos", keeper.guardian());
    let served = Served::start(ToyServer::default(), server).await;
    let address = served.address;
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
    served.stop.cancel();
    keeper.leave.add_permits(1);
    assert_eq!(waiting.await.expect("no panic").decision(), "allow");
}

#[tokio::test]
async fn its_path_is_its_own() {
    for path in ["/mcp", "/readyz", "/other"] {
        let server = Server::new(ToyServer::default().bare())
            .guardian_at("/other", Keeper::new().guardian());
        let server = server.guardian_at(path, Keeper::new().guardian());
        let refused = server.router().await.expect_err("a taken path").to_string();
        assert!(
            refused.starts_with(&format!("`{path}` is the path of something else")),
            "{refused}"
        );
    }
}
