//! Gemini CLI, measured with version 0.61.0.

use std::time::Duration;

use serde_json::Value;

use super::{
    AfterStart, Aftermath, Client, Gates, InstallScope, Mapping, Place, Seen, Tested, UserFolder,
    client::{AnswerForm, EntryForm, Further, LIKE_MOST, Looked, NamedServer, Servers},
    config::{self, MemberType, Reading},
    input::Input,
    mapping::NO_TEXT_AT_THE_END,
    tool::ToolNames,
};
use hooks_core::lifecycle::Event;

const PROJECTS: &str = "Gemini CLI reads a project's settings only in a folder that you trust.";

pub(crate) const ROW: Client = Client {
    name: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    handshake: "gemini",
    tested: Tested::new("0.61.0", "2026-11-23"),
    folder: UserFolder::new(".gemini", &[("GEMINI_CLI_HOME", ".gemini")]),
    readings: &[Reading {
        comments: true,
        byte_order_mark: false,
        checked: &[
            (MemberType::Object, "security hooks mcpServers"),
            (
                MemberType::List,
                "policyPaths adminPolicyPaths tools.exclude tools.allowed tools.core context.includeDirectories \
                 mcp.allowed mcp.excluded skills.disabled",
            ),
        ],
        ..Reading::strict("settings.json", "does not start")
    }],
    adds_server: Some("gemini mcp add --scope user {server} {start}"),
    shells: &["run_shell_command"],
    after_start: AfterStart {
        resume: Aftermath::SentAgain,
        compaction: Aftermath::Lost,
        clear: Aftermath::NotRun,
    },
    shows_instructions: Some(true),
    events: [
        Mapping {
            native: "SessionStart",
            role: Some("user"),
            subagents: Some(false),
            ..Mapping::CONTEXT
        },
        Mapping {
            native: "SessionEnd",
            note: Some(NO_TEXT_AT_THE_END),
            ..Mapping::NEVER
        },
        Mapping {
            native: "BeforeTool",
            note: Some(
                "Before a tool call, a hook can refuse or change the call, but its text does not reach the agent. \
                 The nearest alternatives are a `pre_request` hook before the turn and a `post_tool_use` hook \
                 after the call.",
            ),
            ..Mapping::GATES
        },
        Mapping {
            native: "AfterTool",
            role: Some("tool result"),
            subagents: Some(true),
            ..Mapping::CONTEXT
        },
        Mapping {
            native: "BeforeAgent",
            role: Some("user"),
            subagents: Some(false),
            note: Some(
                "The event also occurs for the reason with which `AfterAgent` kept the agent going. No hook fires \
                 then, unless the reason begins with the text of another program's hook.",
            ),
            ..Mapping::CONTEXT
        },
        Mapping {
            native: "AfterAgent",
            ..Mapping::CONTINUE
        },
    ],
    gates: Some(Gates {
        event: "BeforeTool",
        tools: &[
            ("shell", "run_shell_command"),
            (
                "read",
                "read_file read_many_files list_directory glob search_file_content grep_search",
            ),
            ("write", "write_file"),
            ("edit", "replace"),
            ("fetch", "web_fetch google_web_search"),
            ("subagent", "invoke_agent"),
        ],
        change: Some("tool_input"),
        not_held: &["The client does not say which calls are a subagent's."],
        switches: &[
            "`hooksConfig.enabled: false` in the user's or the project's settings",
            "`hooksConfig.disabled` with the name of the hook",
        ],
        ..Gates::CLOSED
    }),
    hooks: [
        "settings.json",
        ".gemini/settings.json",
        ".gemini/settings.json",
    ],
    servers: Servers {
        files: [Some("settings.json"), Some(".gemini/settings.json"), None],
        ..LIKE_MOST.servers
    },
    tools: ToolNames {
        before: "mcp_",
        gap: "_",
        ..ToolNames::DOUBLE
    },
    named_server: Some(NamedServer {
        member: "mcp_context",
        server: "server_name",
        tool: Some("tool_name"),
    }),
    answers: AnswerForm {
        further: Further::Decision("deny"),
        ..LIKE_MOST.answers
    },
    entries: EntryForm {
        is_named: true,
        // 10 would end the hook before it begins.
        unit: Duration::from_millis(1),
        ..LIKE_MOST.entries
    },
    steps: [None, Some(PROJECTS), None],
    off: Some(("hooksConfig.enabled", false)),
    read: Some(read),
    look: Some(look),
    ..LIKE_MOST
};

fn read(input: Input<'_>, seen: &mut Seen) {
    if seen.occasion.event == Event::PreRequest {
        seen.kept_going = input.prompts_with_our_reason();
    }
}

fn look(_: InstallScope, place: &Place) -> Looked {
    let mut looked = Looked::default();
    for scope in ROW.scopes {
        let file = ROW.hooks_file(*scope, place, "");
        let settings = config::settings(&file).unwrap_or_default();
        let disabled = settings["hooksConfig"]["disabled"].as_array();
        let names = disabled.into_iter().flatten().filter_map(Value::as_str);
        let is_ours = |name: &&str| {
            let mut events = Event::ALL.into_iter();
            events.any(|event| name.ends_with(event.as_str()))
        };
        looked.wrong.extend(names.filter(is_ours).map(|name| {
            let file = file.display();
            format!("`hooksConfig.disabled` in {file} turns the hook `{name}` off: remove the name")
        }));
    }
    looked
}
