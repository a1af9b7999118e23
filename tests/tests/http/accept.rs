//! `Accept`: a client names the media types of an answer, or ranges with them, or nothing.

use hooks_tests::{
    client::{LEGACY, Reply, ask, begin, call, get, initialize, said, session},
    toy_server::Served,
};
use http::{HeaderValue, Request, StatusCode};
use http_body_util::Full;
use serde_json::json;

use crate::desk::serve;

/// The same request with these headers `Accept`.
fn accepting(
    mut request: Request<Full<bytes::Bytes>>,
    values: &[&str],
) -> Request<Full<bytes::Bytes>> {
    let headers = request.headers_mut();
    headers.remove("accept");
    for value in values {
        let value = HeaderValue::from_str(value).expect("a value");
        headers.append("accept", value);
    }
    request
}

async fn work(served: &Served, values: &[&str]) -> Reply {
    ask(
        served.address,
        accepting(call("work", json!({}), &[]), values),
    )
    .await
}

#[tokio::test]
async fn a_post_is_answered_where_both_media_types_are_in_the_ranges() {
    let served = serve(|server| server).await;
    for values in [
        &["application/json, text/event-stream"][..],
        &["*/*"],
        &["application/*, text/*"],
        &["application/json, */*;q=0.1"],
        &["text/event-stream, application/*;q=0.5"],
        &["APPLICATION/JSON", "Text/Event-Stream"],
        &["text/html, */*; Q=0.001"],
        &["image/*;q=0, */*"],
        &[r#"text/html;title="a, b;q=0", */*"#],
        // The media type itself counts more than a range.
        &["application/json, text/event-stream;q=0.1, */*;q=0"],
        &["text/*;q=0, text/event-stream, application/json"],
        &[],
    ] {
        assert_eq!(said(&work(&served, values).await), "worked", "{values:?}");
        let opened = ask(served.address, accepting(initialize(), values)).await;
        assert_eq!(opened.status, StatusCode::OK, "{values:?}");
    }
}

#[tokio::test]
async fn a_post_is_refused_where_a_media_type_is_in_no_range_or_excluded() {
    let served = serve(|server| server).await;
    for values in [
        &["application/json"][..],
        &["text/event-stream"],
        &["application/*"],
        &["text/html"],
        &["*/*;q=0"],
        &["*/*, text/event-stream;q=0"],
        &["*/*, application/json; q=0.000"],
        &["*/*;q=1, text/*;q=0.0"],
        &["*/json, */event-stream"],
        &[r#"text/html;title="*/*, application/json, text/event-stream""#],
        &[""],
    ] {
        let answer = work(&served, values).await;
        assert_eq!(answer.status, StatusCode::NOT_ACCEPTABLE, "{values:?}");
        assert!(answer.body.contains("text/event-stream"), "{answer:?}");
    }
}

#[tokio::test]
async fn a_get_is_answered_where_events_are_in_the_ranges() {
    let served = serve(|server| server).await;
    for (values, expected) in [
        (&["text/event-stream"][..], StatusCode::OK),
        (&["text/*"], StatusCode::OK),
        (&["application/json;q=0, */*;q=0.1"], StatusCode::OK),
        (&[], StatusCode::OK),
        (&["application/json"], StatusCode::NOT_ACCEPTABLE),
        (&["*/*, text/event-stream;q=0"], StatusCode::NOT_ACCEPTABLE),
    ] {
        // A session has one stream of its own.
        let id = session(served.address).await;
        let mut request = accepting(get("/mcp", "localhost"), values);
        for (name, value) in [("mcp-session-id", &*id), ("mcp-protocol-version", LEGACY)] {
            let value = value.parse().expect("a value");
            request.headers_mut().insert(name, value);
        }
        let answer = begin(served.address, request).await;
        assert_eq!(answer.status, expected, "{values:?}");
    }
}
