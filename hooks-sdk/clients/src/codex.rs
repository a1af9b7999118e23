//! Codex CLI, measured with version 0.169.0.

use std::time::Duration;

use super::{
    AfterStart, Aftermath, Client, Excess, GateTrial, Gates, InstallScope, Limit, Mapping, Place,
    Tested, Unit, UserFolder,
    capabilities::ASKS,
    client::{LIKE_MOST, Looked, NamedServer, Servers},
    config::{self, MemberType, Reading},
};

/// The limit, unless the entry sets another.
const MIDDLE_CUT: Limit = Limit::in_unit(2_500, Unit::Tokens, Excess::MiddleCut);

/// At an event at which the text is context. The entries set the limit, in tokens: 30,000 characters of four bytes fit, with
/// the lines around them. Without it, the client cuts the middle out of a text over 10,000 bytes.
const TEXT: Mapping = Mapping {
    role: Some("developer"),
    limit: Some(MIDDLE_CUT),
    raised: Some(32_000),
    subagents: Some(true),
    ..Mapping::CONTEXT
};

pub(crate) const ROW: Client = Client {
    name: "codex",
    title: "Codex CLI",
    program: "codex",
    handshake: "codex",
    tested: Tested::new("0.169.0", "2026-11-23"),
    folder: UserFolder::new(".codex", &[("CODEX_HOME", "")]),
    readings: &[
        Reading {
            byte_order_mark: false,
            duplicates: false,
            only: &["description", "hooks"],
            checked: &[
                (MemberType::Object, "hooks hooks.*.* hooks.*.*.hooks.*"),
                (MemberType::List, "hooks.* hooks.*.*.hooks"),
                (
                    MemberType::Text,
                    "description hooks.*.*.matcher hooks.*.*.hooks.*.command",
                ),
                (
                    MemberType::OneOf(&["command", "mcp_tool", "prompt", "agent"]),
                    "hooks.*.*.hooks.*.type",
                ),
                (MemberType::Number, "hooks.*.*.hooks.*.timeout"),
            ],
            ..Reading::strict("hooks.json", "ignores the whole file")
        },
        Reading {
            checked: CONFIG,
            ..Reading::strict("config.toml", "does not start")
        },
    ],
    adds_server: Some("codex mcp add {server} -- {start}"),
    shells: &["Bash", "exec_command", "shell", "local_shell"],
    features: ASKS,
    tells_session: true,
    shows_instructions: Some(true),
    after_start: AfterStart {
        resume: Aftermath::Kept,
        compaction: Aftermath::SentAgain,
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
            // Whatever the entry says.
            deadline: Duration::from_secs(3),
            note: Some(
                "No text reaches the agent at the end of a session, and the client ends a hook after 3 s. The \
                 nearest alternative is a `post_request` hook, which fires each time the agent has finished.",
            ),
            ..Mapping::NEVER
        },
        Mapping {
            native: "PreToolUse",
            ..TEXT
        },
        Mapping {
            native: "PostToolUse",
            ..TEXT
        },
        Mapping {
            native: "UserPromptSubmit",
            note: Some("The event also occurs for the task that a subagent receives."),
            ..TEXT
        },
        Mapping {
            native: "Stop",
            // The entry does not set the limit of a reason.
            limit: Some(MIDDLE_CUT),
            ..Mapping::CONTINUE
        },
    ],
    gates: Some(Gates {
        event: "PreToolUse",
        tools: &[
            ("shell", "Bash"),
            ("read", "view_image"),
            ("edit", "apply_patch"),
            ("subagent", "spawn_agent"),
        ],
        not_held: &[
            "The client asks no hook before `write_stdin` writes into a shell that runs already. A gate of the shell \
             refuses bare interactive programs such as `bash`.",
            "The client asks no hook about the web search of its provider.",
            "The client takes changed arguments only with an approval of the call, which a gate never gives.",
        ],
        without_tool: &[(
            GateTrial::Fetch,
            "The client has no tool that fetches a page. The web search of its model's provider runs at the provider.",
        )],
        switches: &[
            "hooks that nobody reviewed with `/hooks`, which is the default",
            "`--disable hooks`",
            "`-c features.hooks=false`",
        ],
        ..Gates::CLOSED
    }),
    reviewer: Some("app-server"),
    hooks: ["hooks.json", ".codex/hooks.json", ".codex/hooks.json"],
    servers: Servers {
        files: [Some("config.toml"), Some(".codex/config.toml"), None],
        member: "mcp_servers",
        ..LIKE_MOST.servers
    },
    named_server: Some(NamedServer {
        member: "mcp_server",
        server: "name",
        tool: None,
    }),
    starts_in_project: true,
    steps: [
        Some(
            "Codex CLI silently skips hooks that you have not reviewed. Start it, and review them with `/hooks`.",
        ),
        Some(
            "Codex CLI reads a project's hooks only if you trust the project, and silently skips hooks that you have not \
             reviewed. Start it in the project, and review them with `/hooks`.",
        ),
        None,
    ],
    look: Some(look),
    ..LIKE_MOST
};

