//! `memory-server hooks package`: the folders that clients load as plugins, and what their entries do.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use super::user::{User, recorded};

fn package(user: &User, format: &str) -> PathBuf {
    let folder = user.home().join("plugins").join(format);
    let shown = folder.to_str().unwrap();
    let done = user.json(&["hooks", "package", "--format", format, shown, "--json"]);
    assert_eq!(done["format"], format);
    assert_eq!(done["plugin"], "memory");
    folder
}

fn json_of(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// The commands of a file of hooks.
fn commands(hooks: &Value, found: &mut Vec<String>) {
    match hooks {
        Value::Object(members) => {
            for (name, value) in members {
                match value.as_str().filter(|_| name == "command") {
                    Some(command) => found.push(command.to_owned()),
                    None => commands(value, found),
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|each| commands(each, found)),
        _ => {}
    }
}

/// Runs an entry as a client does, in a folder that is not the plugin's.
fn run(user: &User, command: &str, input: &[u8]) -> Value {
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .current_dir(user.project())
        .env_clear()
        .env("HOME", user.home())
        .env("PATH", user.programs())
        .env("MEMORY_DATABASE", user.database())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // An entry without its program reads nothing.
    _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{command}: {output:?}");
    match output.stdout.is_empty() {
        true => Value::Null,
        false => serde_json::from_slice(&output.stdout).unwrap(),
    }
}

#[cfg(unix)]
#[test]
fn the_entries_of_a_package_work_wherever_the_program_is_on_the_path() {
    let user = User::new();
    for (format, hooks, client, name) in [
        (
            "claude-plugin",
            "hooks/hooks.json",
            "claude-code",
            "PostToolUse.shell",
        ),
        (
            "codex-plugin",
            "hooks/hooks.json",
            "codex",
            "PostToolUse.shell",
        ),
        (
            "agent-plugins",
            "com.github.copilot/hooks/hooks.json",
            "copilot",
            "PostToolUse.shell",
        ),
        (
            "qwen-extension",
            "hooks/hooks.json",
            "qwen",
            "PostToolUse.shell",
        ),
    ] {
        let folder = package(&user, format);
        let moved = user.home().join("elsewhere").join(format);
        fs::create_dir_all(moved.parent().unwrap()).unwrap();
        fs::rename(&folder, &moved).unwrap();
        let mut found = Vec::new();
        commands(&json_of(&moved.join(hooks))["hooks"], &mut found);
        let after = "--event post_tool_use --id memory-server";
        let command = found
            .iter()
            .find(|command| command.ends_with(after))
            .unwrap();
        let input = recorded(client, name);
        // Without the program nothing happens, and nothing fails.
        assert_eq!(run(&user, command, &input), Value::Null, "{format}");
        let program = user.programs().join("memory-server");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_memory-server"), &program).unwrap();
        let answer = run(&user, command, &input).to_string();
        assert!(
            answer.contains("You just committed work"),
            "{format}: {answer}"
        );
        fs::remove_file(program).unwrap();
    }
}

#[test]
fn a_package_has_what_its_client_reads() {
    let user = User::new();
    let claude = package(&user, "claude-plugin");
    let manifest = json_of(&claude.join(".claude-plugin/plugin.json"));
    assert_eq!(manifest["name"], "memory");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    assert!(manifest["author"]["name"].is_string());
    let server = json_of(&claude.join(".mcp.json"));
    let entry = json!({
        "type": "stdio", "command": "memory-server", "args": ["serve"],
        "env": { "HOOKS_INSTALLED": "claude-code" },
    });
    assert_eq!(server, json!({ "mcpServers": { "memory": entry } }));

    let qwen = json_of(&package(&user, "qwen-extension").join("qwen-extension.json"));
    assert_eq!(
        qwen["mcpServers"]["memory"],
        json!({
            "command": "memory-server", "args": ["serve"], "env": { "HOOKS_INSTALLED": "qwen" },
        })
    );

    let agent = package(&user, "agent-plugins");
    // Both files say which version of the standard they follow, and have no other members.
    let schema = |name: &str| format!("https://agent-plugins.org/schemas/1.0.0/{name}.schema.json");
    let manifest = json_of(&agent.join("plugin.json"));
    assert_eq!(manifest["$schema"], schema("plugin"));
    let members = [
        "$schema",
        "author",
        "description",
        "license",
        "name",
        "version",
    ];
    let names: Vec<&String> = manifest.as_object().unwrap().keys().collect();
    assert_eq!(names, members);
    let servers = json_of(&agent.join("mcp.json"));
    assert_eq!(servers["$schema"], schema("mcp"));
    assert_eq!(servers.as_object().unwrap().len(), 2);

    // The server's skill is in every package, as it is served.
    for folder in [&claude, &agent] {
        let skill = fs::read_to_string(folder.join("skills/write-hooks/SKILL.md")).unwrap();
        assert!(skill.starts_with("---\nname: write-hooks\n"), "{skill}");
    }

    let wrong = user.run(&["hooks", "package", "--format", "claude", "x"], b"");
    assert_eq!(wrong.status.code(), Some(2));
    let said = String::from_utf8(wrong.stderr).unwrap();
    assert!(said.contains("'claude-plugin'"), "{said}");
}

#[test]
fn only_an_earlier_package_of_this_server_is_replaced() {
    let user = User::new();
    let folder = package(&user, "claude-plugin");
    let shown = folder.to_str().unwrap();
    let again = user.said(&["hooks", "package", "--format", "claude-plugin", shown]);
    assert!(again.contains("kept hooks/hooks.json"), "{again}");
    assert!(!again.contains("wrote"), "{again}");
    let other = user.said(&["hooks", "package", "--format", "agent-plugins", shown]);
    assert!(
        other.contains("removed .claude-plugin/plugin.json"),
        "{other}"
    );
    assert!(!folder.join(".claude-plugin").exists());

    let refused = |folder: &Path, why: &str| {
        let shown = folder.to_str().unwrap();
        let output = user.run(
            &["hooks", "package", "--format", "claude-plugin", shown],
            b"",
        );
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(why) && said.contains("help: "), "{said}");
    };
    fs::write(folder.join("NOTES"), "mine").unwrap();
    refused(&folder, "NOTES` is not a file of the package");
    let mine = user.home().join("mine");
    fs::create_dir(&mine).unwrap();
    fs::write(mine.join("plugin.json"), "{}").unwrap();
    refused(&mine, "is not a package of the server `memory`");
    refused(&user.project(), "is the current folder");
    assert_eq!(fs::read_to_string(mine.join("plugin.json")).unwrap(), "{}");
}
