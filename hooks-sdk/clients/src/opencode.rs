//! OpenCode, whose hooks are a generated plugin; Kilo takes the same plugin.

use super::{
    AfterStart, Aftermath, Client, Gates, Mapping, RefusalForm, Tested, UserFolder,
    client::{LIKE_MOST, Servers},
    config::{MemberType, Reading},
    plugin::{NO_END, NO_STOP},
    tool::ToolNames,
};

const READING: Reading = Reading {
    checked: &[
        (
            MemberType::Text,
            "$schema shell model small_model default_agent username",
        ),
        (MemberType::Truth, "snapshot autoshare"),
        (MemberType::OneOf(&["manual", "auto", "disabled"]), "share"),
        (MemberType::List, "plugin"),
        (
            MemberType::Texts,
            "disabled_providers enabled_providers instructions",
        ),
        (
            MemberType::Object,
            "server command skills watcher mode agent provider mcp mcp.* tools attachment enterprise tool_output \
             compaction experimental",
        ),
        (MemberType::OneOf(&["local", "remote"]), "mcp.*.type"),
        (MemberType::Texts, "mcp.*.command"),
        (MemberType::Number, "subagent_depth"),
    ],
    ..Reading::lenient("opencode.json", "does not start")
};

/// The client itself adds this member to a file that lacks it, which would then not be ours alone.
const SCHEMA: &str = r#"{"$schema": "https://opencode.ai/config.json"}"#;

/// In a folder that the client reads plugins from.
const PLUGINS: &str = ".opencode/plugins/{letters}-hooks.js";

const PROJECTS: &str = "When OpenCode starts next, it installs its plugin package into the project's folder `.opencode`, \
    which takes 10 s or more once. The files that it adds there are its own: `hooks uninstall` leaves them.";

pub(crate) const ROW: Client = Client {
    name: "opencode",
    title: "OpenCode",
    program: "opencode",
    handshake: "opencode",
    tested: Tested::new("1.18.33", "2026-11-23"),
    folder: UserFolder::new(".config/opencode", &[("XDG_CONFIG_HOME", "opencode")]),
    readings: &[
        READING,
        Reading {
            file: "opencode.jsonc",
            ..READING
        },
    ],
    adds_server: Some("opencode mcp add {server} -- {start}"),
    shells: &["bash"],
    after_start: AfterStart {
        resume: Aftermath::Kept,
        compaction: Aftermath::SentAgain,
        clear: Aftermath::NotRun,
    },
    shows_instructions: Some(true),
    events: [
        Mapping {
            native: "chat.message.first",
            role: Some("user"),
            subagents: Some(false),
            note: Some(
                "The event is the first `chat.message` of a session, or a compaction. The text is a part of the user's \
                 message; after a compaction, it arrives with the next result of a tool or message.",
            ),
            ..Mapping::CONTEXT
        },
        Mapping {
            native: "dispose",
            note: Some(NO_END),
            ..Mapping::NEVER
        },
        Mapping {
            native: "tool.execute.before",
            role: Some("tool result"),
            subagents: Some(true),
            note: Some(
                "The text arrives with the result of the call. If the call fails, it arrives with the next result or \
                 message.",
            ),
            ..Mapping::CONTEXT
        },
        Mapping {
            native: "tool.execute.after",
            role: Some("tool result"),
            subagents: Some(true),
            note: Some(
                "The event does not occur when a call of an MCP tool fails. A command that ends with an error is no \
                 failed call.",
            ),
            ..Mapping::CONTEXT
        },
        Mapping {
            native: "chat.message",
            role: Some("user"),
            subagents: Some(false),
            ..Mapping::CONTEXT
        },
        Mapping {
            native: "session.idle",
            note: Some(NO_STOP),
            ..Mapping::NEVER
        },
    ],
    gates: Some(Gates {
        event: "tool.execute.before",
        open: &[],
        refusal: RefusalForm::Thrown,
        plugin: Some(include_str!("gate_opencode.js")),
        tools: &[
            ("shell", "bash"),
            ("read", "read list glob grep"),
            ("write", "write"),
            ("edit", "edit multiedit patch apply_patch"),
            ("fetch", "webfetch websearch"),
            ("subagent", "task"),
        ],
        change: Some("updatedInput"),
        not_held: &[
            "The client skips a plugin that does not load, without a word.",
            "The client writes the names of a server and its tool as one word. A gate that names servers splits the word at \
             its first `_`, unless the server is this one.",
        ],
        off_variables: &["OPENCODE_PURE"],
        switches: &["`--pure`", "`OPENCODE_PURE=1`"],
        ..Gates::CLOSED
    }),
    also_read_by: &["Kilo, if you copy the plugin into its own folder of plugins"],
    hooks: ["plugins/{letters}-hooks.js", PLUGINS, PLUGINS],
    servers: Servers {
        files: [Some("opencode.json"), Some("opencode.json"), None],
        member: "mcp",
        begins: SCHEMA,
        or_jsonc: true,
        entry: r#"{"type": "local", "enabled": true}"#,
        is_list: true,
        environment: "environment",
        ..LIKE_MOST.servers
    },
    tools: ToolNames {
        before: "",
        gap: "_",
        ..ToolNames::DOUBLE
    },
    plugin: Some(include_str!("opencode.js")),
    steps: [None, Some(PROJECTS), None],
    ..LIKE_MOST
};
