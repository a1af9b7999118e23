//! The commands about hooks.

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{
    Args, CommandFactory, Parser, Subcommand, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use serde_json::{Value, json};

use super::{CommandError, Program, doctor, explain, fire, install, list, print, stats, uninstall};
use crate::{
    clients::{self, Client, InstallScope},
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
    /// List the hooks by event, each with its strength and its first sentence
    List(OutputFormat),
    /// Show which hooks fire at an event in each client, with their texts, and why others do not
    ///
    /// Nothing is fired and nothing is recorded. Context tools are called, as they are when the event happens. The
    /// number of tokens is an estimate: a quarter of the characters.
    #[command(after_long_help = examples(&[
        "explain --event post_tool_use --tool Bash --input 'git commit -m x'",
        "explain --event session_start --client codex",
    ]))]
    Explain(explain::Explain),
    /// Write the hooks, and the server, into an agent client's configuration
    ///
    /// The client gets one entry for each event at which a hook can fire. Everything else in its files stays as it is,
    /// comments and layout included. Either all files are written or none, and the bytes of before are kept for
    /// `uninstall`. A file that does not parse is not touched. A second `install` brings old entries up to date. On a
    /// terminal the difference is shown first.
    #[command(after_long_help = examples(&[
        "install --client claude-code",
        "install --client all",
        "install --client codex --scope project --dry-run",
        "install --client gemini --no-server",
    ]))]
    Install(install::Install),
    /// Remove from a client's configuration what `install` wrote
    ///
    /// A file that nobody changed since gets its bytes of before. From any other file only our entries are removed.
    #[command(after_long_help = examples(&["uninstall --client claude-code", "uninstall --client all"]))]
    Uninstall(uninstall::Uninstall),
    /// Check clients, their versions, the entries and the command for what keeps hooks from working
    ///
    /// Clients are looked up on the PATH and asked for their version. The command is run as a client runs it, with an
    /// event that means nothing. What a client is known to leave out is listed.
    Doctor(doctor::Doctor),
    /// Answer one event of a client: it writes JSON to standard input and reads the answer from standard output
    ///
    /// Clients call this; people rarely do. Whatever standard input holds, standard output is an object that the client
    /// understands, and the exit code is 0.
    Fire(fire::Fire),
    /// Print the entries that `install` would write for a client, for other ways to install them
    Render(Of),
    /// Print a JSON Schema of SEP-2282
    Schema {
        /// Whose capability it describes
        #[arg(value_enum, default_value_t = SchemaSide::Server)]
        side: SchemaSide,
    },
    /// Print the session state machine as a diagram
    Graph {
        /// The diagram's language
        #[arg(long, value_enum, default_value_t = Picture::Mermaid)]
        format: Picture,
        /// Print its states and arrows in JSON instead
        #[arg(long, conflicts_with = "format")]
        json: bool,
    },
    /// Show how often each hook fired, and how often the tool that it asks for was called later
    ///
    /// A hook asks for the tools of this server that its text names in backticks. What fired is kept on this machine
    /// only, without texts; HOOKS_RECEIPTS=off keeps nothing.
    Stats(stats::Stats),
    /// Print completions for a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

/// How a command answers.
#[derive(Clone, Copy, Debug, Args)]
#[non_exhaustive]
pub struct OutputFormat {
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// A client.
#[derive(Clone, Debug, Args)]
#[non_exhaustive]
pub struct Of {
    /// The client
    #[arg(long, value_name = "CLIENT", value_parser = client_parser())]
    pub(super) client: &'static dyn Client,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SchemaSide {
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

/// As [`client`], for clap: its help lists the clients, and a misspelt one gets the nearest.
pub(super) fn client_parser() -> impl TypedValueParser<Value = &'static dyn Client> {
    PossibleValuesParser::new(client_names()).try_map(|name| client(&name))
}

/// The clients as clap lists them.
pub(super) fn client_names() -> impl Iterator<Item = PossibleValue> {
    let named = |client: &dyn Client| PossibleValue::new(client.name()).help(client.title());
    clients::ALL.into_iter().map(named)
}

/// As [`event`], for clap: its help lists our words, and each client's own name is taken as well.
pub(super) fn event_parser() -> impl TypedValueParser<Value = Event> {
    let named = Event::ALL.map(|event| {
        let natives = clients::ALL.map(|client| client.mapping(event).native);
        PossibleValue::new(event.as_str()).aliases(natives)
    });
    PossibleValuesParser::new(named).try_map(|word| event(&word))
}

/// Reads a scope.
pub(super) fn scope_parser() -> impl TypedValueParser<Value = InstallScope> {
    PossibleValuesParser::new(["user", "project"]).map(|word| match &*word {
        "project" => InstallScope::Project,
        _ => InstallScope::User,
    })
}

/// The name by which the user called this program.
pub(super) fn binary() -> String {
    let called = env::args_os().next().map(PathBuf::from);
    let name = called.as_deref().and_then(Path::file_name);
    name.map_or_else(
        || "server".into(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// Examples below the help of a command, as a user of this program types them.
fn examples(commands: &[&str]) -> String {
    let mut text = String::from(if commands.len() == 1 {
        "Example:"
    } else {
        "Examples:"
    });
    for command in commands {
        text.push_str(&format!("\n  {} hooks {command}", binary()));
    }
    text
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
                SchemaSide::Server => schema::SERVER,
                SchemaSide::Client => schema::CLIENT,
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
) -> Result<(), CommandError> {
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

fn completions(shell: clap_complete::Shell) -> Result<(), CommandError> {
    let binary = binary();
    let own = clap::Command::new(binary.clone())
        .subcommand(clap::Command::new("serve"))
        .subcommand(Alone::command().name("hooks"));
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut own.clone(), binary, &mut script);
    print::text(&String::from_utf8_lossy(&script))
}
