//! MCPL on the wire: servers behind the shim, and the hosts of each generation.

mod bad_input;
mod bench;
mod channels;
mod connections;
mod contract_04;
mod contract_04_asked;
mod contract_05;
mod feature_sets;
mod hooks;
mod inside;
mod left_out;
mod needs;
mod older;
mod plain;
mod policy;
mod policy_model;
mod property;
mod rig;
mod scopes;
mod senders;
mod silent;
mod start_up;
mod stateless;
mod streams;
