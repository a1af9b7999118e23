//! `Host` and `Origin`: foreign web pages do not reach the server.

use hooks_tests::{
    client::{Reply, ask, begin_http2, call, get, raw, said, whole},
    toy_server::Served,
};
use http::StatusCode;
use serde_json::json;

use crate::desk::serve;

async fn work(served: &Served, more: &[(&str, &str)]) -> Reply {
    ask(served.address, call("work", json!({}), more)).await
}

#[tokio::test]
async fn this_computer_is_allowed_under_all_its_names() {
    let served = serve(|server| server).await;
    for host in [
        "localhost",
        "LocalHost:8080",
        "127.0.0.1",
        "127.0.0.1:1",
        "[::1]",
        "[::1]:65535",
    ] {
        assert_eq!(
            said(&work(&served, &[("host", host)]).await),
            "worked",
            "{host}"
        );
    }
    for origin in [
        "http://localhost",
        "https://localhost:3000",
        "http://127.0.0.1:5173",
        "http://[::1]:9",
    ] {
        assert_eq!(
            said(&work(&served, &[("origin", origin)]).await),
            "worked",
            "{origin}"
        );
    }
}

#[tokio::test]
async fn another_host_is_refused_and_the_sentence_says_what_to_set() {
    let served = serve(|server| server).await;
    for host in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example:80",
        "127.0.0.2",
        "[::2]",
        "localhost.",
    ] {
        let answer = work(&served, &[("host", host)]).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{host}");
        let sentence = answer.refusal();
        assert!(sentence.ends_with("is not among the hosts of this server: its operator allows it with `hosts` or `--allow-host`"), "{sentence}");
    }
    let answer = ask(served.address, get("/mcp", "evil.example")).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert!(
        answer.body.starts_with("the host `evil.example` is not"),
        "{}",
        answer.body
    );
}

#[tokio::test]
async fn a_host_that_is_none_is_a_bad_request() {
    let served = serve(|server| server).await;
    for host in [
        "user@localhost",
        "localhost@evil.example",
        "user:secret@localhost:80",
        "localhost:",
        "localhost:99999",
        "local host",
        "",
    ] {
        let answer = work(&served, &[("host", host)]).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{host}");
        assert!(!answer.body.contains("secret"), "{}", answer.body);
    }
    let bare = "Connection: close\r\n\r\n";
    let answer = raw(served.address, format!("GET /mcp HTTP/1.1\r\n{bare}")).await;
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(answer.ends_with("the request has no `Host`\n"), "{answer}");
    let twice = "Host: localhost\r\nHost: evil.example\r\n";
    let answer = raw(
        served.address,
        format!("GET /mcp HTTP/1.1\r\n{twice}{bare}"),
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    // The host of the request line counts, too.
    let whole = "GET http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\n";
    let answer = raw(served.address, format!("{whole}{bare}")).await;
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
}

#[tokio::test]
async fn another_origin_is_refused_and_the_sentence_says_what_to_set() {
    let served = serve(|server| server).await;
    for origin in [
        "https://evil.example",
        "http://localhost.evil.example",
        "http://localhost@evil.example",
        "http://user@localhost",
        "ftp://localhost",
        "null",
        "localhost",
        "",
    ] {
        let answer = work(&served, &[("origin", origin)]).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{origin}");
        let sentence = answer.refusal();
        assert!(sentence.ends_with("is not among the origins of this server: its operator allows it with `origins` or `--allow-origin`"), "{sentence}");
    }
    let two = [
        ("origin", "http://localhost"),
        ("origin", "http://evil.example"),
    ];
    assert_eq!(work(&served, &two).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn the_operator_names_hosts_and_origins() {
    let served = serve(|server| {
        server
            .hosts(["mcp.example.com", "inside:8080", "::1"])
            .origins([
                "https://app.example.com",
                "http://dev.example.com:*",
                "null",
            ])
    })
    .await;
    for (host, expected) in [
        ("mcp.example.com", 200),
        ("MCP.example.com:444", 200),
        ("inside:8080", 200),
        ("inside", 403),
        ("inside:8081", 403),
        ("[::1]:1", 200),
        ("localhost", 403),
    ] {
        let answer = work(&served, &[("host", host)]).await;
        assert_eq!(answer.status, expected, "{host}");
    }
    for (origin, expected) in [
        ("https://app.example.com", 200),
        ("https://app.example.com:443", 200),
        ("https://app.example.com:444", 403),
        ("http://app.example.com", 403),
        ("http://dev.example.com:5173", 200),
        ("null", 200),
        ("http://localhost", 403),
    ] {
        let headers = [("host", "mcp.example.com"), ("origin", origin)];
        let answer = work(&served, &headers).await;
        assert_eq!(answer.status, expected, "{origin}");
    }
}

#[tokio::test]
async fn http2_names_the_host_in_its_authority() {
    let served = serve(|server| server).await;
    let answer = whole(begin_http2(served.address, call("work", json!({}), &[])).await).await;
    assert_eq!(said(&answer), "worked");
    let foreign = call("work", json!({}), &[("host", "evil.example")]);
    let answer = whole(begin_http2(served.address, foreign).await).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn both_versions_of_http_are_served_at_once() {
    let served = serve(|server| server).await;
    let address = served.address;
    let waiting = tokio::spawn(async move { ask(address, call("wait", json!({}), &[])).await });
    hooks_tests::toy_server::one(&served.server.begun).await;
    let other = whole(begin_http2(address, call("work", json!({}), &[])).await).await;
    assert_eq!(said(&other), "worked");
    served.server.leave.add_permits(1);
    assert_eq!(said(&waiting.await.expect("no panic")), "waited");
}
