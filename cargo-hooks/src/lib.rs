//! `cargo hooks`: the tool for authors of servers with hooks. It drives the server's program, which answers `hooks dump --json`.
//!
//! The library is the program's own, and promises nothing to others.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod check;
mod explain;
mod package;
mod print;
#[cfg(unix)]
#[doc(hidden)]
pub mod prove;
mod server;

use std::{env, error::Error, process::ExitCode};

use clap::{CommandFactory, Parser};

/// Why a command failed, worded for its user.
type CommandError = Box<dyn Error + Send + Sync>;

/// The tool for authors of MCP servers with hooks
#[derive(Debug, Parser)]
#[command(
    name = "cargo hooks",
    bin_name = "cargo hooks",
    version,
    arg_required_else_help = true
)]
enum Tool {
    /// Prove with installed clients which texts reach the model
    ///
    /// Runs each client once against a stand-in for its model service. Uses a throw-away home and project, in which the hooks
    /// are installed as `hooks install` does it, with a hook of the trial at each event. Also runs the client beside a gate, if
    /// the server has gates. Nothing of yours is read or written, no key is needed, and no model is asked. The client itself
    /// runs as you, and makes an empty commit in the throw-away project. Exit code: 0 if everything is as the table of clients
    /// says, 1 if a text does not arrive or something else differs, 2 if a client cannot be run.
    #[cfg(unix)]
    #[command(after_long_help = "Examples:
  cargo hooks prove
  cargo hooks prove codex
  cargo hooks prove --json --timeout 60")]
    Prove(prove::Prove),
    /// Show which hooks fire at an event, with their texts, and why others do not
    ///
    /// Fires nothing and records nothing. Calls context tools, as a real event does. The number of tokens is an estimate: a
    /// quarter of the number of characters.
    #[command(after_long_help = "Examples:
  cargo hooks explain post_tool_use --tool Bash --input 'git commit -m x'
  cargo hooks explain session_start --client codex")]
    Explain(explain::Explain),
    /// Find mistakes in the hooks, texts and rules of a server
    ///
    /// Reports what `serve` would refuse, texts that no client delivers, names in texts that nothing has, and rules without an
    /// effect. Unknown names are tools that the server lacks, and words in braces that are no variables. Without an effect are
    /// rules for tools that the server lacks, questions that it never asks, and session machines that the program does not
    /// use. Makes the server, to ask for its tools. Exit code: 0 if nothing is found, 1 if something is, 2 if the program cannot
    /// be asked.
    Check(check::Check),
    /// Package the server, its hooks and its skills, for a client or for a registry
    ///
    /// A plugin is a folder that a client loads. Without a program, it works on every computer that has the server's program on
    /// its PATH. Writes the whole folder or nothing, and replaces only a folder that is an earlier package of this server.
    #[command(after_long_help = "Examples:
  cargo hooks package --format claude-plugin dist/claude
  cargo hooks package --format codex-plugin dist/codex
  cargo hooks package --format agent-plugins dist/plugin --json")]
    Package(package::Package),
    /// Serve a tool that makes a file. It works inside of a trial only.
    #[cfg(unix)]
    #[command(hide = true)]
    Mark,
}

/// Returns the command line.
#[doc(hidden)]
pub fn command() -> clap::Command {
    Tool::command()
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let mut words: Vec<_> = env::args_os().collect();
    // `cargo hooks` starts `cargo-hooks hooks`.
    if words.get(1).is_some_and(|word| word == "hooks") {
        words.remove(1);
    }
    match Tool::parse_from(words) {
        Tool::Check(check) => check.run(),
        Tool::Explain(explain) => print::outcome(explain.run()),
        Tool::Package(package) => print::outcome(package.run()),
        #[cfg(unix)]
        Tool::Prove(prove) => prove.run(),
        #[cfg(unix)]
        Tool::Mark => print::outcome(prove::serve_marker()),
    }
}
