//! Sessions that many replicas share.

use std::{sync::Arc, time::Duration};

use http::{Method, StatusCode, header::RETRY_AFTER};
use serde_json::json;
use tokio::time::{Instant, advance, timeout};

use super::{
    super::{SESSION_TTL, sessions::session_key},
    Weather, initialize, replica, request,
    store::Sky,
    text, until,
};
use hooks_core::store::Store;

fn store() -> Arc<Weather> {
    Arc::default()
}

#[tokio::test(start_paused = true)]
async fn a_session_goes_on_at_every_replica_and_only_for_its_principal() {
    let store = store();
    let [a, b] = [(); 2].map(|()| replica(&store));
    let session = a.open("ada").await;
    assert_eq!(a.ping("ada", &session).await, StatusCode::OK);
    assert_eq!(b.ping("eve", &session).await, StatusCode::NOT_FOUND);
    assert!(!b.is_live(&session));
    assert_eq!(b.ping("ada", &session).await, StatusCode::OK);
    assert!(b.is_live(&session));

    for at in [&a, &b] {
        let reached = at.times_reached();
        let foreign = at
            .post(
                "eve",
                &session,
                &json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}),
            )
            .await;
        let unknown = at
            .post(
                "eve",
                "unknown",
                &json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}),
            )
            .await;
        assert_eq!(foreign.status(), unknown.status());
        assert_eq!(foreign.headers(), unknown.headers());
        let text = text(foreign).await;
        assert_eq!(text, super::text(unknown).await);
        assert!(text.contains("Session not found"), "{text}");
        assert_eq!(at.delete("eve", &session).await, StatusCode::NOT_FOUND);
        assert_eq!(
            at.times_reached(),
            reached,
            "nothing of it reached the server"
        );
    }
    for odd in ["", "a b", &"x".repeat(129)] {
        assert_eq!(a.ping("ada", odd).await, StatusCode::NOT_FOUND, "{odd}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_ends_anywhere_ends_everywhere() {
    let store = store();
    let [a, b, c] = [(); 3].map(|()| replica(&store));
    let session = a.open("ada").await;
    assert_eq!(b.ping("ada", &session).await, StatusCode::OK);
    assert_eq!(b.delete("ada", &session).await, StatusCode::NO_CONTENT);
    for at in [&a, &b, &c] {
        until(async || !at.is_live(&session)).await;
        assert_eq!(at.ping("ada", &session).await, StatusCode::NOT_FOUND);
    }
}

#[tokio::test(start_paused = true)]
async fn a_missed_announcement_is_found_in_the_store() {
    let store = store();
    let a = replica(&store);
    let session = a.open("ada").await;
    let b = replica(&store);
    a.ends.cancel();
    assert_eq!(b.delete("ada", &session).await, StatusCode::NO_CONTENT);
    advance(Duration::from_secs(5)).await;
    assert_eq!(a.ping("ada", &session).await, StatusCode::NOT_FOUND);
    assert!(!a.is_live(&session));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_its_client_breaks_off_has_checked_nothing() {
    let store = store();
    let [a, b] = [(); 2].map(|()| replica(&store));
    let session = a.open("ada").await;
    a.ends.cancel();
    assert_eq!(b.delete("ada", &session).await, StatusCode::NO_CONTENT);
    advance(Duration::from_secs(5)).await;
    let asked = store.loaded();
    store.set(Sky::Hangs);
    assert!(
        timeout(Duration::from_millis(100), a.ping("ada", &session))
            .await
            .is_err()
    );
    assert_eq!(store.loaded(), asked + 1, "the store was asked");
    store.set(Sky::Clear);
    assert_eq!(a.ping("ada", &session).await, StatusCode::NOT_FOUND);
    assert!(!a.is_live(&session));
}

#[tokio::test(start_paused = true)]
async fn without_the_store_a_live_session_goes_on_and_another_is_told_to_come_again() {
    let store = store();
    let [a, b] = [(); 2].map(|()| replica(&store));
    let session = a.open("ada").await;
    for sky in [Sky::Down, Sky::Hangs] {
        store.set(sky);
        advance(Duration::from_secs(6)).await;
        let began = Instant::now();
        assert_eq!(a.ping("ada", &session).await, StatusCode::OK);
        assert_eq!(a.ping("ada", &session).await, StatusCode::OK);
        assert!(
            began.elapsed() <= Duration::from_secs(1),
            "{:?}",
            began.elapsed()
        );
        assert_eq!(a.ping("eve", &session).await, StatusCode::NOT_FOUND);
        let answer = b
            .post(
                "ada",
                &session,
                &json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}),
            )
            .await;
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(answer.headers()[RETRY_AFTER], "1");
        assert!(!text(answer).await.contains("SECRET"));
        assert_eq!(
            a.delete("ada", &session).await,
            StatusCode::SERVICE_UNAVAILABLE
        );
        assert!(a.is_live(&session));
        store.set(Sky::Clear);
    }
    assert_eq!(b.ping("ada", &session).await, StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn a_session_lives_on_by_use_and_is_written_again_when_it_is_missing() {
    let store = store();
    let a = replica(&store);
    let session = a.open("ada").await;
    let key = session_key(&session).expect("a key");
    let entry = async || {
        store
            .inner
            .load(&key)
            .await
            .expect("reachable")
            .expect("an entry")
    };
    let first = entry().await;

    advance(SESSION_TTL / 17).await;
    assert_eq!(a.ping("ada", &session).await, StatusCode::OK);
    assert_eq!(
        entry().await.version,
        first.version,
        "a sixteenth has not passed"
    );
    advance(SESSION_TTL / 17).await;
    assert_eq!(a.ping("ada", &session).await, StatusCode::OK);
    let renewed = entry().await;
    assert_ne!(renewed.version, first.version);
    assert_eq!(renewed.left, SESSION_TTL);

    store.inner.delete(&key, None).await.expect("reachable");
    let loads = store.loaded();
    assert_eq!(a.ping("ada", &session).await, StatusCode::OK);
    assert_eq!(
        store.loaded(),
        loads,
        "a session that was just checked is not checked"
    );
    advance(Duration::from_secs(5)).await;
    assert_eq!(a.ping("ada", &session).await, StatusCode::OK);
    until(async || store.inner.load(&key).await.expect("reachable").is_some()).await;
    let b = replica(&store);
    assert_eq!(b.ping("eve", &session).await, StatusCode::NOT_FOUND);
    assert_eq!(b.ping("ada", &session).await, StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_the_store_does_not_take_is_refused_and_lives_nowhere() {
    let store = store();
    let a = replica(&store);
    for sky in [Sky::Down, Sky::Hangs] {
        store.set(sky);
        let refused = a
            .send(request(Method::POST, "ada", None, &initialize()))
            .await;
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(refused.headers().get("mcp-session-id"), None);
        until(async || a.sessions() == 0).await;
    }
    store.set(Sky::Clear);
    let session = a.open("ada").await;
    assert_eq!(a.ping("ada", &session).await, StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn what_another_replica_waits_for_goes_there_and_nowhere_else() {
    let store = store();
    let [a, b] = [(); 2].map(|()| replica(&store));
    let session = a.open("ada").await;
    let asked = |replica: u128| json!({"jsonrpc": "2.0", "id": format!("{replica:032x}.{:032x}", 5), "result": {}});
    let of_a = asked(u128::from_be_bytes(a.endpoint.sessions.replica.0));

    // A replica that has gone.
    let reached = b.times_reached();
    let answer = b.post("ada", &session, &asked(1)).await;
    assert_eq!(answer.status(), StatusCode::ACCEPTED);
    assert_eq!(
        b.post("ada", &session, &of_a).await.status(),
        StatusCode::ACCEPTED
    );
    assert_eq!(
        b.times_reached(),
        reached,
        "no answer for another reaches this replica"
    );
    assert!(!b.is_live(&session), "an answer restores no session");
    assert_eq!(
        a.post("ada", &session, &of_a).await.status(),
        StatusCode::ACCEPTED
    );
    assert_eq!(
        b.post("eve", &session, &of_a).await.status(),
        StatusCode::NOT_FOUND
    );

    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    assert_eq!(
        b.post("ada", &session, &cancel).await.status(),
        StatusCode::ACCEPTED
    );
    assert_eq!(
        b.times_reached(),
        reached,
        "a cancellation restores no session"
    );
    store.set(Sky::Down);
    let refused = b.post("ada", &session, &of_a).await;
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
}
