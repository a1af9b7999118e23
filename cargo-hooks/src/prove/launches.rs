//! How each client is started in a trial: one function each.

use std::path::Path;

use hooks_clients::{Client, GateTrial};
use serde_json::json;

use super::{Compaction, Dialect, Launch, PAGE_HOST, Trial, UNASSIGNED_PAGE, page_certificate};

/// Returns how the client is started unattended, against a stand-in for its model service. `None` if it cannot be run without
/// its own service.
pub fn launch(client: &Client, trial: &Trial) -> Option<Launch> {
    let folder = client.folder.of(&trial.place());
    Some(match client.name {
        "claude-code" => claude_code(&folder, trial),
        "codex" => codex(&folder, trial),
        "gemini" => gemini(&folder, trial),
        "copilot" => copilot(&folder, trial),
        "qwen" => qwen(&folder, trial),
        "opencode" => opencode(&folder, trial),
        "cline" => cline(&folder, trial),
        "kimi" => kimi(trial),
        _ => return None,
    })
}

fn claude_code(folder: &Path, trial: &Trial) -> Launch {
    let tools = format!("Bash,mcp__{}", trial.server());
    let certificate = trial.home().join("page.pem");
    Launch::new(
                Dialect::Anthropic,
                ["-p", Trial::PROMPT, "--allowedTools", &tools],
            )
            .resumed_by(["--continue"])
            .subagent_by(
                "Agent",
                json!({ "description": "a part", "prompt": Trial::TASK, "subagent_type": "general-purpose" }),
            )
            .compacted_by(Compaction::Command("/compact"))
            .most_permissive("`--dangerously-skip-permissions`", &["--dangerously-skip-permissions"])
            .call(GateTrial::Read, "Read", json!({ "file_path": "{path}" }))
            .call(GateTrial::Write, "Write", json!({ "file_path": "{path}", "content": "{text}" }))
            .call(None, "Read", json!({ "file_path": "{path}" }))
            .call(
                GateTrial::Edit,
                "Edit",
                json!({ "file_path": "{path}", "old_string": "{old}", "new_string": "{text}" }),
            )
            .call(None, "ToolSearch", json!({ "query": "select:WebFetch", "max_results": 1 }))
            .call(GateTrial::Fetch, "WebFetch", json!({ "url": format!("http://{PAGE_HOST}/{{text}}"), "prompt": "Read it." }))
            .pages_by_proxy(trial)
            // It fetches behind TLS only.
            .env_for_pages("NODE_EXTRA_CA_CERTS", certificate.to_string_lossy())
            // It refuses that mode to root elsewhere.
            .env("IS_SANDBOX", "1")
            .env("ANTHROPIC_BASE_URL", trial.url(""))
            .env("ANTHROPIC_API_KEY", Trial::KEY)
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            // Its maker's service is asked about each host otherwise.
            .file(folder.join("settings.json"), json!({ "skipWebFetchPreflight": true }))
            .file(&certificate, page_certificate())
}

fn codex(folder: &Path, trial: &Trial) -> Launch {
    let project = json!(trial.project()).to_string();
    // A JSON string is also one of TOML.
    let config = format!(
        r#"model = "{model}"
model_provider = "stand-in"
approval_policy = "never"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.stand-in]
name = "stand-in"
base_url = "{url}"
wire_api = "responses"
env_key = "STAND_IN_KEY"

[projects.{project}]
trust_level = "trusted"
"#,
        model = Trial::MODEL,
        url = trial.url("/v1"),
    );
    let arguments = [
        "exec",
        // Its own sandbox needs what containers often lack.
        "--dangerously-bypass-approvals-and-sandbox",
        // It silently skips hooks that nobody has reviewed.
        "--dangerously-bypass-hook-trust",
        Trial::PROMPT,
    ];
    Launch::new(Dialect::Responses, arguments)
                .resumed_by(["resume", "--last"])
                .subagent_by(
                    "multi_agent_v1/spawn_agent",
                    json!({ "message": Trial::TASK }),
                )
                .compacted_by(Compaction::Tokens(970_000))
                .most_permissive("`--dangerously-bypass-approvals-and-sandbox`", &[])
                .call(GateTrial::Read, "view_image", json!({ "path": "{path}" }))
                .call(
                    GateTrial::Write,
                    "exec_command",
                    json!({ "cmd": "apply_patch <<'X'\n*** Begin Patch\n*** Add File: {name}\n+{text}\n*** End Patch\nX" }),
                )
                .call(
                    GateTrial::Edit,
                    "exec_command",
                    json!({ "cmd": "apply_patch <<'X'\n*** Begin Patch\n*** Update File: {name}\n@@\n-{old}\n+{text}\n*** End Patch\nX" }),
                )
                .env("STAND_IN_KEY", Trial::KEY)
                .file(folder.join("config.toml"), config)
}

