//! Whom the guardian refuses before it reads a step.

use std::time::Duration;

use hooks_tests::client::{Raw, ask, get, raw};
use http::{Method, StatusCode};

use super::{
    client::{GuardianReply, ask_about, head, post, request, step},
    keeper::serve,
};

#[tokio::test]
async fn other_methods_are_refused() {
    let served = serve(|server| server).await;
    for method in [
        Method::GET,
        Method::HEAD,
        Method::PUT,
        Method::DELETE,
        Method::PATCH,
        Method::OPTIONS,
    ] {
        let answer = ask(served.address, request(method.clone(), &[], "")).await;
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method}");
        assert_eq!(answer.header("allow"), Some("POST"));
        if method != Method::HEAD {
            assert_eq!(answer.refused(), "a guardian is asked with POST");
        }
    }
}

#[tokio::test]
async fn another_content_type_is_refused() {
    let served = serve(|server| server).await;
    let body = step("search").to_string();
    for kind in [
        "text/plain",
        "application/json2",
        "application/x-www-form-urlencoded",
        "",
    ] {
        let headers = [("content-type", kind)];
        let answer = ask(
            served.address,
            request(Method::POST, &headers, body.clone()),
        )
        .await;
        assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
        assert!(
            answer
                .refused()
                .ends_with("send `Content-Type: application/json`")
        );
    }
    let none = ask(served.address, request(Method::POST, &[], body.clone())).await;
    assert_eq!(none.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let good = [("content-type", "Application/JSON; charset=utf-8")];
    let good = ask(served.address, request(Method::POST, &good, body)).await;
    assert_eq!(good.decision(), "allow");
}

#[tokio::test]
async fn a_missing_or_wrong_token_is_refused() {
    let served = serve(|server| server.bearer("first").bearer("second")).await;
    let ask_with = |headers: Vec<(&'static str, &'static str)>| {
        ask(served.address, post(step("search").to_string(), &headers))
    };
    for wrong in [
        "Bearer third",
        "Bearer ",
        "Bearer",
        "Basic first",
        "first",
        "Bearer first second",
    ] {
        let answer = ask_with(vec![("authorization", wrong)]).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{wrong}");
        let challenge = answer.header("www-authenticate").expect("a challenge");
        assert!(
            challenge.starts_with("Bearer error=\"invalid_token\""),
            "{challenge}"
        );
        assert!(!answer.body.contains("first"), "{answer:?}");
    }
    assert_eq!(ask_with(Vec::new()).await.status, StatusCode::UNAUTHORIZED);
    let twice = vec![
        ("authorization", "Bearer first"),
        ("authorization", "Bearer first"),
    ];
    assert_eq!(ask_with(twice).await.status, StatusCode::UNAUTHORIZED);
    for right in ["Bearer first", "bearer second"] {
        assert_eq!(
            ask_with(vec![("authorization", right)]).await.decision(),
            "allow"
        );
    }
    // The probe is for who runs the guardian.
    assert_eq!(
        ask(served.address, get("/healthz", "localhost"))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn other_hosts_and_origins_are_refused() {
    let served = serve(|server| server).await;
    let body = step("search").to_string();
    for headers in [
        [("host", "evil.example"), ("accept", "*/*")],
        [("host", "localhost"), ("origin", "https://evil.example")],
    ] {
        let answer = ask(served.address, post(body.clone(), &headers)).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{headers:?}");
    }
    let own = [("origin", "http://localhost:3000")];
    assert_eq!(
        ask(served.address, post(body.clone(), &own))
            .await
            .decision(),
        "allow"
    );
    let served = serve(|server| server.hosts(["guardian.example"])).await;
    let named = [("host", "guardian.example:8443")];
    assert_eq!(
        ask(served.address, post(body, &named)).await.decision(),
        "allow"
    );
    assert_eq!(
        ask_about(served.address, "search").await.status,
        StatusCode::FORBIDDEN
    );
    // An orchestrator asks by address.
    assert_eq!(
        ask(served.address, get("/healthz", "10.1.2.3:80"))
            .await
            .status,
        200
    );
    assert_eq!(
        ask(served.address, get("/healthz", "evil.example"))
            .await
            .status,
        403
    );
}

#[tokio::test]
async fn a_hundred_megabytes_are_refused() {
    let served = serve(|server| server).await;
    // Nothing of the body is sent.
    let announced = head("Content-Length: 104857600\r\nExpect: 100-continue\r\n\r\n");
    let answer = raw(served.address, announced).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    let mut raw = Raw::connect(served.address).await;
    raw.write(head("Transfer-Encoding: chunked\r\n\r\n")).await;
    let chunk = format!("100000\r\n{}\r\n", " ".repeat(1024 * 1024));
    let mut sent = 0;
    while sent < 100 && raw.write(&chunk).await {
        sent += 1;
    }
    assert!(sent < 100, "the guardian read all");
    let answer = raw.read().await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert_eq!(
        ask_about(served.address, "search").await.decision(),
        "allow"
    );
}

#[tokio::test]
async fn a_body_of_just_the_limit_is_read() {
    let body = step("search").to_string();
    let limit = body.len();
    let served = serve(|server| server.max_body(limit)).await;
    assert_eq!(
        ask(served.address, post(body.clone(), &[]))
            .await
            .decision(),
        "allow"
    );
    let longer = ask(served.address, post(body + " ", &[])).await;
    assert_eq!(longer.status, StatusCode::PAYLOAD_TOO_LARGE);
    let expected = format!(
        "larger than {limit} bytes: the operator of the server sets the limit with `max_body`"
    );
    assert!(longer.refused().ends_with(&expected), "{longer:?}");
}

#[tokio::test]
async fn a_slow_body_is_cut_off() {
    let short = Duration::from_millis(200);
    let served = serve(|server| server.body_timeout(short)).await;
    let mut raw = Raw::connect(served.address).await;
    raw.write(head("Content-Length: 100\r\n\r\n")).await;
    // One byte after another does not buy time.
    for _ in 0..3 {
        raw.write("{").await;
    }
    let answer = raw.read().await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert_eq!(
        ask_about(served.address, "search").await.decision(),
        "allow"
    );
}

#[tokio::test]
async fn heads_that_are_too_large_are_refused() {
    let served = serve(|server| server).await;
    for headers in [
        "a: b\r\n".repeat(101),
        format!("a: {}\r\n", "b".repeat(100_000)),
    ] {
        let answer = raw(served.address, head(&headers) + "\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    }
}
