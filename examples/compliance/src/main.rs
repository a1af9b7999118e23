//! Serves the redaction on standard input and output.

use std::time::Duration;

use compliance_server::Compliance;
use hooks_sdk::{mcpl::McplSettings, prelude::*};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .init();
    // A host that never says what it allows, and asks all the same, wants its answers redacted.
    let settings = McplSettings::new()
        .enable_silent_hosts_after(Duration::from_secs(2))
        .enable_turns_of_silent_hosts();
    let server = Compliance.with_hooks()?.mcpl(settings);
    server.serve(stdio()).await?.waiting().await?;
    Ok(())
}
