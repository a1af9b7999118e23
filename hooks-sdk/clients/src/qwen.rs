//! Qwen Code, whose hooks have Claude Code's form in a file of its own.

use std::path::Path;

use serde_json::Value;

use super::{
    AfterStart, Aftermath, Client, GateTrial, Gates, InstallScope, Mapping, Place, Seen, Tested,
    UserFolder,
    client::{AnswerForm, LIKE_MOST, Looked, Servers},
    config::{self, MemberType, Reading},
    gate::ENDED_BY_THE_CLIENT,
    input::Input,
    mapping::NO_END_WITHOUT_TERMINAL,
};
use hooks_core::lifecycle::Event;

/// If a file lacks this, the client adds it and writes the whole file again.
const VERSION: &str = r#"{"$version": 4}"#;

pub(crate) const ROW: Client = Client {
    name: "qwen",
    title: "Qwen Code",
    program: "qwen",
    handshake: "qwen",
    tested: Tested::new("0.24.4", "2026-11-23"),
    folder: UserFolder::new(".qwen", &[("QWEN_HOME", "")]),
    readings: &[Reading {
        comments: true,
        checked: &[
            (MemberType::Object, "hooks mcpServers"),
            (MemberType::List, "permissions.allow"),
        ],
        ..Reading::strict("settings.json", "does not start, or empties the file")
    }],
    adds_server: Some("qwen mcp add --scope user {server} {start}"),
    shells: &["run_shell_command"],
    after_start: AfterStart {
        resume: Aftermath::SentAgain,
        compaction: Aftermath::SentAgain,
        clear: Aftermath::NotRun,
    },
    shows_instructions: Some(true),
    events: [
        Mapping {
            native: "SessionStart",
            role: Some("system"),
            subagents: Some(false),
            ..Mapping::CONTEXT
        },
        Mapping {
            native: "SessionEnd",
            note: Some(NO_END_WITHOUT_TERMINAL),
            ..Mapping::NEVER
        },
        Mapping {
            native: "PreToolUse",
            note: Some(
                "Before a tool call, a hook can refuse the call, but its text does not reach the agent. The nearest \
                 alternatives are a `pre_request` hook before the turn and a `post_tool_use` hook after the call.",
            ),
            ..Mapping::GATES
        },
        Mapping {
            native: "PostToolUse",
            also: &["PostToolUseFailure"],
            role: Some("tool result"),
            subagents: Some(true),
            note: Some(
                "The client cuts a tool's result together with the texts of hooks if both are very long.",
            ),
            ..Mapping::CONTEXT
        },
        Mapping {
            native: "UserPromptSubmit",
            role: Some("user"),
            subagents: Some(false),
            note: Some(
                "The event occurs for each request to the model. A hook fires only for what the user wrote.",
            ),
            described: r#"{"submitted_prompt": "Go on."}"#,
            ..Mapping::CONTEXT
        },
        Mapping {
            native: "Stop",
            ..Mapping::CONTINUE
        },
    ],
    gates: Some(Gates {
        event: "PreToolUse",
        tools: &[
            ("shell", "run_shell_command"),
            (
                "read",
                "read_file read_many_files list_directory glob grep_search search_file_content",
            ),
            ("write", "write_file"),
            ("edit", "edit"),
            ("fetch", "web_fetch web_search"),
            ("subagent", "agent task"),
        ],
        not_held: &["The client takes no changed arguments."],
        open: &[
            (GateTrial::Hang, ENDED_BY_THE_CLIENT),
            (
                GateTrial::Approved,
                "A later hook that answers `allow` undoes a refusal: the last decision holds. The user's hooks run after the \
                 project's.",
            ),
        ],
        switches: &[
            "`disableAllHooks` in the user's or the project's settings",
            "`--bare`",
            "`--safe-mode`",
            "a project's hooks in a folder that the user does not trust",
        ],
        ..Gates::CLOSED
    }),
    hooks: [
        "settings.json",
        ".qwen/settings.json",
        ".qwen/settings.json",
    ],
    begins: [VERSION; 3],
    servers: Servers {
        files: [Some("settings.json"), Some(".qwen/settings.json"), None],
        ..LIKE_MOST.servers
    },
    answers: AnswerForm {
        // Two of the client's events are one event here, and the client needs no name.
        is_named: false,
        ..LIKE_MOST.answers
    },
    off: Some(("disableAllHooks", true)),
    read: Some(read),
    look: Some(look),
    ..LIKE_MOST
};

fn read(input: Input<'_>, seen: &mut Seen) {
    let output = &mut seen.occasion.variables.tool_output;
    match seen.occasion.event {
        Event::PostToolUse if output.is_none() => {
            *output = input.text("error").map(str::to_owned);
        }
        // The client fires the event for each request to the model. Only a user's prompt was submitted.
        Event::PreRequest => seen.kept_going = input.text("submitted_prompt").is_none(),
        _ => {}
    }
}

/// Returns whether the user trusts the folder, or one above it.
fn trusts(trusted: &Value, project: &Path) -> bool {
    let project = std::fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
    let mut folders = trusted.as_object().into_iter().flatten();
    folders.any(|(folder, trust)| match trust.as_str() {
        Some("TRUST_FOLDER") => project.starts_with(folder),
        Some("TRUST_PARENT") => {
            let above = Path::new(folder).parent();
            above.is_some_and(|above| project.starts_with(above))
        }
        _ => false,
    })
}

fn look(scope: InstallScope, place: &Place) -> Looked {
    let mut looked = Looked::default();
    let folder = ROW.folder.of(place);
    let settings = |name| config::settings(&folder.join(name)).unwrap_or_default();
    let asks = settings("settings.json")["security"]["folderTrust"]["enabled"] == true;
    if scope != InstallScope::User
        && asks
        && !trusts(&settings("trustedFolders.json"), &place.project)
    {
        looked.wrong.push(format!(
            "folder trust is on and the project is not in {}, so its hooks are skipped: start `qwen` in {}, and trust the \
             folder",
            folder.join("trustedFolders.json").display(),
            place.project.display()
        ));
    }
    looked
}
