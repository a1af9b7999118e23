//! What a server of MCP and a guardian over HTTP share: connections, limits, checks and refusals.

pub(super) mod accept;
pub(super) mod bearer;
pub(super) mod body;
pub(super) mod error;
pub(super) mod held;
pub(super) mod hosts;
pub(super) mod listen;
pub(super) mod probe;
pub(super) mod refusal;
pub(super) mod settings;
pub(super) mod whole;
