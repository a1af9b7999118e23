//! Gemini CLI, measured with version 0.61.0.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{
    AfterStart, Aftermath, ArgumentChange, Capabilities, Client, Delivery, GateTrial, Gates,
    InstallScope, Mapping, Place, RefusalForm, Seen, Tested, UserFolder, answer,
    capabilities::USER_AND_PROJECT,
    config,
    config::{MemberType, Reading},
    input::Input,
    mapping::{NO_TEXT_AT_THE_END, ONE_REQUEST_MORE},
    output,
    tool::Tool,
};
use hooks_core::{guidance::McpFeatures, lifecycle::Event};

/// Gemini CLI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a client has no parts")]
pub struct Gemini;

/// What the client does with settings that it cannot read.
const STOPS: &str = "does not start";

const READINGS: &[Reading] = &[Reading {
    comments: true,
    byte_order_mark: false,
    checked: &[
        (MemberType::Object, &["security", "hooks", "mcpServers"]),
        (
            MemberType::List,
            &[
                "policyPaths",
                "adminPolicyPaths",
                "tools.exclude",
                "tools.allowed",
                "tools.core",
                "context.includeDirectories",
                "mcp.allowed",
                "mcp.excluded",
                "skills.disabled",
            ],
        ),
    ],
    ..Reading::strict("settings.json", STOPS)
}];

pub(super) const ROW: Capabilities = Capabilities {
    name: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    handshake: "gemini",
    recorded: Tested::new("0.61.0", "2026-11-23"),
    folder: UserFolder::new(".gemini", &[("GEMINI_CLI_HOME", ".gemini")]),
    readings: READINGS,
    adds_server: Some("gemini mcp add --scope user {server} {start}"),
    shells: &["run_shell_command"],
    features: McpFeatures::EMPTY,
    tells_session: false,
    after_start: AfterStart::new(
        Aftermath::SentAgain,
        Aftermath::Lost,
        Aftermath::NotRun,
    ),
    events: [
        Mapping::new("SessionStart", Delivery::Context)
            .role("user")
            .subagents(false)
            .recording("gemini/SessionStart.json"),
        Mapping::new("SessionEnd", Delivery::Never)
            .note(NO_TEXT_AT_THE_END)
            .recording("gemini/SessionEnd.json"),
        Mapping::new("BeforeTool", Delivery::Gates)
            .note(
                "Before a tool call, a hook can refuse or change the call, but its text does not reach the agent. \
                 The nearest alternatives are a `pre_request` hook before the turn and a `post_tool_use` hook \
                 after the call.",
            )
            .recording("gemini/BeforeTool.shell.json"),
        Mapping::new("AfterTool", Delivery::Context)
            .role("tool result")
            .subagents(true)
            .recording("gemini/AfterTool.shell.json"),
        Mapping::new("BeforeAgent", Delivery::Context)
            .role("user")
            .subagents(false)
            .note(
                "The event also occurs for the reason with which `AfterAgent` kept the agent going. No hook fires \
                 then, unless the reason begins with the text of another program's hook.",
            )
            .recording("gemini/BeforeAgent.json"),
        Mapping::new("AfterAgent", Delivery::Continue)
            .role("user")
            .subagents(false)
            .note(ONE_REQUEST_MORE)
            .recording("gemini/AfterAgent.json"),
    ],
    gates: Some(
        Gates::new(
            "BeforeTool",
            RefusalForm::Object,
            &[
                ("run_shell_command", "shell"),
                ("read_file", "read"),
                ("read_many_files", "read"),
                ("list_directory", "read"),
                ("glob", "read"),
                ("search_file_content", "read"),
                ("grep_search", "read"),
                ("write_file", "write"),
                ("replace", "edit"),
                ("web_fetch", "fetch"),
                ("google_web_search", "fetch"),
                ("invoke_agent", "subagent"),
            ],
        )
        .changed_by(ArgumentChange::ToolInput)
        .not_held(&["The client does not say which calls are a subagent's."])
        .open(&[(
                GateTrial::Hang,
                "The client ends a hook that has not answered after 10 s, and runs the call. The gate's own deadline of 2 s \
                 does not help where its program is stopped.",
            )])
        .off_by(&[
            "`hooksConfig.enabled: false` in the user's or the project's settings",
            "`hooksConfig.disabled` with the name of the hook",
        ]),
    ),
    scopes: USER_AND_PROJECT,
    also_read_by: &[],
};

