//! OpenCode, whose hooks are a generated plugin; Kilo takes the same plugin.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::{
    AfterStart, Aftermath, ArgumentChange, Capabilities, Client, Delivery, Gates, InstallScope,
    Installation, Mapping, Place, RefusalForm, Seen, Tested, UserFolder,
    capabilities::USER_AND_PROJECT,
    config::{MemberType, Reading},
    config::{Plan, or_jsonc},
    input::Input,
    output,
    plugin::{self, NO_END, NO_STOP},
    tool::Tool,
};
use hooks_core::{guidance::McpFeatures, lifecycle::Event};

/// OpenCode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a client has no parts")]
pub struct OpenCode;

const READING: Reading = Reading {
    checked: &[
        (
            MemberType::Text,
            &[
                "$schema",
                "shell",
                "model",
                "small_model",
                "default_agent",
                "username",
            ],
        ),
        (MemberType::Truth, &["snapshot", "autoshare"]),
        (
            MemberType::OneOf(&["manual", "auto", "disabled"]),
            &["share"],
        ),
        (MemberType::List, &["plugin"]),
        (
            MemberType::Texts,
            &["disabled_providers", "enabled_providers", "instructions"],
        ),
        (
            MemberType::Object,
            &[
                "server",
                "command",
                "skills",
                "watcher",
                "mode",
                "agent",
                "provider",
                "mcp",
                "mcp.*",
                "tools",
                "attachment",
                "enterprise",
                "tool_output",
                "compaction",
                "experimental",
            ],
        ),
        (MemberType::OneOf(&["local", "remote"]), &["mcp.*.type"]),
        (MemberType::Texts, &["mcp.*.command"]),
        (MemberType::Number, &["subagent_depth"]),
    ],
    ..Reading::lenient("opencode.json", "does not start")
};

const READINGS: &[Reading] = &[
    READING,
    Reading {
        file: "opencode.jsonc",
        ..READING
    },
];

pub(super) const ROW: Capabilities = Capabilities {
    name: "opencode",
    title: "OpenCode",
    program: "opencode",
    handshake: "opencode",
    recorded: Tested::new("1.18.33", "2026-11-23"),
    folder: UserFolder::new(".config/opencode", &[("XDG_CONFIG_HOME", "opencode")]),
    readings: READINGS,
    adds_server: Some("opencode mcp add {server} -- {start}"),
    shells: &["bash"],
    features: McpFeatures::EMPTY,
    tells_session: false,
    after_start: AfterStart::new(Aftermath::Kept, Aftermath::SentAgain, Aftermath::NotRun),
    events: [
        Mapping::new("chat.message.first", Delivery::Context)
            .role("user")
            .subagents(false)
            .note(
                "The event is the first `chat.message` of a session, or a compaction. The text is a part of the user's \
                 message; after a compaction, it arrives with the next result of a tool or message.",
            )
            .recording("opencode/chat.message.first.json"),
        Mapping::new("dispose", Delivery::Never).note(NO_END),
        Mapping::new("tool.execute.before", Delivery::Context)
            .role("tool result")
            .subagents(true)
            .note(
                "The text arrives with the result of the call. If the call fails, it arrives with the next result or \
                 message.",
            )
            .recording("opencode/tool.execute.before.shell.json"),
        Mapping::new("tool.execute.after", Delivery::Context)
            .role("tool result")
            .subagents(true)
            .note(
                "The event does not occur when a call of an MCP tool fails. A command that ends with an error is no \
                 failed call.",
            )
            .recording("opencode/tool.execute.after.shell.json"),
        Mapping::new("chat.message", Delivery::Context)
            .role("user")
            .subagents(false)
            .recording("opencode/chat.message.json"),
        Mapping::new("session.idle", Delivery::Never).note(NO_STOP),
    ],
    gates: Some(
        Gates::new(
            "tool.execute.before",
            RefusalForm::Thrown,
            &[
                ("bash", "shell"),
                ("read", "read"),
                ("list", "read"),
                ("glob", "read"),
                ("grep", "read"),
                ("write", "write"),
                ("edit", "edit"),
                ("multiedit", "edit"),
                ("patch", "edit"),
                ("apply_patch", "edit"),
                ("webfetch", "fetch"),
                ("websearch", "fetch"),
                ("task", "subagent"),
            ],
        )
        .changed_by(ArgumentChange::InPlace)
        .not_held(&[
            "The client skips a plugin that does not load, without a word.",
            "The client writes the names of a server and its tool as one word. A gate that names servers splits the word at \
             its first `_`, unless the server is this one.",
        ])
        .off_variables(&["OPENCODE_PURE"])
        .off_by(&["`--pure`", "`OPENCODE_PURE=1`"]),
    ),
    scopes: USER_AND_PROJECT,
    also_read_by: &["Kilo, if you copy the plugin into its own folder of plugins"],
};

const PLUGIN: &str = include_str!("opencode.js");

/// What is between a server's and a tool's name.
const GAP: &str = "_";

const SCHEMA: &str = "https://opencode.ai/config.json";

impl OpenCode {
    fn settings(scope: InstallScope, place: &Place) -> PathBuf {
        let folder = match scope {
            InstallScope::User => ROW.folder.of(place),
            InstallScope::Project | InstallScope::Local => place.project.clone(),
        };
        or_jsonc(folder.join("opencode.json"))
    }
}

impl Client for OpenCode {
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
        let folder = match scope {
            InstallScope::User => ROW.folder.of(place),
            InstallScope::Project | InstallScope::Local => place.project.join(".opencode"),
        };
        folder.join("plugins").join(plugin::file_name(server))
    }

    fn plan_hooks(&self, plan: Plan, to: &Installation<'_>) -> Plan {
        let settings = OpenCode::settings(to.scope, to.place);
        // The client itself adds this member to a file that lacks it, which would then not be ours alone.
        let schema = Map::from_iter([("$schema".to_owned(), SCHEMA.into())]);
        plugin::plan(self, PLUGIN, plan, to).created_with(settings, schema)
    }

    fn servers_file(&self, scope: InstallScope, place: &Place) -> Option<(PathBuf, Vec<String>)> {
        let file = OpenCode::settings(scope, place);
        Some((file, vec!["mcp".to_owned()]))
    }

    fn server_entry(&self, command: &str, arguments: &[String]) -> Value {
        let mut words = vec![command];
        words.extend(arguments.iter().map(String::as_str));
        json!({ "type": "local", "command": words, "enabled": true })
    }

    fn further_step(&self, scope: InstallScope) -> Option<&'static str> {
        match scope {
            InstallScope::User => None,
            InstallScope::Project | InstallScope::Local => Some(
                "When OpenCode starts next, it installs its plugin package into the project's folder `.opencode`, which \
                 takes 10 s or more once. The files that it adds there are its own: `hooks uninstall` leaves them.",
            ),
        }
    }
}
