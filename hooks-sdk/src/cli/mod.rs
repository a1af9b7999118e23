//! What a server's binary gets by calling one function: `serve`, and the commands that make its hooks work in the
//! agent clients people use today.
//!
//! ```no_run
//! use std::process::ExitCode;
//! use hooks_sdk::{cli::Program, rmcp::ServerHandler};
//!
//! struct Notes;
//!
//! impl ServerHandler for Notes {}
//!
//! fn main() -> ExitCode {
//!     Program::new("notes", || Ok(Notes)).main()
//! }
//! ```
//!
//! That is `notes serve` and `notes hooks list`, `install`, `fire` and the others. A binary with commands of its own
//! takes [`Hooks`] as a clap subcommand instead, and calls [`Hooks::run`].
//!
//! On standard output stands what a command was asked for; `serve` and `hooks fire` write nothing but their protocol
//! there. What went wrong stands on standard error.

#[cfg(test)]
mod agree;
mod command;
mod declared;
mod doctor;
mod evaluate;
mod explain;
mod explained;
mod fire;
mod install;
mod list;
mod pipe;
mod print;
mod probe;
mod program;
mod serve;
mod stats;

pub use command::Hooks;
pub use program::{Failure, Program};
