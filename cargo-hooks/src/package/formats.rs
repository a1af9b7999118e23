//! The formats of plugins, one row each.

use serde_json::json;

use super::format::{Catalog, Format, OwnProgram};

/// All formats, in the order of lists.
pub(super) static ALL: [&Format; 4] = [&CLAUDE, &CODEX, &QWEN, &AGENT];

/// What most formats have.
const PLUGIN: Format = Format {
    name: "",
    title: "",
    manifest: "",
    schema: None,
    interface: false,
    servers: ".mcp.json",
    servers_schema: None,
    client: "",
    hooks: "hooks/hooks.json",
    own_program: OwnProgram {
        hooks: "\"${CLAUDE_PLUGIN_ROOT}/FILE\"",
        server: "${CLAUDE_PLUGIN_ROOT}/FILE",
        folder: None,
    },
    catalog: None,
    load: &[],
    lacks: None,
};

/// A plugin of Claude Code, checked with its `claude plugin validate --strict` and loaded by version 2.1.329.
///
/// Files at their default places need no member of the manifest, and a member that names one is refused as a duplicate.
pub(super) static CLAUDE: Format = Format {
    name: "claude-plugin",
    title: "Claude Code",
    manifest: ".claude-plugin/plugin.json",
    client: "claude-code",
    catalog: Some(Catalog {
        file: ".claude-plugin/marketplace.json",
        source: || "./".into(),
    }),
    load: &[
        "for one run: claude --plugin-dir DIR",
        "for every run: claude plugin marketplace add DIR, then claude plugin install NAME@NAME",
    ],
    ..PLUGIN
};

/// A plugin of Codex CLI, loaded by version 0.169.0.
pub(super) static CODEX: Format = Format {
    name: "codex-plugin",
    title: "Codex CLI",
    manifest: ".codex-plugin/plugin.json",
    interface: true,
    client: "codex",
    own_program: OwnProgram {
        server: "./FILE",
        folder: Some("."),
        ..PLUGIN.own_program
    },
    // Codex CLI installs plugins from catalogs only.
    catalog: Some(Catalog {
        file: ".agents/plugins/marketplace.json",
        source: || json!({ "source": "local", "path": "./" }),
    }),
    load: &[
        "codex plugin marketplace add DIR, then codex plugin add NAME@NAME",
        "start Codex CLI, and review the hooks with /hooks: it silently skips hooks that nobody has reviewed",
    ],
    ..PLUGIN
};

/// An extension of Qwen Code, loaded by version 0.24.4. Its manifest has the server.
///
/// The client also converts plugins of Claude Code and extensions of Gemini CLI, whose hooks then name another client.
pub(super) static QWEN: Format = Format {
    name: "qwen-extension",
    title: "Qwen Code",
    manifest: "qwen-extension.json",
    servers: "qwen-extension.json",
    client: "qwen",
    // In a hook, the client replaces no other variable.
    own_program: OwnProgram {
        server: "${extensionPath}/FILE",
        ..PLUGIN.own_program
    },
    load: &["qwen extensions install DIR, and agree"],
    ..PLUGIN
};

/// A package of Agent Plugins 1.0.0, with the hooks of the clients that read some from such a package.
///
/// The standard has skills and MCP servers. Hooks are in a folder that is named after a client's domain.
pub(super) static AGENT: Format = Format {
    name: "agent-plugins",
    title: "clients of Agent Plugins 1.0.0",
    manifest: "plugin.json",
    schema: Some("https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"),
    servers: "mcp.json",
    servers_schema: Some("https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"),
    client: "copilot",
    hooks: "com.github.copilot/hooks/hooks.json",
    own_program: OwnProgram {
        hooks: "\"${PLUGIN_ROOT}/FILE\"",
        server: "./FILE",
        folder: None,
    },
    load: &[
        "GitHub Copilot CLI, for one run: copilot --plugin-dir DIR",
        "other clients: as their documents say; they load the server and the skills",
    ],
    lacks: Some(
        "Only GitHub Copilot CLI reads hooks from this format. Codex CLI 0.169.0 loads the server and no hooks: take \
         `codex-plugin` for it.",
    ),
    ..PLUGIN
};

/// An extension of Gemini CLI, which people install from a folder, a repository or the archives of a release.
///
/// Its manifest has the server, and its hooks have a file of their own.
pub(super) static GEMINI: Format = Format {
    name: "gemini-extension",
    title: "Gemini CLI",
    manifest: "gemini-extension.json",
    servers: "gemini-extension.json",
    client: "gemini",
    own_program: OwnProgram {
        hooks: "\"${extensionPath}/FILE\"",
        server: "${extensionPath}/FILE",
        folder: None,
    },
    load: &["gemini extensions install https://github.com/OWNER/REPOSITORY"],
    ..PLUGIN
};
