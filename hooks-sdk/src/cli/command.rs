//! The commands about hooks.

use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches, Subcommand};

use super::{
    Program, doctor,
    dump::DumpArguments,
    fire, install, list,
    options::{OutputFormat, binary},
    print,
    tool::Tool,
    uninstall,
};
use crate::server::ServerHandler;
use hooks_server::internal::AnyAuthor;

/// The commands about a server's hooks, as a clap subcommand.
///
/// ```no_run,standalone_crate
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
/// It must be the subcommand `hooks` of the binary, because installed entries run `hooks fire`.
#[derive(Debug)]
pub struct Hooks {
    command: Command,
}

impl FromArgMatches for Hooks {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Hooks, clap::Error> {
        Command::from_arg_matches(matches).map(|command| Hooks { command })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.command.update_from_arg_matches(matches)
    }
}

impl Subcommand for Hooks {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        Command::augment_subcommands(command)
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Command::augment_subcommands_for_update(command)
    }

    fn has_subcommand(name: &str) -> bool {
        Command::has_subcommand(name)
    }
}

// Not a doc comment: clap would print it.
#[derive(Debug, Subcommand)]
enum Command {
    /// Write the hooks, and the server, into an agent client's configuration
    ///
    /// Writes one entry for each event at which a hook can fire. Keeps everything else in the client's files, including
    /// comments and layout. Writes all files or none, and keeps their previous bytes for `uninstall`. Does not change a
    /// file that does not parse. A second `install` updates old entries. On a terminal, prints the diff and asks first.
    /// Without a CLIENT, installs into every client on the PATH.
    #[command(after_long_help = examples(&[
        "install",
        "install claude-code codex",
        "install codex --scope project --dry-run",
        "install gemini --no-server --yes",
    ]))]
    Install(install::Install),
    /// Remove the hooks, and the server, from a client's configuration
    ///
    /// Restores the previous bytes of each file that nobody has changed since `install`. Removes only this server's
    /// entries from any other file.
    #[command(after_long_help = examples(&["uninstall claude-code", "uninstall all"]))]
    Uninstall(uninstall::Uninstall),
    /// Check each client and its entries, and report why hooks do not work
    ///
    /// Looks up each client on the PATH and asks for its version. Runs the command as the client runs it, with an event
    /// at which no hook fires. Starts the server, if a client starts it, with the variables that your entry sets. Lists
    /// where the client is known to differ, such as events at which no text reaches the agent. Exit code: 0 if everything
    /// that is installed works, 1 if something does not.
    Doctor(doctor::Doctor),
    /// List the hooks by event, each with its strength and its first sentence
    List(OutputFormat),
    /// Prove which texts reach the model, with `cargo hooks prove`
    #[command(disable_help_flag = true)]
    Prove(Tool),
    /// Answer one event of a client: read it as JSON from standard input, and write the answer to standard output
    ///
    /// Clients run this command; people rarely do. Whatever standard input holds, standard output is a JSON object that
    /// the client understands, and the exit code is 0.
    #[command(hide = true)]
    Fire(fire::Fire),
    /// Show which hooks fire at an event, with `cargo hooks explain`
    #[command(hide = true, disable_help_flag = true)]
    Explain(Tool),
    /// Write packages for clients and registries, with `cargo hooks package`
    #[command(hide = true, disable_help_flag = true)]
    Package(Tool),
    /// Describe the program to another one, such as `cargo hooks`
    #[command(hide = true)]
    Dump(DumpArguments),
    /// Check a policy file, and show its decisions about calls
    #[cfg(feature = "policy-engine")]
    #[command(subcommand)]
    Policy(super::policy::PolicyCommand),
    /// Verify or show the decision log, or make a key for it
    #[cfg(feature = "log")]
    #[command(subcommand)]
    Log(super::log::Log),
}

/// Writes the examples below a command's help, as a user of this program types them.
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
        self.run_any(&program.without_type())
    }

    fn run_any(self, program: &Program<AnyAuthor>) -> ExitCode {
        if !matches!(self.command, Command::Fire(_))
            && let Err(wrong) = program.check_name()
        {
            return print::outcome(Err(wrong));
        }
        let outcome = match self.command {
            // `fire` always answers, so it has no failure to report.
            Command::Fire(fire) => return fire.run(program),
            // Its exit code says whether everything works.
            Command::Doctor(doctor) => return doctor.run(program),
            Command::Prove(tool) => return tool.run("prove"),
            Command::Explain(tool) => return tool.run("explain"),
            Command::Package(tool) => return tool.run("package"),
            // Its exit code says what the policy decides.
            #[cfg(feature = "policy-engine")]
            Command::Policy(policy) => return policy.run(program),
            // Its exit code says whether somebody changed the log.
            #[cfg(feature = "log")]
            Command::Log(log) => return log.run(),
            Command::List(format) => list::run(program, format),
            Command::Install(install) => install.run(program),
            Command::Uninstall(uninstall) => uninstall.run(program),
            Command::Dump(dump) => dump.run(program),
        };
        print::outcome(outcome)
    }
}
