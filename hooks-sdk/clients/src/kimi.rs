//! Kimi Code CLI, whose hooks are one list in a TOML file, and which takes texts at two events.

use super::{
    Client, Gates, InstallScope, Mapping, Tested, UserFolder,
    client::{AnswerForm, EntryForm, Further, LIKE_MOST, Servers},
    config::{MemberType, Reading},
    mapping::NO_END_WITHOUT_TERMINAL,
};

pub(crate) const ROW: Client = Client {
    name: "kimi",
    title: "Kimi Code CLI",
    program: "kimi",
    handshake: "kimi-code",
    tested: Tested::new("2.1.0", "2026-11-30"),
    folder: UserFolder::new(".kimi-code", &[("KIMI_CODE_HOME", "")]),
    readings: &[
        Reading {
            checked: &[(MemberType::List, "hooks")],
            ..Reading::strict("config.toml", "ignores all hooks of the file")
        },
        Reading {
            byte_order_mark: false,
            checked: &[
                (MemberType::Object, "mcpServers mcpServers.*"),
                (MemberType::Text, "mcpServers.*.command"),
                (MemberType::Texts, "mcpServers.*.args"),
            ],
            ..Reading::strict("mcp.json", "ignores all servers of the file")
        },
    ],
    shells: &["Bash"],
    shows_instructions: Some(false),
    events: [
        Mapping {
            native: "SessionStart",
            note: Some(
                "The client drops the text at this event. The nearest alternative is a `pre_request` hook at each prompt.",
            ),
            ..Mapping::NEVER
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
                 alternative is a `pre_request` hook before the turn.",
            ),
            ..Mapping::GATES
        },
        Mapping {
            native: "PostToolUse",
            also: &["PostToolUseFailure"],
            note: Some(
                "The client drops the text at this event. The nearest alternatives are a `pre_request` hook before the turn \
                 and a `post_request` hook after it.",
            ),
            ..Mapping::NEVER
        },
        Mapping {
            native: "UserPromptSubmit",
            role: Some("user"),
            subagents: Some(false),
            note: Some("The text is a message of its own before the user's."),
            ..Mapping::CONTEXT
        },
        Mapping {
            native: "Stop",
            subagents: Some(true),
            note: Some(
                "The text is the reason why the agent may not stop yet: it costs one request to the model, and is sent once \
                 for each message of the user. The event also occurs for each subagent, and the client does not say so: the \
                 text keeps a subagent going, too.",
            ),
            ..Mapping::CONTINUE
        },
    ],
    gates: Some(Gates {
        event: "PreToolUse",
        tools: &[
            ("shell", "Bash"),
            ("read", "Read ReadMediaFile Glob Grep"),
            ("write", "Write"),
            ("edit", "Edit"),
            ("fetch", "FetchURL"),
            ("subagent", "Agent AgentSwarm"),
        ],
        not_held: &[
            "The client takes no changed arguments.",
            "The client does not say which calls are a subagent's.",
        ],
        switches: &[
            "an entry in `hooks` of `config.toml` that the client does not know, for which it ignores the whole list",
        ],
        ..Gates::CLOSED
    }),
    scopes: &[InstallScope::User],
    hooks: ["config.toml"; 3],
    servers: Servers {
        files: [Some("mcp.json"), None, None],
        ..LIKE_MOST.servers
    },
    answers: AnswerForm {
        context: Some("message"),
        further: Further::Refusal,
        reads_any: true,
        ..LIKE_MOST.answers
    },
    entries: EntryForm {
        is_grouped: false,
        // The client ignores all hooks if an entry has a member that it does not know.
        is_typed: false,
        ..LIKE_MOST.entries
    },
    starts_in_project: true,
    ..LIKE_MOST
};
