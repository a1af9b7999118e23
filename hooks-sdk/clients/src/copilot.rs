//! GitHub Copilot CLI, which also reads a project's file of Claude Code.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

use super::{
    AfterStart, Aftermath, ArgumentChange, Capabilities, Client, Delivery, Excess, GateTrial,
    Gates, InstallScope, Installation, Limit, Mapping, Place, RefusalForm, Seen, Tested,
    UserFolder, answer,
    capabilities::ASKS,
    config::{self, HookEntry, Plan},
    config::{MemberType, Reading},
    input::Input,
    installation,
    mapping::{NO_TEXT_AT_THE_END, ONE_REQUEST_MORE},
    output,
    tool::Tool,
};
use hooks_core::lifecycle::Event;

/// GitHub Copilot CLI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a client has no parts")]
pub struct Copilot;

/// What the client does with a file that it cannot read.
const IGNORED: &str = "ignores the whole file";

const READINGS: &[Reading] = &[
    Reading {
        checked: &[(MemberType::Object, &["mcpServers"])],
        ..Reading::lenient("mcp-config.json", IGNORED)
    },
    Reading {
        byte_order_mark: false,
        ..Reading::strict(".mcp.json", IGNORED)
    },
    Reading {
        byte_order_mark: false,
        checked: &[
            (MemberType::Text, &["model", "effortLevel"]),
            (
                MemberType::Truth,
                &["disableAllHooks", "includeCoAuthoredBy"],
            ),
            (
                MemberType::Object,
                &["hooks", "enabledPlugins", "extraKnownMarketplaces"],
            ),
            (
                MemberType::List,
                &[
                    "deniedUrls",
                    "disabledMcpServers",
                    "companyAnnouncements",
                    "disabledSkills",
                ],
            ),
        ],
        ..Reading::strict("settings.local.json", IGNORED)
    },
    Reading {
        byte_order_mark: false,
        checked: &[
            (MemberType::Number, &["version"]),
            (MemberType::Truth, &["disableAllHooks"]),
            (MemberType::Object, &["hooks"]),
        ],
        ..Reading::strict("", IGNORED)
    },
];

pub(super) const ROW: Capabilities = Capabilities {
    name: "copilot",
    title: "GitHub Copilot CLI",
    program: "copilot",
    handshake: "copilot",
    recorded: Tested::new("1.0.102", "2026-11-23"),
    folder: UserFolder::new(".copilot", &[("COPILOT_HOME", "")]),
    readings: READINGS,
    adds_server: Some("copilot mcp add {server} -- {start}"),
    shells: &["Bash", "bash"],
    features: ASKS,
    // By the answer to `preMcpToolCall`.
    tells_session: true,
    after_start: AfterStart::new(
        Aftermath::SentAgain,
        Aftermath::Lost,
        Aftermath::NotRun,
    ),
    events: [
        Mapping::new("SessionStart", Delivery::Context)
            .role("user")
            .subagents(false)
            .recording("copilot/SessionStart.json"),
        Mapping::new("SessionEnd", Delivery::Never)
            .note(NO_TEXT_AT_THE_END)
            .recording("copilot/SessionEnd.json"),
        Mapping::new("PreToolUse", Delivery::Context)
            .role("user")
            .subagents(true)
            .recording("copilot/PreToolUse.shell.json"),
        Mapping::new("PostToolUse", Delivery::Context)
            .role("tool result")
            .limit(Limit::bytes(10_240, Excess::Cut))
            .subagents(true)
            .note(
                "A failed call is another event, `PostToolUseFailure`, at which no hook fires; a command that ends \
                 with an error is no failed call. The client cuts the texts of all hooks together.",
            )
            .recording("copilot/PostToolUse.shell.json"),
        Mapping::new("UserPromptSubmit", Delivery::Context)
            .role("user")
            .subagents(true)
            .note(
                "The event also occurs for the task that a subagent receives, and for the reason with which `Stop` \
                 kept the agent going. No hook fires for the reason, unless it begins with the text of another \
                 program's hook. If another program has a hook at this event, only the last text arrives.",
            )
            .recording("copilot/UserPromptSubmit.json"),
        Mapping::new("Stop", Delivery::Continue)
            .role("user")
            .subagents(false)
            .note(ONE_REQUEST_MORE)
            .recording("copilot/Stop.json"),
    ],
    gates: Some(
        Gates::new(
            "PreToolUse",
            RefusalForm::Object,
            &[
                ("Bash", "shell"),
                ("Read", "read"),
                ("view", "read"),
                ("Glob", "read"),
                ("Grep", "read"),
                ("Write", "write"),
                ("create", "write"),
                ("Edit", "edit"),
                ("WebFetch", "fetch"),
                ("web_fetch", "fetch"),
                ("Agent", "subagent"),
                ("task", "subagent"),
            ],
        )
        .changed_by(ArgumentChange::UpdatedInput)
        .not_held(&[
            "The client writes the names of a server and its tool as one word. A gate that names servers splits the word at \
             its first `-`, unless the server is this one.",
        ])
        .open(&[(
                GateTrial::Hang,
                "The client ends a hook that has not answered after 10 s, and runs the call. The gate's own deadline of 2 s \
                 does not help where its program is stopped.",
            )])
        .off_by(&[
            "`disableAllHooks` in the hook's file, in the project's `.claude/settings.json` or in \
             `.github/copilot/settings.json`",
            "a project's hooks in a folder that the user does not trust",
        ]),
    ),
    scopes: &InstallScope::ALL,
    also_read_by: &[],
};

