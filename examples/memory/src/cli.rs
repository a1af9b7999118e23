//! The command line: serve, hooks, export, import, forget, status, tour.

use std::{
    env,
    error::Error,
    fs::File,
    io::{self, BufReader, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Parser, Subcommand};
use hooks_sdk::cli::{Hooks, Program};
#[cfg(feature = "full")]
use hooks_sdk::cli::{ServeGuarded, ServeHttp};
use tokio::runtime::Builder;

use crate::{
    Memory,
    policy::Watch,
    server::{guidance, hosts},
    stage::Stage,
    store::{Options, Store, default_path},
};

/// A memory for agents, served over MCP.
#[derive(Debug, Parser)]
#[command(name = "memory-server", version, arg_required_else_help = true)]
pub struct Cli {
    /// The database; when left out, what $MEMORY_DATABASE names, or else a per-user file
    #[arg(
        long,
        global = true,
        value_name = "PATH",
        help_heading = "Every command"
    )]
    database: Option<PathBuf>,
    /// Write a line before and after each call to this file: who, what, which rule decided; no contents
    ///
    /// A call whose first line cannot be written is refused. HOOKS_LOG_KEYS has the keys that sign the lines; `hooks log
    /// new-key` makes one, and `hooks log verify` checks the file. `hooks install` with this option writes it into the
    /// clients' entries; the texts of hooks have their lines in a file beside it.
    #[cfg_attr(
        feature = "full",
        arg(
            long,
            global = true,
            value_name = "FILE",
            help_heading = "Every command"
        )
    )]
    #[cfg_attr(not(feature = "full"), arg(skip))]
    log: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[expect(
    clippy::large_enum_variant,
    reason = "a process has one, and it is moved once"
)]
enum Command {
    /// Serve one MCP client over standard input and output, or many over HTTP
    #[cfg_attr(
        not(feature = "full"),
        command(
            about = "Serve one MCP client over standard input and output",
            after_help = "This build has no `--http`, `--redact`, `--confirm`, `--log`, `--rate-limit` and `--guardian`.\n\
                          Build it with `--features full` for them."
        )
    )]
    Serve {
        #[command(flatten)]
        watch: Watch,
        #[cfg(feature = "full")]
        #[command(flatten)]
        http: ServeHttp,
        #[cfg(feature = "full")]
        #[command(flatten)]
        guarded: ServeGuarded,
        /// Keep the conversations of MCPL hosts apart from those of hosts with the same name that are served under another
        /// NAME
        #[arg(long = "as", value_name = "NAME")]
        named: Option<String>,
    },
    /// The server's hooks: what they are, and how they work in agent clients
    #[command(subcommand)]
    Hooks(Hooks),
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
    /// Delete what was learned in one conversation of a host
    Forget {
        /// The host's name for the conversation, as an export has it
        #[arg(long)]
        conversation: String,
    },
    /// Show where the database is and how it is kept
    Status,
    /// Watch one agent session, hooks and all; with a database of its own unless `--database` names one
    Tour,
}

pub(crate) type Outcome = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Runs the command and reports a failure on standard error.
pub fn run(cli: Cli) -> ExitCode {
    let Cli {
        database,
        log,
        command,
    } = cli;
    let outcome = match command {
        // A hook that brings a text needs no runtime and no database.
        Command::Hooks(hooks) => {
            let mut watch = Watch::default();
            watch.log = log;
            match program(database, &watch, None, true) {
                Ok(program) => return hooks.run(&program),
                Err(error) => Err(error),
            }
        }
        // It makes a runtime of its own.
        Command::Serve {
            mut watch,
            #[cfg(feature = "full")]
            http,
            #[cfg(feature = "full")]
            guarded,
            named,
        } => {
            watch.log = log;
            #[cfg(feature = "full")]
            let served = program(database, &watch, named, !http.is_asked())
                .and_then(|program| program.guarded_by(&guarded))
                .and_then(|program| program.serve_here_or_over(&http));
            #[cfg(not(feature = "full"))]
            let served =
                program(database, &watch, named, true).and_then(|program| program.serve_blocking());
            served
        }
        command => in_runtime(execute(database, command)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The server over the database, and what stands around it.
fn program(
    database: Option<PathBuf>,
    watch: &Watch,
    user: Option<String>,
    one_user: bool,
) -> Result<Program<Memory>, Box<dyn Error + Send + Sync>> {
    let named = database.clone();
    let path = place(database)?;
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let open = move || {
        let options = Options::default();
        let store = Store::open(&path, options.clone()).unwrap_or_else(|error| {
            // The agent can be told what is wrong with the file only by a server that runs.
            tracing::error!(%error, "serving without a database until it can be opened");
            Store::deferred(&path, options)
        });
        Ok(Memory::new(store).named(user.clone()))
    };
    let mut arguments = Vec::new();
    if let Some(path) = named {
        let path = std::path::absolute(path)?;
        arguments.extend(["--database".to_owned(), path.to_string_lossy().into_owned()]);
    }
    if let Some(log) = &watch.log {
        let log = std::path::absolute(log)?;
        arguments.extend(["--log".to_owned(), log.to_string_lossy().into_owned()]);
    }
    let program = Program::new("memory", open)
        .package(hooks_sdk::package!())
        .about("A memory for agents that outlasts the session: findings, decisions and warnings, kept per project.")
        .author("The authors of hooks-sdk")
        .registry_name("io.github.hooks-sdk/memory")
        .icon(include_bytes!("icon.png"))
        .arguments(arguments)
        .session::<Stage>()
        .guidance(watch.guidance(guidance()))
        .mcpl(hosts())
        .offer_hooks()
        .data(folder);
    Ok(watch.around(program, one_user))
}

fn in_runtime(work: impl Future<Output = Outcome>) -> Outcome {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(work)
}

async fn execute(database: Option<PathBuf>, command: Command) -> Outcome {
    let options = Options::default();
    match command {
        Command::Serve { .. } | Command::Hooks(_) => Err("it makes its own runtime".into()),
        Command::Export { project } => {
            let store = Store::open(existing(database)?, options)?;
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
        Command::Forget { conversation } => {
            let store = Store::open(existing(database)?, options)?;
            say(&format!("forgot {}", store.forget(&conversation).await?))
        }
        Command::Status => status(&Store::open(existing(database)?, options)?).await,
        Command::Tour => memory_tour::run(database).await,
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
    given
        .or_else(from_environment)
        .or_else(default_path)
        .ok_or("this user has no folder for program data\nhelp: name a file with `--database`")
}

/// The database file of a command that adds nothing to it: a file that `--database` names must exist.
fn existing(given: Option<PathBuf>) -> Result<PathBuf, String> {
    if let Some(path) = &given
        && matches!(path.try_exists(), Ok(false))
    {
        return Err(format!(
            "there is no database `{}`\nhelp: name an existing file with `--database`",
            path.display()
        ));
    }
    Ok(place(given)?)
}

async fn status(store: &Store) -> Outcome {
    let status = store.status().await?;
    say(&format!(
        "database: {}\nmemories: {}\nprojects: {}\nconversations: {}\njournal_mode: {}\nsynchronous: {}\nschema: {}\nsqlite: {}",
        status.database.display(),
        status.memories,
        status.projects,
        status.conversations,
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

#[cfg(test)]
mod tests;
