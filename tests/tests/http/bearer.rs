//! Bearer tokens and principals.

use bytes::Bytes;
use hooks_sdk::http;
use hooks_tests::{
    client::{LEGACY, POST, Reply, ask, begin, call, get, initialize, listen, request, said},
    subscriber::Logged,
    toy_server::Served,
};
use http_body_util::Full;
use hyper::{Method, Request, StatusCode};
use serde_json::json;
use tracing::Level;

use crate::desk::{Stage, desk, serve};

async fn work(served: &Served, more: &[(&str, &str)]) -> Reply {
    ask(served.address, call("work", json!({}), more)).await
}

#[tokio::test]
async fn only_a_token_of_the_server_passes() {
    let served = serve(|server| server.bearer("old-token").bearer("new-token")).await;
    for value in [
        "Bearer old-token",
        "Bearer new-token",
        "bearer new-token",
        "BEARER  new-token",
    ] {
        let answer = work(&served, &[("authorization", value)]).await;
        assert_eq!(said(&answer), "worked", "{value}");
    }
    for value in [
        "Bearer other-token",
        "Bearer new-toke",
        "Bearer new-token2",
        "Bearer ",
        "Bearer",
        "Basic new-token",
        "new-token",
        "",
        "Bearer new-token, Bearer old-token",
    ] {
        let answer = work(&served, &[("authorization", value)]).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{value}");
        assert_eq!(
            answer.header("www-authenticate"),
            Some(
                r#"Bearer error="invalid_token", error_description="the token is not one of this server's""#
            )
        );
        let sentence = answer.refusal();
        assert_eq!(
            sentence,
            "the bearer token in `Authorization` is not one of this server's"
        );
    }
    let two = [
        ("authorization", "Bearer new-token"),
        ("authorization", "Bearer x"),
    ];
    assert_eq!(work(&served, &two).await.status, StatusCode::UNAUTHORIZED);
    let answer = work(&served, &[]).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    assert!(
        answer
            .refusal()
            .ends_with("send it as `Authorization: Bearer <token>`")
    );
    // The probes are for who runs the server.
    for path in ["/healthz", "/readyz"] {
        assert_eq!(
            ask(served.address, get(path, "localhost")).await.status,
            200
        );
    }
}

/// A client that gets 401 looks for a login, and shows how its registration was answered.
#[tokio::test]
async fn a_client_that_looks_for_a_login_is_told_to_send_a_token() {
    let served = serve(|server| server.bearer("secret")).await;
    for (method, path) in [
        (Method::GET, "/.well-known/oauth-protected-resource/mcp"),
        (Method::GET, "/.well-known/oauth-authorization-server"),
        (Method::POST, "/register"),
    ] {
        let answer = ask(served.address, request(method, path, &[], "{}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(
            answer.body.contains("this server has no OAuth login")
                && answer.body.contains("`Authorization: Bearer <token>`"),
            "{answer:?}"
        );
    }
    let open = serve(|server| server).await;
    let answer = ask(open.address, request(Method::POST, "/register", &[], "{}")).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert_eq!(answer.body, "there is nothing at this path\n");
}

#[tokio::test]
async fn no_token_is_ever_logged() {
    let logged = Logged::listen(Level::TRACE);
    let served = serve(|server| server.bearer("right-secret")).await;
    let mut bodies = String::new();
    for value in ["Bearer right-secret", "Bearer wrong-secret", "other-secret"] {
        bodies += &work(&served, &[("authorization", value)]).await.body;
    }
    served.end().await;
    let log = logged.take();
    assert!(log.contains("a request was refused"), "{log}");
    for secret in ["right-secret", "wrong-secret", "other-secret"] {
        assert!(!log.contains(secret), "{log}");
        assert!(!bodies.contains(secret), "{bodies}");
    }
}

#[tokio::test]
async fn a_session_belongs_to_its_principal() {
    let desk = desk();
    let server = http::Server::new(desk.bare().session::<Stage>());
    let server = server.principal(|parts| {
        let user = parts.headers.get("x-user")?;
        Some(user.to_str().ok()?.to_owned())
    });
    let served = Served::start(desk, server).await;
    let unknown = work(&served, &[]).await;
    assert_eq!(unknown.status, StatusCode::UNAUTHORIZED);
    assert_eq!(
        unknown.refusal(),
        "the server does not know who sent the request"
    );
    let ann = [("x-user", "ann")];
    let opened = ask(served.address, call("session_init", json!({}), &ann)).await;
    let opened = opened.json();
    let handle = &opened["result"]["_meta"]["hooks-sdk/session"];
    assert!(handle.is_string(), "{opened}");
    let meta = || json!({"hooks-sdk/session": handle});
    let own = ask(served.address, call("work", meta(), &ann)).await;
    assert_eq!(said(&own), "worked");
    let foreign = call("work", meta(), &[("x-user", "bob")]);
    let foreign = ask(served.address, foreign).await.json();
    assert_eq!(foreign["result"]["isError"], true, "{foreign}");
}

#[tokio::test]
async fn a_principal_that_panics_is_an_error_and_nobody() {
    let served = serve(|server| {
        server.principal(|parts| match parts.headers.get("x-user")?.to_str() {
            Ok("eve") => panic!("no such user"),
            name => name.ok().map(str::to_owned),
        })
    })
    .await;
    let failed = work(&served, &[("x-user", "eve")]).await;
    assert_eq!(failed.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(
        failed.refusal(),
        "the server failed at this request: its log says why"
    );
    assert_eq!(said(&work(&served, &[("x-user", "ada")]).await), "worked");
}

#[tokio::test]
async fn the_session_id_of_another_principal_is_unknown() {
    let served = serve(|server| {
        server.principal(|parts| {
            let user = parts.headers.get("x-user")?;
            Some(user.to_str().ok()?.to_owned())
        })
    })
    .await;
    let by = |mut request: Request<Full<Bytes>>, user: &str| {
        let user = user.parse().expect("a value");
        request.headers_mut().insert("x-user", user);
        request
    };
    let opened = ask(served.address, by(initialize(), "ann")).await;
    let id = opened
        .header("mcp-session-id")
        .expect("a session")
        .to_owned();
    // Its head alone: a stream has no end.
    let foreign = begin(served.address, by(listen(&id), "bob")).await;
    assert_eq!(foreign.status, StatusCode::NOT_FOUND);
    let ping = r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
    let of_session = [("mcp-session-id", &*id), ("mcp-protocol-version", LEGACY)];
    for (method, body) in [(Method::POST, ping), (Method::DELETE, "")] {
        let headers = [&POST[..], &of_session].concat();
        let foreign = by(request(method, "/mcp", &headers, body), "bob");
        let foreign = ask(served.address, foreign).await;
        assert_eq!(foreign.status, StatusCode::NOT_FOUND);
    }
    // An event of the session is no way in, either.
    let mut foreign = by(listen(&id), "bob");
    let last = "0".parse().expect("a value");
    foreign.headers_mut().insert("last-event-id", last);
    assert_eq!(
        ask(served.address, foreign).await.status,
        StatusCode::NOT_FOUND
    );
    let own = begin(served.address, by(listen(&id), "ann")).await;
    assert_eq!(own.status, StatusCode::OK);
}
