//! Serves the tools and their hooks on standard input and output.

use hooks_sdk::prelude::*;
use policy_server::Office;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .init();
    let server = Office::new().with_hooks()?;
    server.serve(stdio()).await?.waiting().await?;
    Ok(())
}
