//! More requests and sessions than the server takes.

use std::{convert::Infallible, sync::Arc, time::Duration};

use ::http::StatusCode;
use futures::future::join_all;
use hooks_sdk::{
    Policy,
    core::Verdict,
    http,
    plugin::{HttpRequest, PluginContext, PluginHook, point},
};
use hooks_tests::{
    client::{ask, begin, call, get, initialize, listen, said, session},
    toy_server::{Served, one},
};
use serde_json::json;
use tokio::sync::Barrier;

use crate::{
    desk::{desk, serve},
    points::rig::hooked,
};

#[tokio::test]
async fn a_request_too_many_is_told_to_come_again() {
    let served = serve(|server| server.max_requests(1)).await;
    let address = served.address;
    let waiting = tokio::spawn(async move { ask(address, call("wait", json!({}), &[])).await });
    one(&served.server.begun).await;
    let refused = ask(address, call("work", json!({}), &[])).await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert!(
        refused
            .refusal()
            .ends_with("its operator sets the number with `Server::max_requests`")
    );
    assert_eq!(ask(address, get("/readyz", "localhost")).await.status, 200);
    served.server.leave.add_permits(1);
    assert_eq!(said(&waiting.await.expect("no panic")), "waited");
    // The place is free when the server has written the answer, which may be after the client has read it.
    let mut answer = ask(address, call("work", json!({}), &[])).await;
    while answer.status == StatusCode::SERVICE_UNAVAILABLE {
        answer = ask(address, call("work", json!({}), &[])).await;
    }
    assert_eq!(said(&answer), "worked");
}

#[tokio::test]
async fn a_session_too_many_is_told_to_come_again() {
    let served = serve(|server| server.max_sessions(1)).await;
    let id = session(served.address).await;
    let refused = ask(served.address, initialize()).await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert!(
        refused
            .refusal()
            .ends_with("its operator sets the number with `Server::max_sessions`")
    );
    // Who needs no session is served.
    assert_eq!(
        said(&ask(served.address, call("work", json!({}), &[])).await),
        "worked"
    );
    let open = begin(served.address, listen(&id)).await;
    assert_eq!(open.status, 200);
    let refused = ask(served.address, listen(&id)).await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn sessions_whose_hooks_wait_are_counted_too() {
    const CLIENTS: usize = 4;
    // No request goes on before all have come.
    let all = Arc::new(Barrier::new(CLIENTS));
    let wait = PluginHook::answering_any(
        "wait",
        point::http_pre_request,
        move |_: &HttpRequest, _: &mut PluginContext| {
            let all = all.clone();
            Box::pin(async move {
                all.wait().await;
                Verdict::<Infallible>::Allow
            })
        },
    );
    let desk = desk();
    let server = http::Server::new(hooked(&desk, [wait], Policy::new()));
    let served = Served::start(desk, server.max_sessions(1)).await;
    let clients = (0..CLIENTS).map(|_| ask(served.address, initialize()));
    let mut answered: Vec<u16> = join_all(clients)
        .await
        .iter()
        .map(|answer| answer.status.as_u16())
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, [200, 503, 503, 503]);
}

#[tokio::test]
async fn an_idle_session_ends() {
    let served = serve(|server| server.session_idle(Duration::from_millis(50))).await;
    let id = session(served.address).await;
    let stream = begin(served.address, listen(&id)).await;
    // It ends with its session, unless the session was faster.
    if stream.status == StatusCode::OK {
        stream.whole().await;
    }
    let gone = ask(served.address, listen(&id)).await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
}
