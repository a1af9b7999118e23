//! The tests of the memory server: one program, since linking costs more than running.

mod bad_input;
mod command_line;
mod database;
mod mcpl;
mod peer;
mod policy;
mod searching;
mod session;
mod tools;
mod tour;
