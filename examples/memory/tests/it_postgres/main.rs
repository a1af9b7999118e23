//! The tests of the memory server once more, with the memories in PostgreSQL.
//!
//! They are the files of `../it`; `place` says where the memories are. What is about a SQLite file is not here, and
//! `failures` has what is about a server instead.

#[path = "../it/bad_input.rs"]
mod bad_input;
#[path = "../it/command_line.rs"]
mod command_line;
mod failures;
#[path = "../it/guidance.rs"]
mod guidance;
#[path = "../it/hooks.rs"]
mod hooks;
#[path = "../it/mcpl/mod.rs"]
mod mcpl;
#[path = "../it/peer.rs"]
mod peer;
mod place;
#[path = "../it/searching.rs"]
mod searching;
mod server;
#[path = "../it/session.rs"]
mod session;
#[path = "../it/tools.rs"]
mod tools;
#[path = "../it/watch.rs"]
mod watch;
