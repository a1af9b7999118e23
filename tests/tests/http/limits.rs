//! Bodies and heads that are too large, and what is no JSON.

use hooks_tests::client::{POST, Raw, ask, call, mcp_head, raw, request, said};
use http::{Method, StatusCode};
use serde_json::json;

use crate::desk::serve;

#[tokio::test]
async fn a_body_larger_than_the_limit_is_refused() {
    let served = serve(|server| server.max_body(1024)).await;
    let answer = ask(
        served.address,
        request(Method::POST, "/mcp", &POST, vec![b' '; 1025]),
    )
    .await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(
        answer.refusal(),
        "the body of the request is larger than 1024 bytes: the operator of the server sets the limit with `max_body`"
    );
    assert_eq!(
        said(&ask(served.address, call("work", json!({}), &[])).await),
        "worked"
    );
}

#[tokio::test]
async fn a_hundred_megabytes_are_refused_at_their_announcement() {
    let served = serve(|server| server).await;
    // Nothing of the body is sent.
    let announced = mcp_head("Content-Length: 104857600\r\nExpect: 100-continue\r\n\r\n");
    let answer = raw(served.address, announced).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

#[tokio::test]
async fn a_hundred_megabytes_in_chunks_are_not_read_to_their_end() {
    let served = serve(|server| server).await;
    let mut raw = Raw::connect(served.address).await;
    raw.write(mcp_head("Transfer-Encoding: chunked\r\n\r\n"))
        .await;
    let chunk = format!("100000\r\n{}\r\n", " ".repeat(1024 * 1024));
    let mut sent = 0;
    while sent < 100 && raw.write(&chunk).await {
        sent += 1;
    }
    assert!(sent < 100, "the server read all");
    let answer = raw.read().await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

#[tokio::test]
async fn too_many_headers_are_refused() {
    let served = serve(|server| server).await;
    for count in [101, 100_000] {
        let headers = "a: b\r\n".repeat(count);
        let answer = raw(served.address, mcp_head(&headers) + "\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{count}: {answer}");
    }
    let long = format!("a: {}\r\n\r\n", "b".repeat(100_000));
    let answer = raw(served.address, mcp_head(&long)).await;
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    assert_eq!(
        said(&ask(served.address, call("work", json!({}), &[])).await),
        "worked"
    );
}

#[tokio::test]
async fn a_post_that_is_no_json_is_refused() {
    let served = serve(|server| server).await;
    let accept = POST[1];
    for kind in [
        "text/plain",
        "application/json2",
        "application/x-www-form-urlencoded",
        "",
    ] {
        let headers = [("content-type", kind), accept];
        let answer = ask(
            served.address,
            request(Method::POST, "/mcp", &headers, "{}"),
        )
        .await;
        assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
        assert!(
            answer
                .refusal()
                .ends_with("send `Content-Type: application/json`")
        );
    }
    let answer = ask(
        served.address,
        request(Method::POST, "/mcp", &[accept], "{}"),
    )
    .await;
    assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let mut good = call("work", json!({}), &[]);
    let kind = "Application/JSON; charset=utf-8".parse().expect("a value");
    good.headers_mut().insert("content-type", kind);
    assert_eq!(said(&ask(served.address, good).await), "worked");
}

#[tokio::test]
async fn other_methods_are_refused() {
    let served = serve(|server| server).await;
    for method in [Method::PUT, Method::PATCH, Method::OPTIONS] {
        let answer = ask(served.address, request(method, "/mcp", &[], "")).await;
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(answer.header("allow"), Some("GET, POST, DELETE"));
    }
}
