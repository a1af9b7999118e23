//! The tests of the memory server: one program, since linking costs more than running.

mod bad_input;
mod clients;
mod command_line;
mod coverage;
mod crash;
mod database;
mod guarded;
mod guidance;
mod hooks;
mod hooks_command;
mod install_command;
mod installed;
mod mcpl;
mod mend;
mod over_http;
mod peer;
mod place;
mod policy_command;
mod searching;
mod session;
mod tools;
mod tour;
mod user;
mod watch;
