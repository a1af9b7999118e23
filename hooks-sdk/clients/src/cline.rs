//! Cline CLI, whose hooks are a generated plugin: the texts of its executables reach the agent at tool calls only.

use std::{path::PathBuf, time::Duration};

use serde_json::{Value, json};

use super::{
    AfterStart, Aftermath, ArgumentChange, Capabilities, Client, Delivery, Gates, InstallScope,
    Installation, Mapping, Place, RefusalForm, Seen, Tested, UserFolder,
    capabilities::USER_AND_PROJECT,
    config::Plan,
    config::{MemberType, Reading},
    input::Input,
    output,
    plugin::{self, NO_END, NO_STOP},
    tool::Tool,
};
use hooks_core::{guidance::McpFeatures, lifecycle::Event};

/// Cline CLI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a client has no parts")]
pub struct Cline;

/// Cline ends the whole run when a hook takes 3 s, so the plugin ends its command before.
const IN_CLINE: Duration = Duration::from_millis(2_500);

const READINGS: &[Reading] = &[Reading {
    byte_order_mark: false,
    checked: &[
        (MemberType::Object, &["mcpServers", "mcpServers.*"]),
        (MemberType::Text, &["mcpServers.*.command"]),
    ],
    ..Reading::strict("cline_mcp_settings.json", "ignores all servers of the file")
}];

pub(super) const ROW: Capabilities = Capabilities {
    name: "cline",
    title: "Cline CLI",
    program: "cline",
    handshake: "@cline/core",
    recorded: Tested::new("3.0.65", "2026-11-23"),
    folder: UserFolder::new(".cline", &[("CLINE_DIR", "")]),
    readings: READINGS,
    adds_server: Some("cline mcp add {server} --yes -- {start}"),
    shells: &["run_commands"],
    features: McpFeatures::EMPTY,
    tells_session: false,
    after_start: AfterStart::new(Aftermath::NotRun, Aftermath::NotRun, Aftermath::NotRun),
    events: [
        Mapping::new("beforeRun.first", Delivery::Context)
            .role("user")
            .deadline(IN_CLINE)
            .subagents(false)
            .note("The event is the first `beforeRun` of a session.")
            .recording("cline/beforeRun.first.json"),
        Mapping::new("SessionShutdown", Delivery::Never)
            .deadline(IN_CLINE)
            .note(NO_END),
        Mapping::new("beforeTool", Delivery::Context)
            .role("user")
            .deadline(IN_CLINE)
            .subagents(true)
            .note("The text arrives after the results of the agent's calls.")
            .recording("cline/beforeTool.shell.json"),
        Mapping::new("afterTool", Delivery::Context)
            .role("user")
            .deadline(IN_CLINE)
            .subagents(true)
            .note(
                "No hook fires after a failed call of an MCP tool. A command that ends with an error is no failed \
                 call.",
            )
            .recording("cline/afterTool.shell.json"),
        Mapping::new("beforeRun", Delivery::Context)
            .role("user")
            .deadline(IN_CLINE)
            .subagents(false)
            .recording("cline/beforeRun.json"),
        Mapping::new("afterRun", Delivery::Never)
            .deadline(IN_CLINE)
            .note(NO_STOP),
    ],
    gates: Some(
        Gates::new(
            "beforeTool",
            RefusalForm::Skipped,
            &[
                ("run_commands", "shell"),
                ("read_files", "read"),
                ("search_codebase", "read"),
                ("editor", "edit"),
                ("apply_patch", "edit"),
                ("fetch_web_content", "fetch"),
                ("spawn_agent", "subagent"),
            ],
        )
        .changed_by(ArgumentChange::Returned)
        .not_held(&[
            "The client ends the run after three refused calls in a row.",
            "The client skips a plugin that does not load, without a word.",
            "The client's executable hooks never hold a call. This SDK writes a plugin.",
        ]),
    ),
    scopes: USER_AND_PROJECT,
    also_read_by: &[],
};

const PLUGIN: &str = include_str!("cline.js");

/// What is between a server's and a tool's name.
const GAP: &str = "__";

impl Client for Cline {
    fn capabilities(&self) -> &'static Capabilities {
        &ROW
    }

    fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen {
        let tool = |name| Tool::split_bare(name, servers, GAP);
        Input(input).seen(event, tool, output::text)
    }

    fn named_tool(&self, server: Option<&str>, tool: &str) -> Value {
        json!({ "tool_name": match server {
            Some(server) => Tool::bare_joined(server, tool, GAP),
            None => Tool::named(tool, &ROW).to_owned(),
        } })
    }

    fn hooks_file(&self, scope: InstallScope, place: &Place, server: &str) -> PathBuf {
        let folder = ROW.folder.within(scope, place);
        folder.join("plugins").join(plugin::file_name(server))
    }

    fn plan_hooks(&self, plan: Plan, to: &Installation<'_>) -> Plan {
        plugin::plan(self, PLUGIN, plan, to)
    }

    fn servers_file(&self, scope: InstallScope, place: &Place) -> Option<(PathBuf, Vec<String>)> {
        if scope != InstallScope::User {
            return None;
        }
        let settings = ROW.folder.of(place).join("data").join("settings");
        let file = settings.join("cline_mcp_settings.json");
        Some((file, vec!["mcpServers".to_owned()]))
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
}
