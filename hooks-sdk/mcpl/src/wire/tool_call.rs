//! What MCPL adds to MCP's tool calls.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Scope, StateUpdate};

objects! {
    /// A call of a tool, with the three members that MCPL adds. The other members are MCP's.
    ///
    /// Implements MCPL 0.4.1 §7.7 and §8.4.
    pub struct ToolCallParams {
        /// The tool.
        name: String,
        /// The arguments of the call.
        arguments?: Map<String, Value>,
        /// The scope that the host permits for the call.
        scope?: Scope,
        /// The state that the call starts from, in full.
        state?: Value,
        /// The state that the call starts from, as the id of its checkpoint.
        checkpoint?: String,
    }

    /// The answer of a tool, with the member that MCPL adds. The other members are MCP's.
    ///
    /// Implements MCPL 0.4.1 §8.2. The content is MCP's, and kept as it is.
    pub struct ToolCallResult {
        /// The content, in MCP's own blocks.
        content?: Vec<Value>,
        /// The state after the call.
        state?: StateUpdate,
    }
}
