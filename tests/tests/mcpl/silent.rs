//! What the log says of feature sets that the host's policy does not let work.

use hooks_sdk::testing::McplHost;
use hooks_tests::subscriber::Logged;
use serde_json::{Value, json};
use tracing::Level;

use super::bench::{Bench, Channels, Inferring, Pushing};

/// Returns the log lines about silent sets since the last call.
fn silent(logged: &Logged) -> Vec<String> {
    let text = logged.take();
    let silent = text.lines().filter(|line| line.contains("is silent"));
    silent.map(str::to_owned).collect()
}

async fn policy(host: &McplHost, policy: Value) -> Value {
    host.request("featureSets/update", policy).await.unwrap()
}

#[tokio::test]
async fn each_silent_set_is_logged_once_with_the_reason() {
    let log = Logged::listen(Level::INFO);
    let server = Bench::new().with([Pushing::hook(), Channels::hook(), Inferring::hook()]);
    let builder = McplHost::builder().version("0.5").silent();
    let host = builder.connect(server).await.unwrap();
    assert_eq!(silent(&log), [] as [&str; 0]);

    // The host disables what it does not grant, and its receipt lists only what it does not know.
    let narrow = json!({
        "effectiveCapabilities": ["inferenceRequest"],
        "deniedCapabilities": ["pushEvents"],
        "disabled": ["bench.push"],
    });
    let receipt = policy(&host, narrow.clone()).await;
    let unavailable = receipt["unavailableFeatures"].as_array().unwrap();
    assert_eq!(unavailable.len(), 1, "{receipt}");
    assert_eq!(unavailable[0]["featureSet"], "bench.chan");
    let logged = silent(&log);
    assert_eq!(logged.len(), 2, "{logged:?}");
    assert!(
        logged[0].contains("INFO")
            && logged[0].contains("bench.chan")
            && logged[0].contains("does not grant")
            && logged[0].contains("channels.register"),
        "{logged:?}"
    );
    assert!(
        logged[1].contains("bench.push")
            && logged[1].contains("does not enable it")
            && logged[1].contains("pushEvents"),
        "{logged:?}"
    );

    policy(&host, narrow.clone()).await;
    assert_eq!(silent(&log), [] as [&str; 0]);
    let wide = json!({"effectiveCapabilities": ["inferenceRequest", "pushEvents", "channels.*"]});
    assert_eq!(policy(&host, wide).await, json!({"accepted": true}));
    assert_eq!(silent(&log), [] as [&str; 0]);
    policy(&host, narrow).await;
    assert_eq!(silent(&log).len(), 2);
}
