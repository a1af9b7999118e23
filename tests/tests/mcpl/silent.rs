//! What the log says of feature sets that the host's policy does not let work.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use hooks_sdk::testing::McplHost;
use serde_json::{Value, json};
use tracing::Level;

use super::bench::{Bench, Channels, Inferring, Pushing};

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    /// What was logged of silent sets since the last look.
    fn take(&self) -> Vec<String> {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap());
        let text = String::from_utf8(bytes).unwrap();
        let silent = text.lines().filter(|line| line.contains("is silent"));
        silent.map(str::to_owned).collect()
    }
}

async fn policy(host: &McplHost, policy: Value) -> Value {
    host.request("featureSets/update", policy).await.unwrap()
}

#[tokio::test]
async fn each_silent_set_is_logged_once_with_the_reason() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_max_level(Level::INFO)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let server = Bench::new().with([Pushing::hook(), Channels::hook(), Inferring::hook()]);
    let builder = McplHost::builder().version("0.5").silent();
    let host = builder.connect(server).await.unwrap();
    assert_eq!(lines.take(), [] as [&str; 0]);

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
    let logged = lines.take();
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
    assert_eq!(lines.take(), [] as [&str; 0]);
    let wide = json!({"effectiveCapabilities": ["inferenceRequest", "pushEvents", "channels.*"]});
    assert_eq!(policy(&host, wide).await, json!({"accepted": true}));
    assert_eq!(lines.take(), [] as [&str; 0]);
    policy(&host, narrow).await;
    assert_eq!(lines.take().len(), 2);
}
