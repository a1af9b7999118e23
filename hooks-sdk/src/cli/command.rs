//! The commands about hooks.

use std::{env, process::ExitCode};

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::{Failure, Program, doctor, explain, fire, install, list, print, stats};
use crate::{
    clients::{self, Client, Scope},
    lifecycle::{Event, schema},
    server::ServerHandler,
    session::{Machine, diagram},
};

/// The commands about a server's hooks, as a clap subcommand.
///
/// ```no_run
/// use clap::Parser;
/// use hooks_sdk::{cli::{Hooks, Program}, rmcp::ServerHandler};
///
/// struct Notes;
///
/// impl ServerHandler for Notes {}
///
/// #[derive(Parser)]
/// enum Cli {
///     /// Count the notes
///     Count,
///     /// The server's hooks
///     #[command(subcommand)]
///     Hooks(Hooks),
/// }
///
/// fn main() -> std::process::ExitCode {
///     match Cli::parse() {
///         Cli::Count => std::process::ExitCode::SUCCESS,
///         Cli::Hooks(hooks) => hooks.run(&Program::new("notes", || Ok(Notes))),
///     }
/// }
/// ```
///
/// It must be the subcommand `hooks` of the binary: installed entries call it so.
#[derive(Debug, Subcommand)]
#[non_exhaustive]
pub enum Hooks {
    /// List the hooks: when each fires, how strongly, with what text
    List(Format),
    /// Say what would fire, in which client, with which text, and what would not and why
    ///
    /// Nothing is fired and nothing recorded. Context tools are asked, as they are when the event happens. The
    /// number of tokens is an estimate: a quarter of the characters.
    #[command(
        after_long_help = "Example:\n  hooks explain --event post_tool_use --tool Bash --input 'git commit -m x'"
    )]
    Explain(explain::Explain),
    /// Write the hooks, and the server, into an agent client's configuration
    ///
    /// One entry for each event at which a hook can fire; what is there already stays, comments and layout
    /// included. All files are written or none, each in one step, with what was there before kept for `uninstall`.
    /// A file that does not parse is not touched. Installing again changes nothing, or brings the entries up to
    /// date. On a terminal the difference is shown first.
    #[command(
        after_long_help = "Examples:\n  hooks install --client claude-code\n  hooks install --client codex --scope project --dry-run\n  hooks install --client gemini --no-server"
    )]
    Install(install::Install),
    /// Take out of a client's configuration what was installed
    ///
    /// A file that nobody changed since is again what it was, to the byte. From any other file only our entries are
    /// taken.
    Uninstall(install::Uninstall),
    /// Look for what keeps hooks from working: clients, their versions, entries, the command itself
    ///
    /// Clients are looked for on the PATH and asked for their version; the command is run as a client runs it, with
    /// an event that means nothing. What a client is known to leave out is listed.
    Doctor(doctor::Doctor),
    /// Answer one event of a client: its JSON on standard input, the answer on standard output
    ///
    /// Clients call this; people rarely do. Whatever stands on standard input, standard output is an object
    /// that the client understands, and the exit code is 0.
    Fire(fire::Fire),
    /// Print the entries that `install` would write for a client, for other ways to install them
    Render(Of),
    /// Print a JSON Schema of SEP-2282
    Schema {
        /// Whose capability it describes
        #[arg(value_enum, default_value_t = Side::Server)]
        side: Side,
    },
    /// Print the session state machine as a picture
    Graph {
        /// In which language
        #[arg(long, value_enum, default_value_t = Picture::Mermaid)]
        format: Picture,
        /// Print its states and arrows in JSON instead
        #[arg(long, conflicts_with = "format")]
        json: bool,
    },
    /// Say how often each hook fired, and how often the tool that it asks for was called after it
    ///
    /// A hook asks for the tools of this server that its text names in backticks. What fired is kept on this machine
    /// only, without texts; HOOKS_RECEIPTS=off keeps nothing.
    Stats(stats::Stats),
    /// Print completions for a shell
    Completions {
        /// Which shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

/// How a command answers.
#[derive(Clone, Copy, Debug, Args)]
#[non_exhaustive]
pub struct Format {
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// A client, and where its files are.
#[derive(Clone, Debug, Args)]
#[non_exhaustive]
pub struct Of {
    /// Which client: `claude-code`, `codex` or `gemini`
    #[arg(long, value_name = "CLIENT", value_parser = client)]
    pub(super) client: &'static dyn Client,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Side {
    /// What a server declares
    Server,
    /// What a client declares
    Client,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Picture {
    /// A Mermaid state diagram
    Mermaid,
    /// DOT, for Graphviz
    Dot,
}

/// Reads a client's name.
pub(super) fn client(name: &str) -> Result<&'static dyn Client, String> {
    clients::by_name(name).ok_or_else(|| {
        let names: Vec<&str> = clients::ALL.iter().map(|client| client.name()).collect();
        format!("no such client; those known are {}", names.join(", "))
    })
}

/// Reads an event's word, or a client's own name for it.
pub(super) fn event(word: &str) -> Result<Event, String> {
    clients::event(word).ok_or_else(|| {
        let words: Vec<&str> = Event::ALL.iter().map(|event| event.as_str()).collect();
        format!("no such event; the events are {}", words.join(", "))
    })
}

/// Reads a scope.
pub(super) fn scope(word: &str) -> Result<Scope, String> {
    match word {
        "user" => Ok(Scope::User),
        "project" => Ok(Scope::Project),
        _ => Err("it is `user` or `project`".to_owned()),
    }
}

impl Hooks {
    /// Runs the command.
    pub fn run<H: ServerHandler>(self, program: &Program<H>) -> ExitCode {
        let outcome = match self {
            // It answers whatever happens.
            Hooks::Fire(fire) => return fire.run(program),
            Hooks::List(format) => list::run(program, format),
            Hooks::Explain(explain) => explain.run(program),
            Hooks::Install(install) => install.run(program),
            Hooks::Uninstall(uninstall) => uninstall.run(program),
            Hooks::Doctor(doctor) => doctor.run(program),
            Hooks::Render(of) => install::render(program, of.client),
            Hooks::Schema { side } => print::text(match side {
                Side::Server => schema::SERVER,
                Side::Client => schema::CLIENT,
            }),
            Hooks::Graph { format, json } => graph(program, format, json),
            Hooks::Stats(stats) => stats.run(program),
            Hooks::Completions { shell } => completions(shell),
        };
        print::outcome(outcome)
    }
}

fn graph<H: ServerHandler>(
    program: &Program<H>,
    format: Picture,
    json: bool,
) -> Result<(), Failure> {
    let machine = program
        .machine()
        .ok_or("this server has no session state machine")?;
    if json {
        return print::json(&machine_as_json(machine));
    }
    print::text(&match format {
        Picture::Mermaid => diagram::mermaid(machine),
        Picture::Dot => diagram::dot(machine),
    })
}

fn machine_as_json(machine: &Machine) -> Value {
    let state = |state| {
        let arrows = machine.arrows(state).map(|arrow| {
            json!({ "tool": arrow.tool, "to": machine.name(arrow.to), "guarded": arrow.guarded })
        });
        json!({
            "name": machine.name(state),
            "text": machine.text(state),
            "allows_any": machine.allows_any(state),
            "allowed": machine.allowed(state).collect::<Vec<_>>(),
            "denied": machine.denied(state).collect::<Vec<_>>(),
            "arrows": arrows.collect::<Vec<_>>(),
        })
    };
    json!({
        "start": machine.name(machine.start()),
        "reset": machine.reset_tools().collect::<Vec<_>>(),
        "states": machine.states().map(state).collect::<Vec<_>>(),
    })
}

/// A parser of the commands alone, for their completions.
#[derive(Debug, Parser)]
struct Alone {
    #[command(subcommand)]
    _hooks: Hooks,
}

fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let binary = env::current_exe()?;
    let binary = binary.file_stem().unwrap_or_default().to_string_lossy();
    let own = clap::Command::new(binary.to_string())
        .subcommand(clap::Command::new("serve"))
        .subcommand(Alone::command().name("hooks"));
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut own.clone(), binary.to_string(), &mut script);
    print::text(&String::from_utf8_lossy(&script))
}
