//! Serves the fixtures of the conformance suite, on rmcp alone or with every protocol of the SDK on the way.

mod coded;
mod fixtures;
mod handler;
mod protocols;
mod rounds;
mod serve;
mod tasks;

use std::{
    env,
    io::{self, Write},
};

use anyhow::{Context, bail};
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

use self::handler::Fixtures;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_env_filter(EnvFilter::from_default_env())
        .init();
    let mut arguments = env::args().skip(1);
    let (mode, store) = (arguments.next(), arguments.next());
    let fixtures = Fixtures::read().context("the fixtures")?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(io::stdout(), "http://{}/mcp", listener.local_addr()?)?;
    match mode.as_deref() {
        Some("--plain") => serve::plain(listener, fixtures).await,
        Some("--wrapped") => serve::wrapped(listener, fixtures, store).await,
        _ => bail!(
            "how to serve?\nhelp: give `--plain` or `--wrapped`, and for replicas the URL of a Redis server"
        ),
    }
}
