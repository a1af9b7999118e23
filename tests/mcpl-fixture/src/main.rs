//! Serves the fixture on standard input and output.

use hooks_sdk::prelude::*;
use mcpl_fixture::Fixture;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .init();
    let server = Fixture::new().hooked(mcpl_fixture::timeout()?)?;
    server.serve(stdio()).await?.waiting().await?;
    Ok(())
}
