//! Many connections, slow ones, and HTTP/2.

use std::time::Duration;

use futures::future::join_all;
use hooks_tests::{
    client::{Raw, ask_http2, connect, get, on},
    clock::passes,
};
use http::StatusCode;

use super::{
    client::{GuardianReply, ask_about, post, step},
    keeper::{one, serve},
};

#[tokio::test]
async fn many_connections_are_answered() {
    let served = serve(|server| server).await;
    let asking = (0..200).map(|at| async move {
        let mut sender = connect(served.address).await;
        for round in 0..5 {
            let tool = if (at + round) % 2 == 0 {
                "search"
            } else {
                "shell"
            };
            let answer = on(&mut sender, post(step(tool).to_string(), &[])).await;
            let expected = if tool == "shell" { "deny" } else { "allow" };
            assert_eq!(answer.decision(), expected);
        }
    });
    join_all(asking).await;
}

/// The time in which a new connection has to bring the head of its first request.
const HEAD_TIME: Duration = Duration::from_secs(10);

#[tokio::test]
async fn slow_clients_keep_nobody_from_being_answered() {
    let served = serve(|server| server).await;
    let mut slow = Vec::new();
    for beginning in [
        "",
        "P",
        "POST /aos HTTP/1.1\r\nHost: local",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        for _ in 0..100 {
            let mut raw = Raw::connect(served.address).await;
            raw.write(beginning).await;
            slow.push(raw);
        }
    }
    assert_eq!(ask_about(served.address, "shell").await.decision(), "deny");
    passes(HEAD_TIME).await;
    let closed = slow.iter_mut().map(Raw::read);
    join_all(closed).await;
    assert_eq!(ask_about(served.address, "shell").await.decision(), "deny");
}

#[tokio::test]
async fn http2_is_understood_without_http1_before_it() {
    let served = serve(|server| server).await;
    let steps = (0..50).map(|_| post(step("shell").to_string(), &[]));
    let answers = ask_http2(served.address, steps.collect()).await;
    assert!(answers.iter().all(|answer| answer.decision() == "deny"));
    let foreign = post(step("shell").to_string(), &[("host", "evil.example")]);
    let answers = ask_http2(served.address, vec![foreign, get("/aos", "localhost")]).await;
    assert_eq!(answers[0].status, StatusCode::FORBIDDEN);
    assert_eq!(answers[1].status, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn more_requests_at_once_than_there_may_be_are_refused() {
    let served = serve(|server| server.max_requests(1)).await;
    let address = served.address;
    let waiting = tokio::spawn(async move { ask_about(address, "wait").await });
    one(&served.keeper.begun).await;
    let refused = ask_about(address, "search").await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert!(
        refused
            .refused()
            .ends_with("sets the number with `max_requests`"),
        "{refused:?}"
    );
    served.keeper.leave.add_permits(1);
    assert_eq!(waiting.await.expect("no panic").decision(), "allow");
    assert_eq!(ask_about(address, "search").await.decision(), "allow");
}

#[tokio::test]
async fn a_client_that_goes_away_frees_its_place() {
    let served = serve(|server| server.max_requests(1)).await;
    let address = served.address;
    let waiting = tokio::spawn(async move { ask_about(address, "wait").await });
    one(&served.keeper.begun).await;
    waiting.abort();
    _ = waiting.await;
    // The place is free as soon as the guardian sees the end of the connection.
    while ask_about(address, "search").await.status == StatusCode::SERVICE_UNAVAILABLE {
        tokio::task::yield_now().await;
    }
}
