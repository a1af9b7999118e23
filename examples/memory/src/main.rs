//! The `memory-server` binary.

use std::{io, process::ExitCode};

use clap::Parser;
use memory_server::cli::{self, Cli};
use tracing_subscriber::{EnvFilter, prelude::*};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    // Standard output is the protocol.
    let log = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    let log = tracing_subscriber::registry().with(log.with_filter(filter));
    #[cfg(feature = "otlp")]
    {
        use memory_server::otlp::Sending;

        let sending = match cli.otlp().map(Sending::to).transpose() {
            Ok(sending) => sending,
            Err(error) => {
                use io::Write;
                _ = writeln!(io::stderr(), "error: `--otlp`: {error}");
                return ExitCode::FAILURE;
            }
        };
        log.with(sending.as_ref().map(Sending::layer)).init();
        let ended = cli::run(cli);
        if let Some(sending) = sending {
            sending.end();
        }
        ended
    }
    #[cfg(not(feature = "otlp"))]
    {
        log.init();
        cli::run(cli)
    }
}
