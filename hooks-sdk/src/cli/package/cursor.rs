//! A plugin of Cursor, from its documents and its published schema: Cursor was not run.

use super::format::{Format, HooksFile};

pub(super) static CURSOR: Format = Format {
    name: "cursor-plugin",
    title: "Cursor",
    manifest: ".cursor-plugin/plugin.json",
    schema: None,
    servers: "mcp.json",
    servers_schema: None,
    hooks: &[HooksFile {
        client: "cursor",
        file: "hooks/hooks.json",
    }],
    catalog: None,
    load: &["copy DIR to ~/.cursor/plugins/local/NAME, and restart Cursor"],
    lacks: Some("This format is written from Cursor's documents: Cursor itself was not run."),
};
