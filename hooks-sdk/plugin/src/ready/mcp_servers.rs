//! `mcp_servers`: lets an agent use these MCP servers only.

use std::convert::Infallible;

use serde::Deserialize;

use super::super::{AgentToolCall, AgentToolKind, PluginContext};
use hooks_core::{Verdict, Violation, internal::setters};

/// Refuses calls of tools of every MCP server that is not in the list.
///
/// ```yaml
/// - name: known_servers
///   kind: mcp_servers
///   posture: deny
///   config: { allow: [memory, github] }
/// ```
///
/// GitHub Copilot CLI and OpenCode write the names of a server and its tool as one word. There, a tool whose name begins
/// with the name of an allowed server is allowed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpServers {
    allow: Vec<String>,
    reason: Option<String>,
}

impl McpServers {
    /// Creates a plugin that allows no server.
    pub fn new() -> McpServers {
        McpServers::default()
    }

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
        let gap = match &*call.client {
            "copilot" => Some('-'),
            "opencode" => Some('_'),
            _ => None,
        };
        let begins = |own: &String| {
            let rest = call.tool.strip_prefix(own.as_str());
            gap.is_some_and(|gap| rest.is_some_and(|rest| rest.starts_with(gap)))
        };
        if self.allow.iter().any(|own| own == server || begins(own)) {
            return Verdict::Allow;
        }
        let own = || format!("the MCP server `{server}` is not used in this project");
        let reason = self.reason.clone().unwrap_or_else(own);
        Verdict::Deny(Violation::new(reason).code("server_not_allowed"))
    }
}

ready!(McpServers = "mcp_servers" { agent_tool_pre_invoke => McpServers::check, again, without_commands; });
