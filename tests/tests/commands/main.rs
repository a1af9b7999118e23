//! The commands of a server's program, run as a person, a client and a script run them: `notebook` is the program.
#![cfg(unix)]

mod broken_record;
mod check;
mod clients;
mod copied;
mod fire;
mod folders;
mod hooks;
mod install;
mod installed;
mod log;
mod offer;
mod orphan;
mod package;
mod policy;
mod prove;
mod serve_guarded;
mod serve_http;
mod user;
