//! Who observes the calls that have ended.

use std::sync::{Arc, Mutex};

use hooks_sdk::{WireTransport, server::Called, testing::TestHost};
use serde_json::json;

use super::shop::{LEGACY, STATELESS, Session, Start, guarded, hook, plain, shop};

#[tokio::test]
async fn each_call_in_a_session_of_the_clients_own_is_told_of_once() {
    for (version, guarded) in [
        (LEGACY, true),
        (LEGACY, false),
        (STATELESS, true),
        (STATELESS, false),
    ] {
        let seen: Arc<Mutex<Vec<Called>>> = Arc::default();
        let server = if guarded { self::guarded([]) } else { shop([]) };
        let observer = seen.clone();
        let server = server.observed(move |called| observer.lock().unwrap().push(called));
        let host = TestHost::builder()
            .version(version)
            .connect(server)
            .await
            .unwrap();
        let call = |tool: &str, arguments, meta| {
            let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
            host.request("tools/call", params)
        };
        let own = || json!({"sessionId": "one"});
        call("open", json!({}), own()).await.unwrap();
        call("work", json!({"then": "refused"}), own())
            .await
            .unwrap_err();
        call("look", json!({}), json!({})).await.unwrap();
        let seen = seen.lock().unwrap().clone();
        let told: Vec<_> = seen
            .iter()
            .map(|call| (&*call.tool, &*call.session, call.succeeded))
            .collect();
        assert_eq!(
            told,
            [("open", "one", true), ("work", "one", false)],
            "{version} {guarded}"
        );
        assert!(seen[0].client.starts_with("hooks-sdk"));
    }
}

#[tokio::test]
async fn a_panicking_observer_costs_no_answer() {
    for version in [LEGACY, STATELESS] {
        for guarded in [true, false] {
            let server = if guarded { self::guarded([]) } else { shop([]) };
            let server = server.observed(|called| panic!("{called:?}"));
            let host = plain(version, server).await.unwrap();
            for _ in 0..2 {
                let params =
                    json!({"name": "open", "arguments": {}, "_meta": {"sessionId": "one"}});
                host.request("tools/call", params).await.unwrap();
            }
        }
    }
}

#[tokio::test]
async fn it_is_told_of_a_session_that_only_the_environment_names() {
    let servers = [
        shop([]),
        shop([hook(Session, Start, "welcome")]),
        guarded([]),
        guarded([hook(Session, Start, "welcome")]),
    ];
    for version in [LEGACY, STATELESS] {
        for server in servers.clone() {
            let seen: Arc<Mutex<Vec<Called>>> = Arc::default();
            let observer = seen.clone();
            let server = server.observed(move |called| observer.lock().unwrap().push(called));
            let (ours, theirs) = tokio::io::duplex(1 << 16);
            let (read, write) = tokio::io::split(theirs);
            let transport = WireTransport::new(read, write).client_session("of the environment");
            tokio::spawn(async move {
                let running = server.serve(transport).await.unwrap();
                running.waiting().await.unwrap();
            });
            let (read, write) = tokio::io::split(ours);
            let host = TestHost::builder().version(version).capabilities(json!({}));
            let host = host.over(read, write).await.unwrap();
            for _ in 0..2 {
                host.call_tool("open", json!({})).await.unwrap();
            }
            let seen = seen.lock().unwrap().clone();
            let told: Vec<_> = seen.iter().map(|call| &*call.session).collect();
            assert_eq!(told, ["of the environment"; 2], "{version}");
        }
    }
}
