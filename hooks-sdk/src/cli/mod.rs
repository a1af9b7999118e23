//! What a server's binary gets by calling one function: `serve`, and the commands that make its hooks work in the
//! agent clients people use today.
//!
//! ```no_run,standalone_crate
//! use std::process::ExitCode;
//! use hooks_sdk::{cli::Program, rmcp::ServerHandler};
//!
//! struct Notes;
//!
//! impl ServerHandler for Notes {}
//!
//! fn main() -> ExitCode {
//!     Program::new("notes", || Ok(Notes)).version(env!("CARGO_PKG_VERSION")).main()
//! }
//! ```
//!
//! This gives the program the commands `notes serve` (with the feature `http` also `notes serve --http ADDRESS`) and `notes hooks list`, `install`, `fire` and the others. A binary
//! with commands of its own takes [`Hooks`] as a clap subcommand instead, and calls [`Hooks::run`].
//!
//! A command writes its answer to standard output, and what went wrong to standard error. `serve` and `hooks fire` write
//! nothing but their protocol to standard output.

mod about;
#[cfg(test)]
mod agreement_tests;
mod command;
mod declared;
#[cfg(test)]
mod desk;
mod doctor;
mod doctor_elsewhere;
mod doctor_report;
mod dump;
mod evaluate;
mod explain;
mod explained;
mod fire;
#[cfg(feature = "log")]
mod fired_log;
#[cfg(feature = "policy-engine")]
mod gate;
mod hook_reviews;
mod install;
mod install_target;
mod installed;
#[cfg_attr(
    not(feature = "policy-engine"),
    allow(dead_code, reason = "`policy check` needs all of it, and is not built")
)]
mod judge;
mod list;
#[cfg(feature = "log")]
mod log;
mod logging;
mod make;
mod offer;
mod options;
mod own_package;
mod pipe;
#[cfg(feature = "policy-engine")]
mod plugins;
#[cfg(feature = "policy-engine")]
mod policy;
mod print;
mod probe;
mod program;
mod receipts;
mod serve;
#[cfg(feature = "guardian-client")]
mod serve_guarded;
#[cfg(feature = "http")]
mod serve_http;
mod standard_input;
mod started;
#[cfg(feature = "guardian-local")]
mod steps;
#[cfg(feature = "http")]
mod store_schemes;
mod targets;
mod test_host;
#[cfg(test)]
mod tests;
#[cfg(any(feature = "http", feature = "guardian-client"))]
mod tokens;
mod tool;
mod tools_of;
mod uninstall;

pub use command::Hooks;
pub use make::{AtOnce, Later, MakeServer};
pub use own_package::Package;
pub use program::{CommandError, Program};
#[cfg(feature = "guardian-client")]
pub use serve_guarded::ServeGuarded;
#[cfg(feature = "http")]
pub use serve_http::ServeHttp;
