//! Cline CLI, whose hooks are a generated plugin: the texts of its executables reach the agent at tool calls only.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{
    Capabilities, Client, InstallScope, Installation, Place, Seen, answer, config::Plan,
    input::Input, output, plugin, table, tool::Tool,
};
#[cfg(feature = "prove")]
use crate::prove::{Compaction, Dialect, Launch, Trial};
use hooks_core::lifecycle::Event;

/// Cline CLI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a client has no parts")]
pub struct Cline;

const PLUGIN: &str = include_str!("cline.js");

/// What is between a server's and a tool's name.
const GAP: &str = "__";

impl Client for Cline {
    fn capabilities(&self) -> &'static Capabilities {
        const { table::row("cline") }
    }

    fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen {
        let tool = |name| Tool::split_bare(name, servers, GAP);
        Input(input).seen(event, tool, output::text)
    }

    fn named_tool(&self, server: Option<&str>, tool: &str) -> Value {
        json!({ "tool_name": match server {
            Some(server) => Tool::bare_joined(server, tool, GAP),
            None => Tool::named(tool, "run_commands").to_owned(),
        } })
    }

    fn answer(&self, seen: &Seen, text: &str) -> Value {
        answer::bringing(self.mapping(seen.occasion.event), seen, "", text)
    }

    fn hooks_file(&self, scope: InstallScope, place: &Place, server: &str) -> PathBuf {
        let folder = place.root(scope).join(".cline");
        folder.join("plugins").join(plugin::file_name(server))
    }

    fn plan_hooks(&self, plan: Plan, to: &Installation<'_>) -> Plan {
        plugin::plan(self, PLUGIN, plan, to)
    }

    fn servers_file(&self, scope: InstallScope, place: &Place) -> Option<(PathBuf, Vec<String>)> {
        if scope != InstallScope::User {
            return None;
        }
        let settings = place.home.join(".cline").join("data").join("settings");
        let file = settings.join("cline_mcp_settings.json");
        Some((file, vec!["mcpServers".to_owned()]))
    }

    fn server_entry(&self, command: &str, arguments: &[String]) -> Value {
        json!({ "command": command, "args": arguments })
    }

    fn further_step(&self, scope: InstallScope) -> Option<&'static str> {
        match scope {
            InstallScope::User => None,
            InstallScope::Project | InstallScope::Local => Some(
                "Cline has no file for a project's MCP servers. Each user adds the server with `hooks install --client \
                 cline`, without `--scope`, and then needs no hooks in the project.",
            ),
        }
    }

    #[cfg(feature = "prove")]
    fn launch(&self, trial: &Trial) -> Option<Launch> {
        let provider = json!({
            "provider": "openai-compatible",
            "apiKey": Trial::KEY,
            "model": Trial::MODEL,
            "baseUrl": trial.url("/v1"),
        });
        let providers = json!({
            "version": 1,
            "lastUsedProvider": "openai-compatible",
            "modes": {},
            "providers": { "openai-compatible": {
                "settings": provider,
                "updatedAt": "2026-01-01T00:00:00.000Z",
                "tokenSource": "manual",
            } },
        });
        let file = trial.home().join(".cline/data/settings/providers.json");
        Some(
            Launch::new(
                Dialect::Chat,
                ["-P", "openai-compatible", "-m", Trial::MODEL, Trial::PROMPT],
            )
            .subagent_by(
                "spawn_agent",
                json!({ "systemPrompt": "You are a helper.", "task": Trial::TASK }),
            )
            .compacted_by(Compaction::Tokens(970_000))
            .env("CLINE_TELEMETRY_DISABLED", "1")
            .env("DO_NOT_TRACK", "1")
            .file(file, providers),
        )
    }
}
