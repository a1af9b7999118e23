//! Serves the tools and their hooks on standard input and output, and installs the gate into agent clients.

use std::{env, process::ExitCode};

use hooks_sdk::{cli::Program, prelude::*};
use policy_server::Office;

fn main() -> anyhow::Result<ExitCode> {
    if env::args_os().len() > 1 {
        let program = Program::new("policy", || Ok(Office::new())).package(hooks_sdk::package!());
        return Ok(program.policy(policy_server::policy()).main());
    }
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .init();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let server = Office::new().with_hooks()?.policy(policy_server::policy());
        server.serve(stdio()).await?.waiting().await?;
        Ok(ExitCode::SUCCESS)
    })
}
