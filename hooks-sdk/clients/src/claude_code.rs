//! Claude Code.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{
    AfterStart, Aftermath, ArgumentChange, Capabilities, Client, Copilot, Delivery, Excess,
    GateTrial, Gates, InstallScope, Limit, Mapping, Place, RefusalForm, Seen, Tested, UserFolder,
    capabilities::ASKS,
    config,
    config::Reading,
    input::Input,
    mapping::{NO_TEXT_AT_THE_END, ONE_REQUEST_MORE},
    tool::Tool,
};
use hooks_core::lifecycle::Event;

/// Claude Code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a client has no parts")]
pub struct ClaudeCode;

/// The limit at every event at which the text is context.
const TO_A_FILE: Limit = Limit::utf16(10_000, Excess::WrittenToFile);

/// What the client does with a file of settings that it cannot read.
const IGNORED: &str = "ignores the whole file";

const SETTINGS: Reading = Reading {
    checked: config::claude_settings::SETTINGS,
    ..Reading::strict("settings.json", IGNORED)
};

const READINGS: &[Reading] = &[
    SETTINGS,
    Reading {
        file: "settings.local.json",
        ..SETTINGS
    },
    Reading::strict(".claude.json", "does not start"),
    Reading::strict(".mcp.json", IGNORED),
];

pub(super) const ROW: Capabilities = Capabilities {
    name: "claude-code",
    title: "Claude Code",
    program: "claude",
    handshake: "claude-code",
    recorded: Tested::new("2.1.329", "2026-11-23"),
    folder: UserFolder::new(".claude", &[("CLAUDE_CONFIG_DIR", "")]),
    readings: READINGS,
    adds_server: Some("claude mcp add --scope user {server} -- {start}"),
    shells: &["Bash"],
    features: ASKS,
    tells_session: true,
    after_start: AfterStart::new(Aftermath::Kept, Aftermath::SentAgain, Aftermath::SentAgain),
    events: [
        Mapping::new("SessionStart", Delivery::Context)
            .role("system")
            .limit(TO_A_FILE)
            .subagents(false)
            .recording("claude-code/SessionStart.json"),
        Mapping::new("SessionEnd", Delivery::Never)
            .note(NO_TEXT_AT_THE_END)
            .recording("claude-code/SessionEnd.json"),
        Mapping::new("PreToolUse", Delivery::Context)
            .role("system")
            .limit(TO_A_FILE)
            .subagents(true)
            .recording("claude-code/PreToolUse.shell.json"),
        Mapping::new("PostToolUse", Delivery::Context)
            .role("system")
            .limit(TO_A_FILE)
            .subagents(true)
            .note("A failed call is another event, `PostToolUseFailure`, at which no hook fires.")
            .recording("claude-code/PostToolUse.shell.json"),
        Mapping::new("UserPromptSubmit", Delivery::Context)
            .role("system")
            .limit(TO_A_FILE)
            .subagents(false)
            .note("The event also occurs when a background subagent has ended.")
            .recording("claude-code/UserPromptSubmit.json"),
        Mapping::new("Stop", Delivery::Continue)
            .role("user")
            .subagents(false)
            .note(ONE_REQUEST_MORE)
            .recording("claude-code/Stop.json"),
    ],
    gates: Some(
        Gates::new(
            "PreToolUse",
            RefusalForm::Object,
            &[
                ("Bash", "shell"),
                ("Read", "read"),
                ("NotebookRead", "read"),
                ("Glob", "read"),
                ("Grep", "read"),
                ("LS", "read"),
                ("Write", "write"),
                ("Edit", "edit"),
                ("MultiEdit", "edit"),
                ("NotebookEdit", "edit"),
                ("WebFetch", "fetch"),
                ("WebSearch", "fetch"),
                ("Agent", "subagent"),
                ("Task", "subagent"),
            ],
        )
        .changed_by(ArgumentChange::UpdatedInput)
        .not_held(&[
            "An agent that edits the settings removes the entry: the client heeds that within 4 s.",
        ])
        .open(&[(
                GateTrial::Hang,
                "The client ends a hook that has not answered after 10 s, and runs the call. The gate's own deadline of 2 s \
                 does not help where its program is stopped.",
            )])
        .off_variables(&["CLAUDE_CODE_SIMPLE"])
        .off_by(&[
            "`disableAllHooks` in the user's or the project's settings",
            "`--bare`",
            "`--safe-mode`",
            "`--setting-sources project`, for the user's entries",
            "`CLAUDE_CODE_SIMPLE=1`",
        ]),
    ),
    scopes: &InstallScope::ALL,
    also_read_by: &[
        "GitHub Copilot CLI, the project's file in a folder that you trust",
        "VS Code with GitHub Copilot, the project's file (a preview)",
        "Cursor, when its setting to load Claude's hooks is on",
        "Grok Build",
    ],
};

impl Client for ClaudeCode {
    fn capabilities(&self) -> &'static Capabilities {
        &ROW
    }

    fn caller(&self, input: &Value) -> Option<&'static dyn Client> {
        Copilot::wrote(Input(input)).then_some(&Copilot)
    }

    fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen {
        Input(input).seen_as_claude_code(event, servers)
    }

    fn named_tool(&self, server: Option<&str>, tool: &str) -> Value {
        match server {
            Some(server) => json!({
                "tool_name": Tool::doubly_joined(server, tool),
                "mcp_server": { "name": server },
            }),
            None => json!({ "tool_name": Tool::named(tool, &ROW) }),
        }
    }

    fn hooks_file(&self, scope: InstallScope, place: &Place, _server: &str) -> PathBuf {
        let name = match scope {
            InstallScope::Local => "settings.local.json",
            InstallScope::User | InstallScope::Project => "settings.json",
        };
        ROW.folder.within(scope, place).join(name)
    }

    fn servers_file(&self, scope: InstallScope, place: &Place) -> Option<(PathBuf, Vec<String>)> {
        let servers = "mcpServers".to_owned();
        let moved = ROW.folder.moved(place).map(|(_, folder)| folder);
        // Where this older file exists, the client reads it instead.
        let older = ROW.folder.of(place).join(".config.json");
        let user = match older.exists() {
            true => older,
            false => moved
                .unwrap_or_else(|| place.home.clone())
                .join(".claude.json"),
        };
        Some(match scope {
            InstallScope::User => (user, vec![servers]),
            InstallScope::Project => (place.project.join(".mcp.json"), vec![servers]),
            // The user's servers of one project are in the user's own file.
            InstallScope::Local => {
                let project = place.project.to_string_lossy().into_owned();
                (user, vec!["projects".to_owned(), project, servers])
            }
        })
    }

    fn server_entry(&self, command: &str, arguments: &[String]) -> Value {
        json!({ "type": "stdio", "command": command, "args": arguments })
    }

    fn checks(&self, scope: InstallScope, place: &Place) -> Vec<String> {
        let files = InstallScope::ALL.map(|each| self.hooks_file(each, place, ""));
        let off = files.into_iter().filter(|file| {
            let settings = config::settings(file);
            settings.is_some_and(|settings| settings["disableAllHooks"] == true)
        });
        _ = scope;
        off.map(|file| {
            let file = file.display();
            format!("`disableAllHooks` in {file} turns all hooks off: remove it")
        })
        .collect()
    }
}
