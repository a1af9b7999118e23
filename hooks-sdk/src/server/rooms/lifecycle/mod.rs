//! Hooks at the six events of an agent's session: what is declared of them, and the tools that answer.

pub(in crate::server) mod capability;
pub(in crate::server) mod tools;
