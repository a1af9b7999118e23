//! The `memory-server` binary.

use std::{io, process::ExitCode};

use clap::Parser;
use memory_server::cli::{self, Cli};
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    // Standard output is the protocol.
    let log = tracing_subscriber::fmt().with_writer(io::stderr);
    log.with_env_filter(filter).init();
    cli::run(cli)
}
