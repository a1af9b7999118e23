//! How the server stops.

use std::{future::pending, time::Duration};

use hooks_tests::{
    client::{LEGACY, PATIENCE, POST, ask, begin, call, get, listen, request, said, session},
    toy_server::one,
};
use http::{Method, StatusCode};
use serde_json::json;
use tokio::time::timeout;

use crate::desk::serve;

#[tokio::test]
async fn running_calls_end_and_streams_close_at_once() {
    let served = serve(|server| server).await;
    let address = served.address;
    let id = session(address).await;
    let mut stream = begin(address, listen(&id)).await;
    assert_eq!(stream.status, 200);
    let waiting = tokio::spawn(async move { ask(address, call("wait", json!({}), &[])).await });
    one(&served.server.begun).await;
    served.stop.cancel();
    let to_its_end = async { while stream.next().await.is_some() {} };
    timeout(PATIENCE, to_its_end)
        .await
        .expect("the stream ends");
    let refused = ask(address, call("work", json!({}), &[])).await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(
        refused.refusal(),
        "the server is stopping: send the request again"
    );
    let ready = ask(address, get("/readyz", "localhost")).await;
    assert_eq!(
        (ready.status.as_u16(), &ready.json()["status"]),
        (503, &json!("stopping"))
    );
    assert_eq!(ask(address, get("/healthz", "localhost")).await.status, 200);
    // A call that runs may wait for an answer.
    let answer = json!({"jsonrpc": "2.0", "id": "unknown", "result": {}});
    let own = [("mcp-session-id", &*id), ("mcp-protocol-version", LEGACY)];
    let headers = [&POST[..], &own].concat();
    let answer = ask(
        address,
        request(Method::POST, "/mcp", &headers, answer.to_string()),
    )
    .await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    served.server.leave.add_permits(1);
    assert_eq!(said(&waiting.await.expect("no panic")), "waited");
    served.end().await;
}

#[tokio::test]
async fn a_call_that_does_not_end_is_broken_off() {
    let served = serve(|server| server.drain(Duration::from_millis(100))).await;
    let address = served.address;
    let calling = begin(address, call("flood", json!({}), &[]));
    let waiting = tokio::spawn(async move {
        let held = calling.await;
        pending::<()>().await;
        drop(held);
    });
    one(&served.server.begun).await;
    let desk = served.server.clone();
    served.end().await;
    one(&desk.ended).await;
    waiting.abort();
}
