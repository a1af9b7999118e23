//! Codex CLI, measured with version 0.169.0.

use std::{path::PathBuf, time::Duration};

use serde_json::{Value, json};

use super::{
    AfterStart, Aftermath, Capabilities, Client, Delivery, Excess, GateTrial, Gates, InstallScope,
    Limit, Mapping, Place, RefusalForm, Seen, Tested, UserFolder,
    capabilities::{ASKS, USER_AND_PROJECT},
    config,
    config::{MemberType, Reading},
    input::Input,
    mapping::ONE_REQUEST_MORE,
    tool::Tool,
};
use hooks_core::lifecycle::Event;

/// Codex CLI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a client has no parts")]
pub struct Codex;

/// The limit, unless the entry sets another.
const MIDDLE_CUT: Limit = Limit::tokens(2_500, Excess::MiddleCut);

/// The limit that the entries set: 30,000 characters of four bytes fit, with the lines around them.
const IN_ENTRIES: usize = 32_000;

const READINGS: &[Reading] = &[
    Reading {
        byte_order_mark: false,
        duplicates: false,
        only: &["description", "hooks"],
        checked: &[
            (
                MemberType::Object,
                &["hooks", "hooks.*.*", "hooks.*.*.hooks.*"],
            ),
            (MemberType::List, &["hooks.*", "hooks.*.*.hooks"]),
            (
                MemberType::Text,
                &[
                    "description",
                    "hooks.*.*.matcher",
                    "hooks.*.*.hooks.*.command",
                ],
            ),
            (
                MemberType::OneOf(&["command", "mcp_tool", "prompt", "agent"]),
                &["hooks.*.*.hooks.*.type"],
            ),
            (MemberType::Number, &["hooks.*.*.hooks.*.timeout"]),
        ],
        ..Reading::strict("hooks.json", "ignores the whole file")
    },
    Reading {
        checked: CONFIG,
        ..Reading::strict("config.toml", "does not start")
    },
];

/// The members of `config.toml` of which another type keeps the client from starting.
const CONFIG: &[(MemberType, &[&str])] = &[
    (
        MemberType::Text,
        &[
            "model",
            "review_model",
            "model_provider",
            "default_permissions",
            "instructions",
            "developer_instructions",
            "model_instructions_file",
            "compact_prompt",
            "mcp_oauth_callback_url",
            "js_repl_node_path",
            "sqlite_home",
            "log_dir",
            "model_reasoning_effort",
            "plan_mode_reasoning_effort",
            "model_catalog_json",
            "service_tier",
            "openai_base_url",
            "oss_provider",
            "profile",
            "chatgpt_base_url",
        ],
    ),
    (
        MemberType::Number,
        &[
            "model_context_window",
            "model_auto_compact_token_limit",
            "model_post_turn_compact_threshold_percent",
            "mcp_oauth_callback_port",
            "mcp_optional_startup_grace_ms",
            "project_doc_max_bytes",
            "tool_output_token_limit",
            "background_terminal_max_timeout",
            "thread_unload_delay_secs",
        ],
    ),
    (
        MemberType::Truth,
        &[
            "allow_login_shell",
            "allow_symlinked_codex_home",
            "include_apps_instructions",
            "include_collaboration_mode_instructions",
            "include_environment_context",
            "hide_agent_reasoning",
            "show_raw_agent_reasoning",
            "suppress_unstable_features_warning",
            "check_for_update_on_startup",
            "disable_paste_burst",
            "experimental_use_unified_exec_tool",
        ],
    ),
    (
        MemberType::List,
        &[
            "notify",
            "project_doc_fallback_filenames",
            "project_root_markers",
        ],
    ),
    (
        MemberType::Object,
        &[
            "agents",
            "analytics",
            "apps",
            "audio",
            "auto_review",
            "browser_use",
            "code_mode",
            "computer_use",
            "desktop",
            "features",
            "feedback",
            "ghost_snapshot",
            "goals",
            "history",
            "hooks",
            "marketplaces",
            "mcp_servers",
            "memories",
            "model_providers",
            "notice",
            "otel",
            "permissions",
            "plugins",
            "profiles",
            "projects",
            "responses",
            "sandbox_workspace_write",
            "shell_environment_policy",
            "skills",
            "tool_suggest",
            "tools",
            "tui",
            "windows",
        ],
    ),
];