fn gemini(folder: &Path, trial: &Trial) -> Launch {
    let settings = json!({
        "general": { "enableAutoUpdate": false },
        "privacy": { "usageStatisticsEnabled": false },
        "telemetry": { "enabled": false },
        "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },
    });
    let arguments = [
        "-m",
        "gemini-2.5-flash",
        "--approval-mode",
        "yolo",
        "-p",
        Trial::PROMPT,
    ];
    Launch::new(Dialect::Gemini, arguments)
                .resumed_by(["--resume", "latest"])
                .subagent_by(
                    "invoke_agent",
                    json!({ "agent_name": "generalist", "prompt": Trial::TASK }),
                )
                .compacted_by(Compaction::Tokens(970_000))
                .most_permissive("`--approval-mode yolo`", &[])
                .call(GateTrial::Read, "read_file", json!({ "file_path": "{path}" }))
                .call(
                    GateTrial::Write,
                    "write_file",
                    json!({ "file_path": "{path}", "content": "{text}" }),
                )
                .call(
                    GateTrial::Edit,
                    "replace",
                    json!({ "file_path": "{path}", "instruction": "a change", "old_string": "{old}", "new_string": "{text}" }),
                )
                .call(GateTrial::Fetch, "web_fetch", json!({ "prompt": format!("Read {UNASSIGNED_PAGE}/{{text}}") }))
                .pages_by_proxy(trial)
                .env("GEMINI_API_KEY", Trial::KEY)
                .env("GOOGLE_GEMINI_BASE_URL", trial.url(""))
                .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
                .file(folder.join("settings.json"), settings)
}

fn copilot(folder: &Path, trial: &Trial) -> Launch {
    let trusted = json!({ "trustedFolders": [trial.project()] });
    Launch::new(
        Dialect::Chat,
        ["-p", Trial::PROMPT, "--allow-all", "--no-color"],
    )
    .resumed_by(["--continue"])
    .subagent_by(
        "task",
        json!({
            "description": "a part",
            "prompt": Trial::TASK,
            "agent_type": "general-purpose",
            "name": "helper",
            "mode": "sync",
        }),
    )
    .compacted_by(Compaction::Tokens(970_000))
    .most_permissive("`--allow-all`", &[])
    .call(GateTrial::Read, "view", json!({ "path": "{path}" }))
    .call(
        GateTrial::Write,
        "create",
        json!({ "path": "{path}", "file_text": "{text}" }),
    )
    .call(
        GateTrial::Edit,
        "edit",
        json!({ "path": "{path}", "old_str": "{old}", "new_str": "{text}" }),
    )
    .call(
        GateTrial::Fetch,
        "web_fetch",
        json!({ "url": format!("{UNASSIGNED_PAGE}/{{text}}") }),
    )
    .pages_by_proxy(trial)
    // It fetches no page offline. Its own service is behind the proxy too.
    .env_for_pages("COPILOT_OFFLINE", "false")
    // Its own switch: no login, no telemetry, no update.
    .env("COPILOT_OFFLINE", "true")
    .env("COPILOT_PROVIDER_BASE_URL", trial.url("/v1"))
    .env("COPILOT_PROVIDER_API_KEY", Trial::KEY)
    .env("COPILOT_MODEL", Trial::MODEL)
    .file(folder.join("config.json"), trusted)
}

fn qwen(folder: &Path, trial: &Trial) -> Launch {
    let settings = json!({
        "general": { "enableAutoUpdate": false },
        "privacy": { "usageStatisticsEnabled": false },
        "telemetry": { "enabled": false },
        "security": { "auth": { "selectedType": "openai" }, "folderTrust": { "enabled": false } },
        "$version": 4,
    });
    let arguments = [
        "--auth-type",
        "openai",
        "--approval-mode",
        "yolo",
        "-p",
        Trial::PROMPT,
    ];
    Launch::new(Dialect::Chat, arguments)
                .resumed_by(["--continue"])
                .subagent_by(
                    "agent",
                    json!({ "description": "a part", "prompt": Trial::TASK, "subagent_type": "general-purpose" }),
                )
                .compacted_by(Compaction::Tokens(170_000))
                .most_permissive("`--approval-mode yolo`", &[])
                .call(GateTrial::Read, "read_file", json!({ "file_path": "{path}" }))
                .call(
                    GateTrial::Write,
                    "write_file",
                    json!({ "file_path": "{path}", "content": "{text}" }),
                )
                .call(None, "read_file", json!({ "file_path": "{path}" }))
                .call(
                    GateTrial::Edit,
                    "edit",
                    json!({ "file_path": "{path}", "old_string": "{old}", "new_string": "{text}" }),
                )
                .call(None, "tool_search", json!({ "query": "select:web_fetch", "max_results": 1 }))
                .call(
                    GateTrial::Fetch,
                    "tool_call",
                    json!({ "name": "web_fetch", "arguments": { "url": "{url}", "prompt": "Read it." } }),
                )
                .env("OPENAI_BASE_URL", trial.url("/v1"))
                .env("OPENAI_API_KEY", Trial::KEY)
                .env("OPENAI_MODEL", Trial::MODEL)
                .file(folder.join("settings.json"), settings)
}