/// The event before a call of an MCP tool, whose answer becomes part of the call.
const BEFORE_MCP: &str = "preMcpToolCall";

/// Returns whether a file turns hooks off.
fn is_off(file: &Path) -> bool {
    config::settings(file).is_some_and(|settings| settings["disableAllHooks"] == true)
}

impl Copilot {
    /// Returns whether Copilot CLI wrote the input of another client's entry: it has the time of the event, and no
    /// permission mode.
    pub(super) fn wrote(input: Input<'_>) -> bool {
        let has = |name: &str| input.0.get(name).is_some();
        has("hook_event_name") && has("timestamp") && !has("permission_mode")
    }

    /// Returns the session's id. A subagent's event has the subagent's id in its place, and names its agent's.
    fn session<'a>(input: Input<'a>) -> Option<&'a str> {
        let parent = input.text("parent_agent_id");
        parent.or_else(|| input.text("session_id"))
    }

    /// Returns what all processes of one firing have in common. The client starts one for each of our entries, in its own
    /// file and in Claude Code's, and names no call, but gives all the same time.
    fn firing(input: Input<'_>, seen: &Seen) -> Option<String> {
        let time = input.member("timestamp").filter(|time| !time.is_null())?;
        let agent = input.text("session_id").unwrap_or_default();
        let variables = &seen.occasion.variables;
        let tool = variables.tool_name.as_deref().unwrap_or_default();
        let arguments = variables.tool_input.as_deref().unwrap_or_default();
        Some(format!("{agent} {time} {tool} {arguments}"))
    }

    /// Returns whether the user trusts the folder, or one above it. Without that, the client skips a project's hooks.
    fn trusts(trusted: &Value, project: &Path) -> bool {
        let folders = trusted["trustedFolders"].as_array().into_iter().flatten();
        let mut folders = folders.filter_map(Value::as_str);
        let project = std::fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
        folders.any(|folder| project.starts_with(folder))
    }
}