/// The members of `config.toml` of which another type keeps the client from starting.
const CONFIG: &[(MemberType, &str)] = &[
    (
        MemberType::Text,
        "model review_model model_provider default_permissions instructions developer_instructions \
         model_instructions_file compact_prompt mcp_oauth_callback_url js_repl_node_path sqlite_home log_dir \
         model_reasoning_effort plan_mode_reasoning_effort model_catalog_json service_tier openai_base_url \
         oss_provider profile chatgpt_base_url",
    ),
    (
        MemberType::Number,
        "model_context_window model_auto_compact_token_limit model_post_turn_compact_threshold_percent \
         mcp_oauth_callback_port mcp_optional_startup_grace_ms project_doc_max_bytes tool_output_token_limit \
         background_terminal_max_timeout thread_unload_delay_secs",
    ),
    (
        MemberType::Truth,
        "allow_login_shell allow_symlinked_codex_home include_apps_instructions \
         include_collaboration_mode_instructions include_environment_context hide_agent_reasoning \
         show_raw_agent_reasoning suppress_unstable_features_warning check_for_update_on_startup disable_paste_burst \
         experimental_use_unified_exec_tool",
    ),
    (
        MemberType::List,
        "notify project_doc_fallback_filenames project_root_markers",
    ),
    (
        MemberType::Object,
        "agents analytics apps audio auto_review browser_use code_mode computer_use desktop features feedback \
         ghost_snapshot goals history hooks marketplaces mcp_servers memories model_providers notice otel \
         permissions plugins profiles projects responses sandbox_workspace_write shell_environment_policy skills \
         tool_suggest tools tui windows",
    ),
];

fn look(scope: InstallScope, place: &Place) -> Looked {
    let mut looked = Looked::default();
    let file = |scope| ROW.servers_file(scope, place).map(|(file, _)| file);
    let mut files: Vec<_> = [InstallScope::User, scope]
        .into_iter()
        .filter_map(file)
        .collect();
    files.dedup();
    for file in files {
        let settings = config::settings(&file).unwrap_or_default();
        if settings["features"]["hooks"] == false {
            looked.wrong.push(format!(
                "`features.hooks = false` in {} turns all hooks off: remove it",
                file.display()
            ));
        }
    }
    // Reviews of hooks are in the same table.
    let own = file(scope).filter(|file| {
        let settings = config::settings(file).unwrap_or_default();
        let mut events = settings["hooks"].as_object().into_iter().flatten();
        events.any(|(name, _)| name != "state")
    });
    looked.remarks.extend(own.map(|file| {
        format!(
            "Codex CLI warns at each start that hooks are in {} and in `hooks.json`, and runs both: move those of the \
             table `hooks` to `hooks.json`, if the warning disturbs you",
            file.display()
        )
    }));
    looked
}