pub(super) const ROW: Capabilities = Capabilities {
    name: "codex",
    title: "Codex CLI",
    program: "codex",
    handshake: "codex",
    recorded: Tested::new("0.169.0", "2026-11-23"),
    folder: UserFolder::new(".codex", &[("CODEX_HOME", "")]),
    readings: READINGS,
    adds_server: Some("codex mcp add {server} -- {start}"),
    shells: &["Bash", "exec_command", "shell", "local_shell"],
    features: ASKS,
    tells_session: true,
    after_start: AfterStart::new(Aftermath::Kept, Aftermath::SentAgain, Aftermath::NotRun),
    events: [
        Mapping::new("SessionStart", Delivery::Context)
            .role("developer")
            .limit(MIDDLE_CUT)
            .raised(IN_ENTRIES)
            .subagents(false)
            .recording("codex/SessionStart.json"),
        Mapping::new("SessionEnd", Delivery::Never)
            // Whatever the entry says.
            .deadline(Duration::from_secs(3))
            .note(
                "No text reaches the agent at the end of a session, and the client ends a hook after 3 s. The \
                 nearest alternative is a `post_request` hook, which fires each time the agent has finished.",
            )
            .recording("codex/SessionEnd.json"),
        Mapping::new("PreToolUse", Delivery::Context)
            .role("developer")
            .limit(MIDDLE_CUT)
            .raised(IN_ENTRIES)
            .subagents(true)
            .recording("codex/PreToolUse.shell.json"),
        Mapping::new("PostToolUse", Delivery::Context)
            .role("developer")
            .limit(MIDDLE_CUT)
            .raised(IN_ENTRIES)
            .subagents(true)
            .recording("codex/PostToolUse.shell.json"),
        Mapping::new("UserPromptSubmit", Delivery::Context)
            .role("developer")
            .limit(MIDDLE_CUT)
            .raised(IN_ENTRIES)
            .subagents(true)
            .note("The event also occurs for the task that a subagent receives.")
            .recording("codex/UserPromptSubmit.json"),
        // The entry does not set the limit of a reason.
        Mapping::new("Stop", Delivery::Continue)
            .role("user")
            .limit(MIDDLE_CUT)
            .subagents(false)
            .note(ONE_REQUEST_MORE)
            .recording("codex/Stop.json"),
    ],
    gates: Some(
        Gates::new(
            "PreToolUse",
            RefusalForm::Object,
            &[
                ("Bash", "shell"),
                ("view_image", "read"),
                ("apply_patch", "edit"),
                ("spawn_agent", "subagent"),
            ],
        )
        .not_held(&[
            "The client asks no hook before `write_stdin` writes into a shell that runs already. A gate of the shell \
             refuses bare interactive programs such as `bash`.",
            "The client asks no hook about the web search of its provider.",
            "The client takes changed arguments only with an approval of the call, which a gate never gives.",
        ])
        .without_tool(&[(
                GateTrial::Fetch,
                "The client has no tool that fetches a page. The web search of its model's provider runs at the provider.",
            )])
        .open(&[(
                GateTrial::Hang,
                "The client ends a hook that has not answered after 10 s, and runs the call. The gate's own deadline of 2 s \
                 does not help where its program is stopped.",
            )])
        .off_by(&[
            "hooks that nobody reviewed with `/hooks`, which is the default",
            "`--disable hooks`",
            "`-c features.hooks=false`",
        ]),
    ),
    scopes: USER_AND_PROJECT,
    also_read_by: &[],
};

impl Client for Codex {
    fn capabilities(&self) -> &'static Capabilities {
        &ROW
    }

    fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen {
        Input(input).seen_as_claude_code(event, servers)
    }

    fn named_tool(&self, server: Option<&str>, tool: &str) -> Value {
        json!({ "tool_name": match server {
            Some(server) => Tool::doubly_joined(server, tool),
            None => Tool::named(tool, &ROW).to_owned(),
        } })
    }

    fn hook_entry(&self, event: Event, _server: &str, command: &str) -> Value {
        let timeout = self.deadline(event).as_secs();
        let mut hook = json!({ "type": "command", "command": command, "timeout": timeout });
        if let Some(most) = self.mapping(event).raised {
            // In tokens. Without it, the client cuts the middle out of a text over 10,000 bytes.
            hook["additionalContextLimit"] = most.into();
        }
        json!({ "hooks": [hook] })
    }

    fn hooks_file(&self, scope: InstallScope, place: &Place, _server: &str) -> PathBuf {
        ROW.folder.within(scope, place).join("hooks.json")
    }

    fn servers_file(&self, scope: InstallScope, place: &Place) -> Option<(PathBuf, Vec<String>)> {
        let file = ROW.folder.within(scope, place).join("config.toml");
        Some((file, vec!["mcp_servers".to_owned()]))
    }

    fn checks(&self, scope: InstallScope, place: &Place) -> Vec<String> {
        let scopes = [InstallScope::User, scope].into_iter();
        let mut files: Vec<PathBuf> = scopes
            .map(|scope| ROW.folder.within(scope, place).join("config.toml"))
            .collect();
        files.dedup();
        let off = files
            .into_iter()
            .filter(|file| config::has_toml(file, ["features", "hooks"], false));
        off.map(|file| {
            format!(
                "`features.hooks = false` in {} turns all hooks off: remove it",
                file.display()
            )
        })
        .collect()
    }

    fn remarks(&self, scope: InstallScope, place: &Place) -> Vec<String> {
        let file = ROW.folder.within(scope, place).join("config.toml");
        // Reviews of hooks are in the same table.
        let mut events = config::toml_names(&file, "hooks").into_iter();
        let is_inline = events.any(|name| name != "state");
        let remark = || {
            format!(
                "Codex CLI warns at each start that hooks are in {} and in `hooks.json`, and runs both: move those of the \
                 table `hooks` to `hooks.json`, if the warning disturbs you",
                file.display()
            )
        };
        is_inline.then(remark).into_iter().collect()
    }

    fn further_step(&self, scope: InstallScope) -> Option<&'static str> {
        Some(match scope {
            InstallScope::User => {
                "Codex CLI silently skips hooks that you have not reviewed. Start it, and review them with `/hooks`."
            }
            InstallScope::Project | InstallScope::Local => {
                "Codex CLI reads a project's hooks only if you trust the project, and silently skips hooks that you \
                 have not reviewed. Start it in the project, and review them with `/hooks`."
            }
        })
    }
}
