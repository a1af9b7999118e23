//! The command line: serve, export, import, status, tour.

use std::{
    env,
    fs::File,
    io::{self, BufReader, Write},
    path::PathBuf,
    process::ExitCode,
};

use clap::{Parser, Subcommand};
use hooks_sdk::{server::ServeError, stdio};
use rmcp::service::ServerInitializeError;

use crate::{
    Memory,
    store::{Options, Store, default_path},
    tour,
};

/// A memory for agents, served over MCP.
#[derive(Debug, Parser)]
#[command(name = "memory-server", version, arg_required_else_help = true)]
pub struct Cli {
    /// The database file; when left out, the one that $MEMORY_DATABASE names, or else a per-user file
    #[arg(long, global = true, value_name = "PATH")]
    database: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve one MCP client over standard input and output
    Serve,
    /// Write memories as JSON lines to standard output
    Export {
        /// Only this project
        #[arg(long)]
        project: Option<String>,
    },
    /// Read memories as JSON lines, all or none; known ids are left as they are
    Import {
        /// The file, or `-` for standard input
        file: PathBuf,
        /// The project of lines that name none
        #[arg(long)]
        project: Option<String>,
    },
    /// Show where the database is and how it is kept
    Status,
    /// Watch one agent session, hooks and all; with a database of its own unless `--database` names one
    Tour,
}

pub(crate) type Outcome = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Runs the command and reports a failure on standard error.
pub async fn run(cli: Cli) -> ExitCode {
    match cli.execute().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

impl Cli {
    async fn execute(self) -> Outcome {
        let Self { database, command } = self;
        let options = Options::default();
        match command {
            Command::Serve => {
                let path = place(database)?;
                let store = Store::open(&path, options.clone()).unwrap_or_else(|error| {
                    // The agent can be told what is wrong with the file only by a server that runs.
                    tracing::error!(%error, "serving without a database until it can be opened");
                    Store::deferred(&path, options)
                });
                serve(Memory::new(store)).await
            }
            Command::Export { project } => {
                let store = Store::open(place(database)?, options)?;
                store.export(project, io::stdout()).await?;
                Ok(())
            }
            Command::Import { file, project } => {
                let store = Store::open(place(database)?, options)?;
                let done = if file.as_os_str() == "-" {
                    store.import(project, BufReader::new(io::stdin())).await?
                } else {
                    let lines = File::open(&file)
                        .map_err(|e| format!("cannot open `{}`: {e}", file.display()))?;
                    store.import(project, BufReader::new(lines)).await?
                };
                let (added, known) = (done.added, done.known);
                say(&format!("imported {added}, known before {known}"))
            }
            Command::Status => status(&Store::open(place(database)?, options)?).await,
            Command::Tour => tour::run(database).await,
        }
    }
}

/// The database file.
///
/// The environment is read here and not by clap: the tour stores into no file that was not named for it.
fn place(given: Option<PathBuf>) -> Result<PathBuf, &'static str> {
    let from_environment = || {
        let path = env::var_os("MEMORY_DATABASE").filter(|path| !path.is_empty())?;
        Some(PathBuf::from(path))
    };
    given.or_else(from_environment).or_else(default_path).ok_or(
        "this user has no folder for the data of programs\nhelp: name a file with `--database`",
    )
}

async fn serve(memory: Memory) -> Outcome {
    match memory.hooked()?.serve(stdio()).await {
        Ok(running) => running.waiting().await.map(drop).map_err(Into::into),
        // A client that only asked what this server is, with `server/discover`, and went away.
        Err(ServeError::Handshake(error))
            if matches!(*error, ServerInitializeError::ConnectionClosed(_)) =>
        {
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

async fn status(store: &Store) -> Outcome {
    let status = store.status().await?;
    say(&format!(
        "database: {}\nmemories: {}\nprojects: {}\njournal_mode: {}\nsynchronous: {}\n\
         schema: {}\nsqlite: {}",
        status.path.display(),
        status.memories,
        status.projects,
        status.journal_mode,
        status.synchronous,
        status.schema,
        status.sqlite,
    ))
}

fn say(text: &str) -> Outcome {
    writeln!(io::stdout().lock(), "{text}")?;
    Ok(())
}
