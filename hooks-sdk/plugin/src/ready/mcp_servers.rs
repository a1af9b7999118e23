//! `mcp_servers`: lets an agent use these MCP servers only.

use std::convert::Infallible;

use serde::Deserialize;

use super::{
    super::{AgentToolCall, AgentToolKind, PluginContext},
    refusal,
};
use hooks_core::{Verdict, internal::setters};

/// Refuses calls of tools of every MCP server that is not in the list.
///
/// ```yaml
/// - name: known_servers
///   kind: mcp_servers
///   posture: deny
///   config: { allow: [memory, github] }
/// ```
///
/// GitHub Copilot CLI, OpenCode and Cline CLI write the names of a server and its tool as one word. It is split by the servers in the
/// client's files: the longest name that fits. A server that is in none of them is taken for the shortest name that the word can have.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpServers {
    allow: Vec<String>,
    reason: Option<String>,
}

impl McpServers {
    setters! {
        /// Allows a server.
        fn allow(mut self, server: impl Into<String>) { self.allow.push(server.into()) }

        /// Sets the sentence that the agent gets.
        fn reason(mut self, reason: impl Into<String>) { self.reason = Some(reason.into()) }
    }

    fn check(&self, call: &AgentToolCall, _cx: &PluginContext) -> Verdict<Infallible> {
        if call.kind != AgentToolKind::Mcp {
            return Verdict::Allow;
        }
        let server = call.mcp_server.as_deref().unwrap_or_default();
        if self.allow.iter().any(|own| own == server) {
            return Verdict::Allow;
        }
        let own = || format!("the MCP server `{server}` is not used in this project");
        Verdict::Deny(refusal(&self.reason, own, "server_not_allowed"))
    }
}

ready!(McpServers = "mcp_servers", "Creates a plugin that allows no server." { agent_tool_pre_invoke => McpServers::check, again, without_commands; });
