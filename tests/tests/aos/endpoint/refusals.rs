//! Whom the guardian refuses before it reads a step. The checks of HTTP are those of every server: here they stand before it.

use std::time::Duration;

use hooks_tests::client::{Raw, ask, get, raw};
use http::{Method, StatusCode};

use super::{
    client::{GuardianReply, head, post, request, step},
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
    for kind in ["text/plain", "application/json2", ""] {
        let headers = [("content-type", kind)];
        let wrong = request(Method::POST, &headers, body.clone());
        let answer = ask(served.address, wrong).await;
        assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
        let mends = "send `Content-Type: application/json`";
        assert!(answer.refused().ends_with(mends), "{answer:?}");
    }
    let good = [("content-type", "Application/JSON; charset=utf-8")];
    let good = ask(served.address, request(Method::POST, &good, body)).await;
    assert_eq!(good.decision(), "allow");
}

#[tokio::test]
async fn the_checks_of_http_stand_before_it() {
    let body = step("search").to_string();
    let limit = body.len();
    let served = serve(|server| {
        server
            .bearer("secret")
            .hosts(["guardian.example"])
            .max_body(limit)
    })
    .await;
    let (token, host) = (
        ("authorization", "Bearer secret"),
        ("host", "guardian.example:8443"),
    );
    let good = ask(served.address, post(body.clone(), &[token, host])).await;
    assert_eq!(good.decision(), "allow");
    for (headers, body, status) in [
        (vec![host], body.clone(), 401),
        (
            vec![host, ("authorization", "Bearer third")],
            body.clone(),
            401,
        ),
        (vec![token], body.clone(), 403),
        (vec![token, ("host", "evil.example")], body.clone(), 403),
        (
            vec![token, host, ("origin", "https://evil.example")],
            body.clone(),
            403,
        ),
        (vec![token, host], body.clone() + " ", 413),
    ] {
        let answer = ask(served.address, post(body, &headers)).await;
        assert_eq!(answer.status, status, "{headers:?}");
    }
    // The probe is for who runs the guardian, who asks by address.
    for (host, status) in [("10.1.2.3:80", 200), ("evil.example", 403)] {
        let answer = ask(served.address, get("/healthz", host)).await;
        assert_eq!(answer.status, status, "{host}");
    }
    let served = serve(|server| server.body_timeout(Duration::from_millis(200))).await;
    let mut slow = Raw::connect(served.address).await;
    slow.write(head("Content-Length: 100\r\n\r\n{")).await;
    let answer = slow.read().await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    let many = head(&"a: b\r\n".repeat(101)) + "\r\n";
    let answer = raw(served.address, many).await;
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
}
