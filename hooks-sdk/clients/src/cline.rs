//! Cline CLI, whose hooks are a generated plugin: the texts of its executables reach the agent at tool calls only.

use std::time::Duration;

use super::{
    Client, Gates, Mapping, RefusalForm, Tested, UserFolder,
    client::{LIKE_MOST, Servers},
    config::{MemberType, Reading},
    plugin::{NO_END, NO_STOP},
    tool::ToolNames,
};

/// Cline ends the whole run when a hook takes 3 s, so the plugin ends its command before.
const IN_CLINE: Duration = Duration::from_millis(2_500);

/// At an event at which the text is context.
const TEXT: Mapping = Mapping {
    role: Some("user"),
    deadline: IN_CLINE,
    subagents: Some(false),
    ..Mapping::CONTEXT
};

const PLUGINS: &str = ".cline/plugins/{letters}-hooks.js";

pub(crate) const ROW: Client = Client {
    name: "cline",
    title: "Cline CLI",
    program: "cline",
    handshake: "@cline/core",
    tested: Tested::new("3.0.65", "2026-11-23"),
    folder: UserFolder::new(".cline", &[("CLINE_DIR", "")]),
    readings: &[Reading {
        byte_order_mark: false,
        checked: &[
            (MemberType::Object, "mcpServers mcpServers.*"),
            (MemberType::Text, "mcpServers.*.command"),
        ],
        ..Reading::strict("cline_mcp_settings.json", "ignores all servers of the file")
    }],
    adds_server: Some("cline mcp add {server} --yes -- {start}"),
    shells: &["run_commands"],
    shows_instructions: Some(false),
    events: [
        Mapping {
            native: "beforeRun.first",
            note: Some("The event is the first `beforeRun` of a session."),
            ..TEXT
        },
        Mapping {
            native: "SessionShutdown",
            deadline: IN_CLINE,
            note: Some(NO_END),
            ..Mapping::NEVER
        },
        Mapping {
            native: "beforeTool",
            subagents: Some(true),
            note: Some("The text arrives after the results of the agent's calls."),
            ..TEXT
        },
        Mapping {
            native: "afterTool",
            subagents: Some(true),
            note: Some(
                "No hook fires after a failed call of an MCP tool. A command that ends with an error is no failed \
                 call.",
            ),
            ..TEXT
        },
        Mapping {
            native: "beforeRun",
            ..TEXT
        },
        Mapping {
            native: "afterRun",
            deadline: IN_CLINE,
            note: Some(NO_STOP),
            ..Mapping::NEVER
        },
    ],
    gates: Some(Gates {
        event: "beforeTool",
        open: &[],
        refusal: RefusalForm::Skipped,
        plugin: Some(include_str!("gate_cline.js")),
        tools: &[
            ("shell", "run_commands"),
            ("read", "read_files search_codebase"),
            ("edit", "editor apply_patch"),
            ("fetch", "fetch_web_content"),
            ("subagent", "spawn_agent"),
        ],
        change: Some("updatedInput"),
        not_held: &[
            "The client ends the run after three refused calls in a row.",
            "The client skips a plugin that does not load, without a word.",
            "The client's executable hooks never hold a call. This SDK writes a plugin.",
        ],
        ..Gates::CLOSED
    }),
    hooks: ["plugins/{letters}-hooks.js", PLUGINS, PLUGINS],
    servers: Servers {
        files: [Some("data/settings/cline_mcp_settings.json"), None, None],
        ..LIKE_MOST.servers
    },
    tools: ToolNames {
        before: "",
        ..ToolNames::DOUBLE
    },
    plugin: Some(include_str!("cline.js")),
    steps: [
        None,
        Some(
            "Cline has no file for a project's MCP servers. Each user adds the server with `hooks install --client \
             cline`, without `--scope`, and then needs no hooks in the project.",
        ),
        None,
    ],
    ..LIKE_MOST
};
