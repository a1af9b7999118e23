//! GitHub Copilot CLI, which also reads a project's file of Claude Code.

use std::{fs, path::Path};

use serde_json::Value;

use super::{
    AfterStart, Aftermath, Client, Excess, Gates, InstallScope, Limit, Mapping, Place, Seen,
    Tested, UserFolder,
    capabilities::ASKS,
    client::{AnswerForm, Aside, EntryForm, LIKE_MOST, Looked, Servers},
    config::{self, MemberType, Reading},
    input::Input,
    mapping::NO_TEXT_AT_THE_END,
    tool::ToolNames,
};
use hooks_core::lifecycle::Event;

/// What the client does with a file that it cannot read.
const IGNORED: &str = "ignores the whole file";

/// How a file of the client's own hooks begins. Settings have no version.
const VERSION: &str = r#"{"version": 1}"#;

/// At an event at which the text is context.
const TEXT: Mapping = Mapping {
    role: Some("user"),
    subagents: Some(true),
    ..Mapping::CONTEXT
};

pub(crate) const ROW: Client = Client {
    name: "copilot",
    title: "GitHub Copilot CLI",
    program: "copilot",
    handshake: "copilot",
    tested: Tested::new("1.0.102", "2026-11-23"),
    folder: UserFolder::new(".copilot", &[("COPILOT_HOME", "")]),
    readings: &[
        Reading {
            checked: &[(MemberType::Object, "mcpServers")],
            ..Reading::lenient("mcp-config.json", IGNORED)
        },
        Reading {
            byte_order_mark: false,
            ..Reading::strict(".mcp.json", IGNORED)
        },
        Reading {
            byte_order_mark: false,
            checked: &[
                (MemberType::Text, "model effortLevel"),
                (MemberType::Truth, "disableAllHooks includeCoAuthoredBy"),
                (
                    MemberType::Object,
                    "hooks enabledPlugins extraKnownMarketplaces",
                ),
                (
                    MemberType::List,
                    "deniedUrls disabledMcpServers companyAnnouncements disabledSkills",
                ),
            ],
            ..Reading::strict("settings.local.json", IGNORED)
        },
        Reading {
            byte_order_mark: false,
            checked: &[
                (MemberType::Number, "version"),
                (MemberType::Truth, "disableAllHooks"),
                (MemberType::Object, "hooks"),
            ],
            ..Reading::strict("", IGNORED)
        },
    ],
    adds_server: Some("copilot mcp add {server} -- {start}"),
    shells: &["Bash", "bash"],
    features: ASKS,
    // By the answer to `preMcpToolCall`.
    tells_session: true,
    shows_instructions: Some(false),
    after_start: AfterStart {
        resume: Aftermath::SentAgain,
        compaction: Aftermath::Lost,
        clear: Aftermath::NotRun,
    },
    events: [
        Mapping {
            native: "SessionStart",
            subagents: Some(false),
            ..TEXT
        },
        Mapping {
            native: "SessionEnd",
            note: Some(NO_TEXT_AT_THE_END),
            ..Mapping::NEVER
        },
        Mapping {
            native: "PreToolUse",
            ..TEXT
        },
        Mapping {
            native: "PostToolUse",
            role: Some("tool result"),
            limit: Some(Limit::bytes(10_240, Excess::Cut)),
            note: Some(
                "A failed call is another event, `PostToolUseFailure`, at which no hook fires; a command that ends \
                 with an error is no failed call. The client cuts the texts of all hooks together.",
            ),
            ..TEXT
        },
        Mapping {
            native: "UserPromptSubmit",
            other_form: Some("userPromptSubmitted"),
            note: Some(
                "The event also occurs for the task that a subagent receives, and for the reason with which `Stop` \
                 kept the agent going. No hook fires for the reason, unless it begins with the text of another \
                 program's hook. If another program has a hook at this event, only the last text arrives.",
            ),
            ..TEXT
        },
        Mapping {
            native: "Stop",
            other_form: Some("agentStop"),
            ..Mapping::CONTINUE
        },
    ],
    gates: Some(Gates {
        event: "PreToolUse",
        tools: &[
            ("shell", "Bash"),
            ("read", "Read view Glob Grep"),
            ("write", "Write create"),
            ("edit", "Edit"),
            ("fetch", "WebFetch web_fetch"),
            ("subagent", "Agent task"),
        ],
        change: Some("updatedInput"),
        not_held: &[
            "The client writes the names of a server and its tool as one word. A gate that names servers splits the word at \
             its first `-`, unless the server is this one.",
        ],
        switches: &[
            "`disableAllHooks` in the hook's file, in the project's `.claude/settings.json` or in \
             `.github/copilot/settings.json`",
            "a project's hooks in a folder that the user does not trust",
        ],
        ..Gates::CLOSED
    }),
    scopes: &InstallScope::ALL,
    hooks: [
        "hooks/{server}.json",
        ".github/hooks/{server}.json",
        ".github/copilot/settings.local.json",
    ],
    begins: [VERSION, VERSION, "{}"],
    servers: Servers {
        files: [Some("mcp-config.json"), Some(".mcp.json"), None],
        // The project's file is Claude Code's, too, which knows the type by this name.
        entry: r#"{"type": "stdio", "tools": ["*"]}"#,
        ..LIKE_MOST.servers
    },
    tools: ToolNames {
        before: "",
        gap: "-",
        other: '-',
    },
    // A subagent's event has the subagent's id in the place of the session's, and names its agent's.
    sessions: &["parent_agent_id", "session_id"],
    answers: AnswerForm {
        context: Some("additionalContext"),
        ..LIKE_MOST.answers
    },
    entries: EntryForm {
        // No matcher: an empty one matches nothing.
        is_grouped: false,
        timeout: "timeoutSec",
        ..LIKE_MOST.entries
    },
    aside: Some(Aside {
        event: "preMcpToolCall",
        server: "server_name",
        answer: "metaToUse",
    }),
    as_other: Some(["timestamp", "permission_mode"]),
    steps: [
        None,
        Some(
            "GitHub Copilot CLI silently skips a project's hooks in a folder that you do not trust. Start it in the \
             project, and trust the folder.",
        ),
        Some(
            "GitHub Copilot CLI silently skips a project's hooks in a folder that you do not trust: start it in the \
             project, and trust the folder. It has no file for your own MCP servers in a project: the server must be \
             in the scope `user` or `project`.",
        ),
    ],
    read: Some(read),
    look: Some(look),
    ..LIKE_MOST
};

