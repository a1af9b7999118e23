//! The files of clients: what is written, what is undone, and what is never touched.

mod bad_input;
mod created;
pub(crate) mod desk;
pub(crate) mod generate;
mod killed;
mod own;
mod owners;
mod property;
mod rules;
mod servers;
mod together;
mod undoing;
