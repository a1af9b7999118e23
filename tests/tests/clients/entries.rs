//! What is written into the clients' files, and which those are.

use std::path::Path;

use hooks_sdk::{
    clients::{ALL, InstallScope, Place},
    lifecycle::Event,
};
use serde_json::json;

use crate::recorded::client;

#[test]
fn entries_have_the_clients_form() {
    let entry = |word: &str, event| client(word).hook_entry(event, "memory", "run it");
    let seconds = |timeout: u32| json!({"hooks": [{"type": "command", "command": "run it", "timeout": timeout}]});
    for event in Event::ALL {
        assert_eq!(entry("claude-code", event), seconds(10));
        let mut codex = seconds(if event == Event::SessionEnd { 3 } else { 10 });
        // In tokens of four bytes. Codex CLI does not apply it to the reason of `Stop`.
        if !matches!(event, Event::SessionEnd | Event::PostRequest) {
            codex["hooks"][0]["additionalContextLimit"] = 32_000.into();
        }
        assert_eq!(entry("codex", event), codex);
        let gemini = json!({"hooks": [{
            "name": format!("memory {event}"), "type": "command", "command": "run it", "timeout": 10_000,
        }]});
        assert_eq!(entry("gemini", event), gemini);
        let copilot = json!({"type": "command", "command": "run it", "timeoutSec": 10});
        assert_eq!(entry("copilot", event), copilot);
        assert_eq!(entry("qwen", event), seconds(10));
        let flat = json!({"type": "command", "command": "run it", "timeout": 10});
        assert_eq!(entry("cursor", event), flat);
    }
}

#[test]
fn servers_have_the_clients_form() {
    let entry = |word: &str| client(word).server_entry("/bin/memory", &["serve".to_owned()]);
    let plain = json!({"command": "/bin/memory", "args": ["serve"]});
    assert_eq!(entry("codex"), plain);
    assert_eq!(entry("gemini"), plain);
    assert_eq!(entry("qwen"), plain);
    assert_eq!(entry("cline"), plain);
    let list = json!({"type": "local", "command": ["/bin/memory", "serve"], "enabled": true});
    assert_eq!(entry("opencode"), list);
    let stdio = json!({"type": "stdio", "command": "/bin/memory", "args": ["serve"]});
    assert_eq!(entry("claude-code"), stdio);
}

#[test]
fn files_are_the_clients() {
    let place = Place::new("/home/é x", "/w");
    let moved = place.clone().moved("CODEX_HOME", "/codex");
    let check = |word: &str, scope, place: &Place, hooks: &str, servers: &str, member: &str| {
        let client = client(word);
        assert_eq!(client.hooks_file(scope, place, "memory"), Path::new(hooks));
        let (file, members) = client.servers_file(scope, place).expect("a file");
        assert_eq!(file, Path::new(servers));
        assert_eq!(members, member.split('>').collect::<Vec<_>>());
    };
    let (user, project) = (InstallScope::User, InstallScope::Project);
    let local = InstallScope::Local;
    check(
        "claude-code",
        user,
        &place,
        "/home/é x/.claude/settings.json",
        "/home/é x/.claude.json",
        "mcpServers",
    );
    check(
        "claude-code",
        project,
        &place,
        "/w/.claude/settings.json",
        "/w/.mcp.json",
        "mcpServers",
    );
    check(
        "claude-code",
        local,
        &place,
        "/w/.claude/settings.local.json",
        "/home/é x/.claude.json",
        "projects>/w>mcpServers",
    );
    check(
        "copilot",
        user,
        &place,
        "/home/é x/.copilot/hooks/memory.json",
        "/home/é x/.copilot/mcp-config.json",
        "mcpServers",
    );
    check(
        "copilot",
        project,
        &place,
        "/w/.github/hooks/memory.json",
        "/w/.mcp.json",
        "mcpServers",
    );
    let copilot = client("copilot");
    assert_eq!(copilot.servers_file(local, &place), None);
    let file = copilot.hooks_file(local, &place, "memory");
    assert_eq!(file, Path::new("/w/.github/copilot/settings.local.json"));
    check(
        "qwen",
        project,
        &place,
        "/w/.qwen/settings.json",
        "/w/.qwen/settings.json",
        "mcpServers",
    );
    check(
        "codex",
        user,
        &place,
        "/home/é x/.codex/hooks.json",
        "/home/é x/.codex/config.toml",
        "mcp_servers",
    );
    check(
        "codex",
        user,
        &moved,
        "/codex/hooks.json",
        "/codex/config.toml",
        "mcp_servers",
    );
    check(
        "codex",
        project,
        &moved,
        "/w/.codex/hooks.json",
        "/w/.codex/config.toml",
        "mcp_servers",
    );
    check(
        "gemini",
        user,
        &place,
        "/home/é x/.gemini/settings.json",
        "/home/é x/.gemini/settings.json",
        "mcpServers",
    );
    check(
        "gemini",
        project,
        &place,
        "/w/.gemini/settings.json",
        "/w/.gemini/settings.json",
        "mcpServers",
    );
}

#[test]
fn opencode_and_cline_have_files_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let place = Place::new(root.join("home"), root.join("w"));
    let moved = place.clone().moved("XDG_CONFIG_HOME", "/settings");
    let (user, project) = (InstallScope::User, InstallScope::Project);
    let opencode = client("opencode");
    for (scope, place, hooks, servers) in [
        (
            user,
            &place,
            "home/.config/opencode/plugins",
            "home/.config/opencode/opencode.json",
        ),
        (project, &place, "w/.opencode/plugins", "w/opencode.json"),
        (
            user,
            &moved,
            "/settings/opencode/plugins",
            "/settings/opencode/opencode.json",
        ),
    ] {
        let hooks = root.join(hooks).join("my_desk-hooks.js");
        assert_eq!(opencode.hooks_file(scope, place, "my desk"), hooks);
        let (file, path) = opencode.servers_file(scope, place).expect("a file");
        assert_eq!((file, path), (root.join(servers), vec!["mcp".to_owned()]));
    }
    // With comments, if only that is there.
    let with_comments = root.join("w/opencode.jsonc");
    std::fs::create_dir(root.join("w")).expect("made");
    std::fs::write(&with_comments, "{}").expect("written");
    let file = || opencode.servers_file(project, &place).expect("a file").0;
    assert_eq!(file(), with_comments);
    std::fs::write(root.join("w/opencode.json"), "{}").expect("written");
    assert_eq!(file(), root.join("w/opencode.json"));

    let cline = client("cline");
    let plugin = root.join("w/.cline/plugins/memory-hooks.js");
    assert_eq!(cline.hooks_file(project, &place, "memory"), plugin);
    let (file, path) = cline.servers_file(user, &place).expect("a file");
    let expected = root.join("home/.cline/data/settings/cline_mcp_settings.json");
    assert_eq!((file, path), (expected, vec!["mcpServers".to_owned()]));
    assert_eq!(cline.servers_file(project, &place), None);
}

#[test]
fn what_people_have_to_know_is_said() {
    for scope in [InstallScope::User, InstallScope::Project] {
        let step = client("codex").steps[scope as usize];
        assert!(step.unwrap().contains("`/hooks`"));
        assert_eq!(client("claude-code").steps[scope as usize], None);
    }
    let others = ALL.iter().map(|client| client.also_read_by.len());
    assert_eq!(others.sum::<usize>(), 6);
}
