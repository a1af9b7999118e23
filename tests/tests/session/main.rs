//! Sessions: the machine, and how it is enforced on the wire.

mod derive;
mod desk;
mod gate;
mod gates;
mod handle;
mod http;
mod order;
mod property;
mod proposals;
mod signed;
mod start_up;
mod trouble;
mod unfinished;
