//! How each client is started in a trial: one function each.

use std::path::Path;

use hooks_clients::Client;
use serde_json::json;

use super::{Dialect, Launch, Trial, page_certificate};

/// Returns how the client is started unattended, against a stand-in for its model service. `None` if it cannot be run without
/// its own service.
pub fn launch(client: &Client, trial: &Trial) -> Option<Launch> {
    let started = match client.name {
        "claude-code" => claude_code,
        "codex" => codex,
        "gemini" => gemini,
        "copilot" => copilot,
        "qwen" => qwen,
        "opencode" => opencode,
        "cline" => cline,
        "kimi" => kimi,
        _ => return None,
    };
    Some(started(&client.folder.of(&trial.place()), trial))
}

fn claude_code(folder: &Path, trial: &Trial) -> Launch {
    let tools = format!("Bash,mcp__{}", trial.server);
    let certificate = trial.home.join("page.pem");
    let arguments = ["-p", Trial::PROMPT, "--allowedTools", &tools];
    Launch::new(Dialect::Anthropic, arguments)
        .calls(
            r#"
            read Read {"file_path": "{path}"}
            write Write {"file_path": "{path}", "content": "{text}"}
            prepare Read {"file_path": "{path}"}
            edit Edit {"file_path": "{path}", "old_string": "{old}", "new_string": "{text}"}
            prepare ToolSearch {"query": "select:WebFetch", "max_results": 1}
            fetch WebFetch {"url": "{page}", "prompt": "Read it."}
            subagent Agent {"description": "a part", "prompt": "{task}", "subagent_type": "general-purpose"}
            "#,
        )
        .most_permissive(
            "`--dangerously-skip-permissions`",
            &["--dangerously-skip-permissions"],
        )
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
        .file(
            folder.join("settings.json"),
            json!({ "skipWebFetchPreflight": true }),
        )
        .file(&certificate, page_certificate())
}

fn codex(folder: &Path, trial: &Trial) -> Launch {
    let project = json!(trial.project).to_string();
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
        .calls(
            r#"
            read view_image {"path": "{path}"}
            write exec_command {"cmd": "apply_patch <<'X'\n*** Begin Patch\n*** Add File: {name}\n+{text}\n*** End Patch\nX"}
            edit exec_command {"cmd": "apply_patch <<'X'\n*** Begin Patch\n*** Update File: {name}\n@@\n-{old}\n+{text}\n*** End Patch\nX"}
            subagent multi_agent_v1/spawn_agent {"message": "{task}"}
            "#,
        )
        .most_permissive("`--dangerously-bypass-approvals-and-sandbox`", &[])
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
        .calls(
            r#"
            read read_file {"file_path": "{path}"}
            write write_file {"file_path": "{path}", "content": "{text}"}
            edit replace {"file_path": "{path}", "instruction": "a change", "old_string": "{old}", "new_string": "{text}"}
            fetch web_fetch {"prompt": "Read {nowhere}"}
            subagent invoke_agent {"agent_name": "generalist", "prompt": "{task}"}
            "#,
        )
        .most_permissive("`--approval-mode yolo`", &[])
                .pages_by_proxy(trial)
                .env("GEMINI_API_KEY", Trial::KEY)
                .env("GOOGLE_GEMINI_BASE_URL", trial.url(""))
                .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
                .file(folder.join("settings.json"), settings)
}

