//! Who observes the calls that have ended.

use std::sync::{Arc, Mutex};

use hooks_sdk::{server::Called, testing::Host};
use serde_json::json;

use super::shop::{LEGACY, STATELESS, guarded, shop};

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
        let host = Host::builder()
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
