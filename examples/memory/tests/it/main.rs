//! The tests of the memory server: one program, since linking costs more than running.

mod bad_input;
mod clients;
mod command_line;
mod copied;
mod crash;
mod database;
mod files;
#[cfg(unix)]
mod fire_command;
mod guarded;
mod guidance;
mod hooks;
mod hooks_command;
mod install_command;
mod installations;
mod installed;
mod log_command;
mod mcpl;
mod offer;
#[cfg(unix)]
mod orphan;
mod over_http;
mod package_command;
mod package_release;
mod peer;
mod place;
mod policy_command;
mod prove;
mod searching;
mod session;
mod tools;
mod tour;
mod trouble;
mod user;
mod watch;