fn copilot(folder: &Path, trial: &Trial) -> Launch {
    let trusted = json!({ "trustedFolders": [trial.project] });
    Launch::new(
        Dialect::Chat,
        ["-p", Trial::PROMPT, "--allow-all", "--no-color"],
    )
        .calls(
            r#"
            read view {"path": "{path}"}
            write create {"path": "{path}", "file_text": "{text}"}
            edit edit {"path": "{path}", "old_str": "{old}", "new_str": "{text}"}
            fetch web_fetch {"url": "{nowhere}"}
            subagent task {"description": "a part", "prompt": "{task}", "agent_type": "general-purpose", "name": "helper", "mode": "sync"}
            "#,
        )
        .most_permissive("`--allow-all`", &[])
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
        .calls(
            r#"
            read read_file {"file_path": "{path}"}
            write write_file {"file_path": "{path}", "content": "{text}"}
            prepare read_file {"file_path": "{path}"}
            edit edit {"file_path": "{path}", "old_string": "{old}", "new_string": "{text}"}
            prepare tool_search {"query": "select:web_fetch", "max_results": 1}
            fetch tool_call {"name": "web_fetch", "arguments": {"url": "{url}", "prompt": "Read it."}}
            subagent agent {"description": "a part", "prompt": "{task}", "subagent_type": "general-purpose"}
            "#,
        )
        .most_permissive("`--approval-mode yolo`", &[])
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
        .calls(
            r#"
            read read {"filePath": "{path}"}
            write write {"filePath": "{path}", "content": "{text}"}
            prepare read {"filePath": "{path}"}
            edit edit {"filePath": "{path}", "oldString": "{old}", "newString": "{text}"}
            fetch webfetch {"url": "{url}", "format": "text"}
            subagent task {"description": "a part", "prompt": "{task}", "subagent_type": "general"}
            "#,
        )
        .most_permissive("`--auto`", &[])
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
    .calls(
        r#"
            read read_files {"files": [{"path": "{path}"}]}
            write editor {"path": "{path}", "new_text": "{text}"}
            edit editor {"path": "{path}", "old_text": "{old}", "new_text": "{text}"}
            fetch fetch_web_content {"requests": [{"url": "{url}", "prompt": "Read it."}]}
            subagent spawn_agent {"systemPrompt": "You are a helper.", "task": "{task}"}
            "#,
    )
    .most_permissive("`--auto-approve true`", &["--auto-approve", "true"])
    .env("CLINE_TELEMETRY_DISABLED", "1")
    .env("DO_NOT_TRACK", "1")
    .file(file, providers)
}

fn kimi(_folder: &Path, trial: &Trial) -> Launch {
    Launch::new(Dialect::Chat, ["-p", Trial::PROMPT])
        .calls(
            r#"
            read Read {"path": "{path}"}
            write Write {"path": "{path}", "content": "{text}"}
            edit Edit {"path": "{path}", "old_string": "{old}", "new_string": "{text}"}
            fetch FetchURL {"url": "{nowhere}"}
            subagent Agent {"description": "a part", "prompt": "{task}", "subagent_type": "coder"}
            "#,
        )
        .most_permissive("`-p`, which asks nothing", &[])
        .pages_by_proxy(trial)
        .env("KIMI_MODEL_PROVIDER_TYPE", "openai")
        .env("KIMI_MODEL_BASE_URL", trial.url("/v1"))
        .env("KIMI_MODEL_API_KEY", Trial::KEY)
        .env("KIMI_MODEL_NAME", Trial::MODEL)
        .env("KIMI_CODE_NO_AUTO_UPDATE", "1")
        .env("KIMI_DISABLE_TELEMETRY", "1")
}

#[cfg(test)]
mod tests {
    use hooks_clients::{ALL, GateTrial};

    use super::*;

    #[test]
    fn each_client_with_gates_has_its_own_calls() {
        let trial = Trial::new("notes", 1).unwrap();
        for client in ALL {
            let launch = launch(client, &trial);
            let Some(gates) = &client.gates else {
                assert_eq!(launch, None, "{}", client.name);
                continue;
            };
            let calls = launch.unwrap().calls;
            for of in ["read", "write", "edit", "fetch", "subagent"] {
                let is_of = |trial: &GateTrial| trial.as_str() == of;
                let has = calls
                    .iter()
                    .any(|call| call.trial.is_some_and(|it| is_of(&it)));
                let none = GateTrial::ALL
                    .iter()
                    .any(|it| is_of(it) && gates.has_no_tool(*it));
                assert!(has != none, "{}: {of}", client.name);
            }
        }
    }
}
