//! Hooks of a configuration file, before and after it changes.

use std::time::{Duration, Instant};

use hooks_sdk::Policy;

use super::rig::{Client, Desk, Serving, serve_hooked};

fn rule(content_type: &str) -> String {
    format!(
        "plugins:\n  - name: closed\n    kind: deny\n    hooks: [http_pre_request]\n    reason: closed for today\n    conditions:\n      - content_types: [{content_type}]\n"
    )
}

#[tokio::test]
async fn a_changed_file_applies_to_the_next_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("policy.yaml");
    std::fs::write(&file, "plugins: []\n").expect("a file");
    let policy = Policy::new().file(&file);
    let address = serve_hooked(&Desk::default(), Serving::Json, [], policy).await;
    let client = Client::stateless(address);
    client.call().await.received();
    std::fs::write(&file, rule("application/json")).expect("a file");
    let began = Instant::now();
    loop {
        let answer = client.call().await;
        if answer.status == 403 {
            assert_eq!(answer.message["reason"], "closed for today");
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{answer:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