fn opencode(folder: &Path, trial: &Trial) -> Launch {
    let model = format!("stand-in/{}", Trial::MODEL);
    let provider = json!({
        // It is part of the program.
        "npm": "@ai-sdk/openai-compatible",
        "name": "stand-in",
        "options": { "baseURL": trial.url("/v1"), "apiKey": Trial::KEY },
        // Without a limit, it does not compact its session.
        "models": { Trial::MODEL: {
            "name": Trial::MODEL,
            "limit": { "context": 200_000, "output": 8_000 },
        } },
    });
    let config = json!({
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": false,
        "share": "disabled",
        "model": model,
        "small_model": model,
        "provider": { "stand-in": provider },
    });
    Launch::new(Dialect::Chat, ["run", "--auto", Trial::PROMPT])
        .resumed_by(["--continue"])
        .subagent_by(
            "task",
            json!({ "description": "a part", "prompt": Trial::TASK, "subagent_type": "general" }),
        )
        .compacted_by(Compaction::Tokens(970_000))
        .most_permissive("`--auto`", &[])
        .call(GateTrial::Read, "read", json!({ "filePath": "{path}" }))
        .call(
            GateTrial::Write,
            "write",
            json!({ "filePath": "{path}", "content": "{text}" }),
        )
        .call(None, "read", json!({ "filePath": "{path}" }))
        .call(
            GateTrial::Edit,
            "edit",
            json!({ "filePath": "{path}", "oldString": "{old}", "newString": "{text}" }),
        )
        .call(
            GateTrial::Fetch,
            "webfetch",
            json!({ "url": "{url}", "format": "text" }),
        )
        .env("OPENCODE_DISABLE_MODELS_FETCH", "true")
        .env("OPENCODE_DISABLE_AUTOUPDATE", "true")
        .env("OPENCODE_DISABLE_LSP_DOWNLOAD", "true")
        // It installs a package for its plugins, which work without it: a refusal is quicker than a time-out.
        .env("NPM_CONFIG_REGISTRY", trial.url("/npm"))
        .file(folder.join("opencode.json"), config)
}

fn cline(folder: &Path, trial: &Trial) -> Launch {
    let provider = json!({
        "provider": "openai-compatible",
        "apiKey": Trial::KEY,
        "model": Trial::MODEL,
        "baseUrl": trial.url("/v1"),
    });
    let providers = json!({
        "version": 1,
        "lastUsedProvider": "openai-compatible",
        "modes": {},
        "providers": { "openai-compatible": {
            "settings": provider,
            "updatedAt": "2026-01-01T00:00:00.000Z",
            "tokenSource": "manual",
        } },
    });
    let file = folder.join("data/settings/providers.json");
    Launch::new(
        Dialect::Chat,
        ["-P", "openai-compatible", "-m", Trial::MODEL, Trial::PROMPT],
    )
    .subagent_by(
        "spawn_agent",
        json!({ "systemPrompt": "You are a helper.", "task": Trial::TASK }),
    )
    .compacted_by(Compaction::Tokens(970_000))
    .most_permissive("`--auto-approve true`", &["--auto-approve", "true"])
    .call(
        GateTrial::Read,
        "read_files",
        json!({ "files": [{ "path": "{path}" }] }),
    )
    .call(
        GateTrial::Write,
        "editor",
        json!({ "path": "{path}", "new_text": "{text}" }),
    )
    .call(
        GateTrial::Edit,
        "editor",
        json!({ "path": "{path}", "old_text": "{old}", "new_text": "{text}" }),
    )
    .call(
        GateTrial::Fetch,
        "fetch_web_content",
        json!({ "requests": [{ "url": "{url}", "prompt": "Read it." }] }),
    )
    .env("CLINE_TELEMETRY_DISABLED", "1")
    .env("DO_NOT_TRACK", "1")
    .file(file, providers)
}

fn kimi(trial: &Trial) -> Launch {
    Launch::new(Dialect::Chat, ["-p", Trial::PROMPT])
        .resumed_by(["--continue"])
        .subagent_by(
            "Agent",
            json!({ "description": "a part", "prompt": Trial::TASK, "subagent_type": "coder" }),
        )
        .most_permissive("`-p`, which asks nothing", &[])
        .call(GateTrial::Read, "Read", json!({ "path": "{path}" }))
        .call(
            GateTrial::Write,
            "Write",
            json!({ "path": "{path}", "content": "{text}" }),
        )
        .call(
            GateTrial::Edit,
            "Edit",
            json!({ "path": "{path}", "old_string": "{old}", "new_string": "{text}" }),
        )
        .call(
            GateTrial::Fetch,
            "FetchURL",
            json!({ "url": format!("{UNASSIGNED_PAGE}/{{text}}") }),
        )
        .pages_by_proxy(trial)
        .env("KIMI_MODEL_PROVIDER_TYPE", "openai")
        .env("KIMI_MODEL_BASE_URL", trial.url("/v1"))
        .env("KIMI_MODEL_API_KEY", Trial::KEY)
        .env("KIMI_MODEL_NAME", Trial::MODEL)
        .env("KIMI_CODE_NO_AUTO_UPDATE", "1")
        .env("KIMI_DISABLE_TELEMETRY", "1")
}