impl Client for Gemini {
    fn capabilities(&self) -> &'static Capabilities {
        &ROW
    }

    fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen {
        let input = Input(input);
        let tool = |name| {
            let context = input.member("mcp_context");
            let said = |member| {
                context?
                    .get(member)?
                    .as_str()
                    .filter(|text| !text.is_empty())
            };
            match (said("server_name"), said("tool_name")) {
                (Some(server), Some(tool)) => Tool::served(server, tool),
                _ => Tool::split_single(name, servers),
            }
        };
        let mut seen = input.seen(event, tool, output::text_of_gemini);
        if event == Event::PreRequest {
            seen.kept_going = input.prompts_with_our_reason();
        }
        seen
    }

    fn named_tool(&self, server: Option<&str>, tool: &str) -> Value {
        match server {
            Some(server) => json!({
                "tool_name": Tool::singly_joined(server, tool),
                "mcp_context": { "server_name": server, "tool_name": tool },
            }),
            None => json!({ "tool_name": Tool::named(tool, &ROW) }),
        }
    }

    fn answer(&self, seen: &Seen, text: &str) -> Value {
        answer::bringing(self.mapping(seen.occasion.event), seen, "deny", text)
    }

    fn hook_entry(&self, event: Event, server: &str, command: &str) -> Value {
        // In milliseconds: 10 would end the hook before it begins.
        let timeout = u64::try_from(self.deadline(event).as_millis()).unwrap_or(u64::MAX);
        let name = format!("{server} {event}");
        json!({ "hooks": [{ "name": name, "type": "command", "command": command, "timeout": timeout }] })
    }

    fn hooks_file(&self, scope: InstallScope, place: &Place, _server: &str) -> PathBuf {
        ROW.folder.within(scope, place).join("settings.json")
    }

    fn checks(&self, scope: InstallScope, place: &Place) -> Vec<String> {
        _ = scope;
        let mut wrong = Vec::new();
        for scope in [InstallScope::User, InstallScope::Project] {
            let file = self.hooks_file(scope, place, "");
            let settings = config::settings(&file).unwrap_or_default();
            let file = file.display();
            if settings["hooksConfig"]["enabled"] == false {
                wrong.push(format!(
                    "`hooksConfig.enabled` in {file} turns all hooks off: remove it"
                ));
            }
            let disabled = settings["hooksConfig"]["disabled"].as_array();
            let names = disabled.into_iter().flatten().filter_map(Value::as_str);
            let is_ours = |name: &&str| {
                let mut events = Event::ALL.into_iter();
                events.any(|event| name.ends_with(event.as_str()))
            };
            wrong.extend(names.filter(is_ours).map(|name| {
                format!(
                    "`hooksConfig.disabled` in {file} turns the hook `{name}` off: remove the name"
                )
            }));
        }
        wrong
    }

    fn servers_file(&self, scope: InstallScope, place: &Place) -> Option<(PathBuf, Vec<String>)> {
        let file = self.hooks_file(scope, place, "");
        Some((file, vec!["mcpServers".to_owned()]))
    }

    fn further_step(&self, scope: InstallScope) -> Option<&'static str> {
        match scope {
            InstallScope::User => None,
            InstallScope::Project | InstallScope::Local => {
                Some("Gemini CLI reads a project's settings only in a folder that you trust.")
            }
        }
    }
}
