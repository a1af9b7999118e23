//! How each known client is started.

use serde_json::json;

use super::{Dialect, Launch, Trial};
use crate::clients::Client;

/// Returns how the client of this name is started; `None` if it cannot be run here.
pub(crate) fn launch(client: &dyn Client, trial: &Trial) -> Option<Launch> {
    match client.name() {
        "claude-code" => Some(claude_code(trial)),
        "codex" => Some(codex(trial)),
        "gemini" => Some(gemini(trial)),
        "copilot" => Some(copilot(trial)),
        "opencode" => Some(opencode(trial)),
        "qwen" => Some(qwen(trial)),
        "cline" => Some(cline(trial)),
        _ => None,
    }
}

fn claude_code(trial: &Trial) -> Launch {
    let tools = format!("Bash,mcp__{}", trial.server());
    Launch::new(
        Dialect::Anthropic,
        ["-p", Trial::PROMPT, "--allowedTools", &tools],
    )
    .env("ANTHROPIC_BASE_URL", trial.url(""))
    .env("ANTHROPIC_API_KEY", Trial::KEY)
    .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
    .env("DISABLE_AUTOUPDATER", "1")
}

fn codex(trial: &Trial) -> Launch {
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
        .env("STAND_IN_KEY", Trial::KEY)
        .file(trial.home().join(".codex/config.toml"), config)
}

fn gemini(trial: &Trial) -> Launch {
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
        .env("GEMINI_API_KEY", Trial::KEY)
        .env("GOOGLE_GEMINI_BASE_URL", trial.url(""))
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .file(trial.home().join(".gemini/settings.json"), settings)
}

fn copilot(trial: &Trial) -> Launch {
    let trusted = json!({ "trustedFolders": [trial.project()] });
    Launch::new(
        Dialect::Chat,
        ["-p", Trial::PROMPT, "--allow-all", "--no-color"],
    )
    // Its own switch: no login, no telemetry, no update.
    .env("COPILOT_OFFLINE", "true")
    .env("COPILOT_PROVIDER_BASE_URL", trial.url("/v1"))
    .env("COPILOT_PROVIDER_API_KEY", Trial::KEY)
    .env("COPILOT_MODEL", Trial::MODEL)
    .file(trial.home().join(".copilot/config.json"), trusted)
}

fn opencode(trial: &Trial) -> Launch {
    let model = format!("stand-in/{}", Trial::MODEL);
    let provider = json!({
        // It is part of the program.
        "npm": "@ai-sdk/openai-compatible",
        "name": "stand-in",
        "options": { "baseURL": trial.url("/v1"), "apiKey": Trial::KEY },
        "models": { Trial::MODEL: { "name": Trial::MODEL } },
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
        .env("OPENCODE_DISABLE_MODELS_FETCH", "true")
        .env("OPENCODE_DISABLE_AUTOUPDATE", "true")
        .env("OPENCODE_DISABLE_LSP_DOWNLOAD", "true")
        // It installs a package for its plugins, which work without it: a refusal is quicker than a time-out.
        .env("NPM_CONFIG_REGISTRY", trial.url("/npm"))
        .file(trial.home().join(".config/opencode/opencode.json"), config)
}

fn qwen(trial: &Trial) -> Launch {
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
        .env("OPENAI_BASE_URL", trial.url("/v1"))
        .env("OPENAI_API_KEY", Trial::KEY)
        .env("OPENAI_MODEL", Trial::MODEL)
        .file(trial.home().join(".qwen/settings.json"), settings)
}

fn cline(trial: &Trial) -> Launch {
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
    let file = trial.home().join(".cline/data/settings/providers.json");
    Launch::new(
        Dialect::Chat,
        ["-P", "openai-compatible", "-m", Trial::MODEL, Trial::PROMPT],
    )
    .env("CLINE_TELEMETRY_DISABLED", "1")
    .env("DO_NOT_TRACK", "1")
    .file(file, providers)
}
