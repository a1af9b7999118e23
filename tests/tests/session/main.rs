//! Sessions: the stores, and the machine enforced on the wire.

mod desk;
mod gate;
mod handle;
mod order;
mod property;
mod proposals;
mod start_up;
mod store;
mod trouble;
mod unfinished;