impl Client for Copilot {
    fn capabilities(&self) -> &'static Capabilities {
        &ROW
    }

    fn event(&self, native: &str) -> Option<Event> {
        // The names that differ in the client's other form, whose first letters are small.
        let own = match native {
            "userPromptSubmitted" => "UserPromptSubmit",
            "agentStop" => "Stop",
            own => own,
        };
        let is_at = |event: &Event| self.mapping(*event).native.eq_ignore_ascii_case(own);
        Event::ALL.into_iter().find(is_at)
    }

    fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen {
        let input = Input(input);
        let tool = |name| Tool::split_dashed(name, servers);
        let mut seen = input.seen(event, tool, output::text);
        let variables = &mut seen.occasion.variables;
        if event.is_tool_event() && variables.tool_input.is_none() {
            variables.tool_input = input.member("tool_args").map(Value::to_string);
        }
        if event == Event::PostToolUse {
            let result = input.member("tool_result").map(Input);
            let said = result.and_then(|result| result.text("text_result_for_llm"));
            variables.tool_output = said.map(str::to_owned);
        }
        if event == Event::PreRequest {
            seen.kept_going = input.prompts_with_our_reason();
        }
        seen.firing = Copilot::firing(input, &seen);
        let session = Copilot::session(input).map(str::to_owned);
        seen.occasion.variables.session_id.clone_from(&session);
        seen.session_id = session;
        seen
    }

    fn aside(&self, native: &str, input: &Value, server: &str) -> Option<Value> {
        if !native.eq_ignore_ascii_case(BEFORE_MCP) {
            return None;
        }
        let input = Input(input);
        // The server reads the id like that of a client that sends it by itself.
        let session = Copilot::session(input).filter(|_| input.text("server_name") == Some(server));
        Some(match session {
            Some(session) => json!({ "metaToUse": { "sessionId": session } }),
            None => json!({}),
        })
    }

    fn named_tool(&self, server: Option<&str>, tool: &str) -> Value {
        json!({ "tool_name": match server {
            Some(server) => Tool::dash_joined(server, tool),
            None => Tool::named(tool, &ROW).to_owned(),
        } })
    }

    fn answer(&self, seen: &Seen, text: &str) -> Value {
        let mapping = self.mapping(seen.occasion.event);
        let context = |text: &str| json!({ "additionalContext": text });
        let reason = |text: &str| json!({ "decision": "block", "reason": text });
        answer::delivered(mapping, seen, text, context, reason)
    }

    fn hook_entry(&self, event: Event, _server: &str, command: &str) -> Value {
        // No matcher: an empty one matches nothing.
        let timeout = self.deadline(event).as_secs();
        json!({ "type": "command", "command": command, "timeoutSec": timeout })
    }

    fn hooks_file(&self, scope: InstallScope, place: &Place, server: &str) -> PathBuf {
        let own = format!("{server}.json");
        match scope {
            InstallScope::User => ROW.folder.of(place).join("hooks").join(own),
            InstallScope::Project => place.project.join(".github").join("hooks").join(own),
            InstallScope::Local => {
                let folder = place.project.join(".github").join("copilot");
                folder.join("settings.local.json")
            }
        }
    }

    fn plan_hooks(&self, plan: Plan, to: &Installation<'_>) -> Plan {
        let command = to.command(self.name(), BEFORE_MCP);
        let file = self.hooks_file(to.scope, to.place, to.server);
        let plan = match to.scope {
            // Settings have no version.
            InstallScope::Local => plan,
            _ => plan.created_with(file.clone(), Map::from_iter([("version".into(), 1.into())])),
        };
        installation::plan(self, plan, to).hook(HookEntry {
            file,
            path: self.hooks_path(to.server),
            event: BEFORE_MCP.to_owned(),
            value: self.hook_entry(Event::PreToolUse, to.server, &command),
        })
    }

    fn servers_file(&self, scope: InstallScope, place: &Place) -> Option<(PathBuf, Vec<String>)> {
        let file = match scope {
            InstallScope::User => ROW.folder.of(place).join("mcp-config.json"),
            InstallScope::Project => place.project.join(".mcp.json"),
            InstallScope::Local => return None,
        };
        Some((file, vec!["mcpServers".to_owned()]))
    }

    fn server_entry(&self, command: &str, arguments: &[String]) -> Value {
        // The project's file is Claude Code's, too, which knows the type by this name.
        json!({ "type": "stdio", "command": command, "args": arguments, "tools": ["*"] })
    }

    fn further_step(&self, scope: InstallScope) -> Option<&'static str> {
        match scope {
            InstallScope::User => None,
            InstallScope::Project => Some(
                "GitHub Copilot CLI silently skips a project's hooks in a folder that you do not trust. Start it in the \
                 project, and trust the folder.",
            ),
            InstallScope::Local => Some(
                "GitHub Copilot CLI silently skips a project's hooks in a folder that you do not trust: start it in the \
                 project, and trust the folder. It has no file for your own MCP servers in a project: the server must be \
                 in the scope `user` or `project`.",
            ),
        }
    }

    fn checks(&self, scope: InstallScope, place: &Place) -> Vec<String> {
        let mut wrong = Vec::new();
        let project = |folder: &str, file: &str| place.project.join(folder).join(file);
        for switch in [
            project(".claude", "settings.json"),
            project(".github/copilot", "settings.json"),
        ] {
            if is_off(&switch) {
                let switch = switch.display();
                wrong.push(format!(
                    "`disableAllHooks` in {switch} turns off all hooks in this project, yours too: remove it"
                ));
            }
        }
        let folder = self.hooks_file(scope, place, "");
        let folder = folder.parent().filter(|_| scope != InstallScope::Local);
        let own = folder.and_then(|folder| fs::read_dir(folder).ok());
        let own = own
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());
        let own = own.filter(|file| file.extension().is_some_and(|end| end == "json"));
        wrong.extend(own.filter(|file| is_off(file)).map(|file| {
            format!(
                "`disableAllHooks` in {} turns off the hooks of this file: remove it",
                file.display()
            )
        }));
        let file = ROW.folder.of(place).join("config.json");
        let trusted = config::settings(&file).unwrap_or_default();
        if scope != InstallScope::User && !Copilot::trusts(&trusted, &place.project) {
            wrong.push(format!(
                "the project is not in `trustedFolders` of {}, so its hooks are skipped: start `copilot` in {}, and \
                 trust the folder",
                file.display(),
                place.project.display()
            ));
        }
        wrong
    }
}
