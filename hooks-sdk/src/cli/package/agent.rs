//! A package of Agent Plugins 1.0.0, with the hooks of the clients that read some from such a package.

use super::format::{Format, HooksFile};

/// The standard has skills and MCP servers. Hooks are in a folder that is named after a client's domain.
pub(super) static AGENT: Format = Format {
    name: "agent-plugins",
    title: "clients of Agent Plugins 1.0.0",
    manifest: "plugin.json",
    schema: Some("https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"),
    servers: "mcp.json",
    servers_schema: Some("https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"),
    hooks: &[HooksFile {
        client: "copilot",
        file: "com.github.copilot/hooks/hooks.json",
    }],
    catalog: None,
    load: &[
        "GitHub Copilot CLI, for one run: copilot --plugin-dir DIR",
        "other clients: as their documents say; they load the server and the skills",
    ],
    lacks: Some(
        "Only GitHub Copilot CLI reads hooks from this format. Codex CLI 0.169.0 loads the server and no hooks: take \
         `codex-plugin` for it.",
    ),
};
