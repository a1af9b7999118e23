//! `/healthz` and `/readyz`.

use std::{convert::Infallible, time::Duration};

use hooks_tests::{
    client::{ask, get},
    faulty_store::FaultyStore,
};
use serde_json::json;

use crate::desk::serve;

#[tokio::test]
async fn a_server_that_runs_is_alive_and_ready() {
    let served = serve(|server| server.ready("printer", async || Ok::<_, Infallible>(()))).await;
    let alive = ask(served.address, get("/healthz", "localhost")).await;
    assert_eq!(
        (alive.status.as_u16(), alive.json()),
        (200, json!({"status": "alive"}))
    );
    let ready = ask(served.address, get("/readyz", "localhost")).await;
    assert_eq!(ready.status, 200);
    assert_eq!(
        ready.json(),
        json!({
            "status": "ready",
            "checks": {"printer": "ok"},
            "posture": {"sessions": "closed when the store cannot be reached"},
        })
    );
    assert_eq!(ready.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn a_probe_may_name_an_address_but_no_foreign_name() {
    let served = serve(|server| server).await;
    for (host, expected) in [
        ("10.1.2.3:8080", 200),
        ("[fd00::1]:8080", 200),
        ("evil.example", 403),
        ("10.1.2.3.evil.example", 403),
    ] {
        for path in ["/healthz", "/readyz"] {
            assert_eq!(
                ask(served.address, get(path, host)).await.status,
                expected,
                "{host}"
            );
        }
    }
}

#[tokio::test]
async fn a_check_that_fails_panics_or_hangs_is_named_without_its_error() {
    let served = serve(|server| {
        server
            .ready("printer", async || Err("no paper in secret-host"))
            .ready("panics", async || -> Result<(), Infallible> {
                panic!("secret-host")
            })
            .ready("hangs", std::future::pending::<Result<(), Infallible>>)
            .ready("fine", async || Ok::<_, Infallible>(()))
    })
    .await;
    let ready = ask(served.address, get("/readyz", "localhost")).await;
    assert_eq!(ready.status, 503);
    let checks = json!({"printer": "failed", "panics": "failed", "hangs": "failed", "fine": "ok"});
    assert_eq!(
        (&ready.json()["status"], &ready.json()["checks"]),
        (&json!("failing"), &checks)
    );
    assert!(!ready.body.contains("secret-host"), "{}", ready.body);
    assert_eq!(
        ask(served.address, get("/healthz", "localhost"))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn a_store_that_fails_makes_the_server_not_ready() {
    let store = FaultyStore::default();
    let served = serve(|server| server.store(store.clone())).await;
    assert_eq!(
        ask(served.address, get("/readyz", "localhost"))
            .await
            .json()["checks"],
        json!({"store": "ok"})
    );
    store.fail("no route for password");
    // A result holds for a second.
    let mut answer = ask(served.address, get("/readyz", "localhost")).await;
    while answer.status == 200 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        answer = ask(served.address, get("/readyz", "localhost")).await;
    }
    assert_eq!(answer.json()["checks"], json!({"store": "failed"}));
    assert!(!answer.body.contains("password"), "{}", answer.body);
}
