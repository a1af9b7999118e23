//! A plugin of Codex CLI, loaded by version 0.169.0.

use serde_json::json;

use super::format::{Catalog, Format, HooksFile};

pub(super) static CODEX: Format = Format {
    name: "codex-plugin",
    title: "Codex CLI",
    manifest: ".codex-plugin/plugin.json",
    schema: None,
    servers: ".mcp.json",
    servers_schema: None,
    hooks: &[HooksFile {
        client: "codex",
        file: "hooks/hooks.json",
    }],
    // Codex CLI installs plugins from catalogs only.
    catalog: Some(Catalog {
        file: ".agents/plugins/marketplace.json",
        source: || json!({ "source": "local", "path": "./" }),
    }),
    load: &[
        "codex plugin marketplace add DIR, then codex plugin add NAME@NAME",
        "start Codex CLI, and review the hooks with /hooks: it silently skips hooks that nobody has reviewed",
    ],
    lacks: None,
};