fn read(input: Input<'_>, seen: &mut Seen) {
    let event = seen.occasion.event;
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
    // The client starts a process for each of our entries, in its own file and in Claude Code's, and names no call, but
    // gives all the same time.
    let time = input.member("timestamp").filter(|time| !time.is_null());
    seen.firing = time.map(|time| {
        let agent = input.text("session_id").unwrap_or_default();
        let variables = &seen.occasion.variables;
        let tool = variables.tool_name.as_deref().unwrap_or_default();
        let arguments = variables.tool_input.as_deref().unwrap_or_default();
        format!("{agent} {time} {tool} {arguments}")
    });
}

/// Returns whether a file turns hooks off.
fn is_off(file: &Path) -> bool {
    config::settings(file).is_some_and(|settings| settings["disableAllHooks"] == true)
}

fn look(scope: InstallScope, place: &Place) -> Looked {
    let mut looked = Looked::default();
    for switch in [".claude/settings.json", ".github/copilot/settings.json"] {
        let switch = place.project.join(switch);
        if is_off(&switch) {
            let switch = switch.display();
            looked.wrong.push(format!(
                "`disableAllHooks` in {switch} turns off all hooks in this project, yours too: remove it"
            ));
        }
    }
    let own = ROW.hooks_file(scope, place, "");
    let folder = own.parent().filter(|_| scope != InstallScope::Local);
    let files = folder.and_then(|folder| fs::read_dir(folder).ok());
    let files = files.into_iter().flatten().flatten().map(|it| it.path());
    let off =
        files.filter(|file| file.extension().is_some_and(|end| end == "json") && is_off(file));
    looked.wrong.extend(off.map(|file| {
        let file = file.display();
        format!("`disableAllHooks` in {file} turns off the hooks of this file: remove it")
    }));
    let file = ROW.folder.of(place).join("config.json");
    let trusted = config::settings(&file).unwrap_or_default();
    let folders = trusted["trustedFolders"].as_array().into_iter().flatten();
    let mut folders = folders.filter_map(Value::as_str);
    let project = fs::canonicalize(&place.project).unwrap_or_else(|_| place.project.clone());
    // Or one above it. Without that, the client skips a project's hooks.
    let is_trusted = folders.any(|folder| project.starts_with(folder));
    if scope != InstallScope::User && !is_trusted {
        looked.wrong.push(format!(
            "the project is not in `trustedFolders` of {}, so its hooks are skipped: start `copilot` in {}, and trust the \
             folder",
            file.display(),
            place.project.display()
        ));
    }
    looked
}
