//! A plugin of Claude Code, checked with its `claude plugin validate --strict` and loaded by version 2.1.329.

use super::format::{Catalog, Format, HooksFile};

/// Files at their default places need no member of the manifest, and a member that names one is refused as a duplicate.
pub(super) static CLAUDE: Format = Format {
    name: "claude-plugin",
    title: "Claude Code",
    manifest: ".claude-plugin/plugin.json",
    schema: None,
    servers: ".mcp.json",
    servers_schema: None,
    hooks: &[HooksFile {
        client: "claude-code",
        file: "hooks/hooks.json",
    }],
    catalog: Some(Catalog {
        file: ".claude-plugin/marketplace.json",
        source: || "./".into(),
    }),
    load: &[
        "for one run: claude --plugin-dir DIR",
        "for every run: claude plugin marketplace add DIR, then claude plugin install NAME@NAME",
    ],
    lacks: None,
};
