//! MCPL on the wire: servers behind the shim, and the hosts of each generation.

mod bench;
mod contract_04;
mod contract_04_asked;
mod contract_05;
mod hooks;
mod inside;
mod plain;
mod policy;
mod rig;
mod senders;
mod streams;
