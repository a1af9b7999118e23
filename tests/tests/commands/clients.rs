//! What differs from client to client: the scopes, the files that git tracks, the session, and what keeps hooks off.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use hooks_sdk::{clients::ALL, lifecycle::Event};
use serde_json::{Value, json};

use crate::user::{User, put_program, recorded};

/// A program on the user's PATH that runs this shell script.
fn script(user: &User, name: &str, script: &str) {
    let script = format!("#!/bin/sh\n{script}\n");
    put_program(&user.programs().join(name), "/dev/null", &script);
}

#[test]
fn copilot_tells_the_server_the_session_without_the_model() {
    let user = User::new();
    let event = ["--event", "preMcpToolCall"];
    // Its own recording names another server.
    let ask = |name: &str, server: &str| {
        let input = recorded("copilot/camel", name);
        let mut input: Value = serde_json::from_slice(&input).unwrap();
        input["serverName"] = json!(server);
        user.fire("copilot", &event, input.to_string().as_bytes())
    };
    let session = "00000000-0000-4000-8000-000000000001";
    let told = json!({"metaToUse": {"sessionId": session}});
    // A subagent's calls belong to its agent's session, and other servers learn nothing.
    for name in ["preMcpToolCall", "preMcpToolCall.subagent"] {
        assert_eq!(ask(name, "notes"), told);
        assert_eq!(ask(name, "another"), json!({}));
    }
}

#[test]
fn every_client_may_name_the_event_in_its_own_words() {
    let user = User::new();
    for client in ALL {
        for event in Event::ALL {
            for native in client.mapping(event).natives() {
                let fire = ["hooks", "fire", "--client", client.name, "--event", native];
                let output = user.run(&fire, br#"{"session_id": "s"}"#);
                let log = String::from_utf8_lossy(&output.stderr);
                assert!(!log.contains("no hook was fired"), "{native}: {log}");
            }
        }
    }
}

#[test]
fn the_local_scope_is_the_users_own_in_a_project() {
    let user = User::new();
    let local = ["--scope", "local"];
    let said = user.said(&[&["hooks", "install", "--client", "claude-code"], &local[..]].concat());
    assert!(said.starts_with("Installed in Claude Code.\n"), "{said}");
    let hooks = user.project().join(".claude/settings.local.json");
    assert!(fs::read_to_string(&hooks).unwrap().contains("hooks fire"));
    let servers = fs::read(user.home().join(".claude.json")).unwrap();
    let servers: Value = serde_json::from_slice(&servers).unwrap();
    let project = user.project().to_string_lossy().into_owned();
    let entry = &servers["projects"][&project]["mcpServers"]["notes"];
    assert_eq!(entry["args"][0], "serve");
    let doctor = user.said(&["hooks", "doctor", "--client", "claude-code"]);
    assert!(
        doctor.contains("local scope: entries are present and current"),
        "{doctor}"
    );
    user.said(
        &[
            &["hooks", "uninstall", "--client", "claude-code"],
            &local[..],
        ]
        .concat(),
    );
    assert!(!hooks.exists() && !user.home().join(".claude.json").exists());

    let said = user.said(&[&["hooks", "install", "--client", "copilot"], &local[..]].concat());
    let step =
        "It has no file for your own MCP servers in a project: the server must be in the scope";
    assert!(said.contains(step), "{said}");
    // A file of hooks begins with the version of its format. That of this scope is one of settings.
    let version = |file: PathBuf| -> Value {
        let file: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        file["version"].clone()
    };
    let settings = user.project().join(".github/copilot/settings.local.json");
    assert_eq!(version(settings), Value::Null);
    user.said(&["hooks", "install", "--client", "copilot"]);
    let hooks = user.home().join(".copilot/hooks/notes.json");
    assert_eq!(version(hooks.clone()), 1);
    user.said(&["hooks", "uninstall", "--client", "copilot"]);
    assert!(!hooks.exists());

    let install = [&["hooks", "install", "--client", "codex"], &local[..]].concat();
    let output = user.run(&install, b"");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("Codex CLI has no files of the scope `local`\nhelp: name one of its scopes: `user` or `project`"),
        "{error}"
    );
}

#[test]
fn a_file_that_git_tracks_is_named_before_it_is_written() {
    let user = User::new();
    let install = [
        "hooks", "install", "--client", "gemini", "--scope", "project",
    ];
    let dry = [&install[..], &["--dry-run"]].concat();
    let file = user.project().join(".gemini/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "{}\n").unwrap();
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .arg("-C")
            .arg(user.project())
            .args(arguments)
            .output();
        assert!(done.unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|path| path.is_file())
        .unwrap();
    let names = |said: &str| said.contains("git tracks /") || said.contains("which git tracks");
    // Without git nothing is said, nor of a file that git does not track.
    assert!(!names(&user.said(&dry)));
    std::os::unix::fs::symlink(real, user.programs().join("git")).unwrap();
    assert!(!names(&user.said(&dry)));
    git(&["add", "."]);
    let said = user.said(&dry);
    assert!(
        said.contains("everyone who has the repository gets the change\n---"),
        "{said}"
    );
    // A repository cannot have its own program run by that.
    git(&["config", "core.fsmonitor", "touch ran; false"]);
    let output = user.run(&install, b"");
    let first = String::from_utf8_lossy(&output.stderr);
    assert!(first.starts_with("note: git tracks /"), "{first}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("settings.json, which git tracks\n"), "{said}");
    assert!(!user.project().join("ran").exists());
    let again = user.json(&[&install[..], &["--json"]].concat());
    assert_eq!(again[0]["files"][0]["tracked"], false);
}

#[test]
fn doctor_says_what_keeps_hooks_off() {
    let user = User::new();
    let doctor = |client: &str| user.said(&["hooks", "doctor", "--client", client]);
    let off = "hooks are off: ";
    let write = |file: &Path, value: Value| {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, value.to_string()).unwrap();
    };
    let project = user.project().to_string_lossy().into_owned();
    for client in ["copilot", "qwen", "claude-code"] {
        assert!(!doctor(client).contains(off));
        user.said(&["hooks", "install", "--client", client, "--scope", "project"]);
    }
    let page = doctor("copilot");
    assert!(
        page.contains("hooks are off: the project is not in `trustedFolders`"),
        "{page}"
    );
    write(
        &user.home().join(".copilot/config.json"),
        json!({"trustedFolders": [project]}),
    );
    assert!(!doctor("copilot").contains(off));

    assert!(!doctor("qwen").contains(off));
    let trust = json!({"security": {"folderTrust": {"enabled": true}}});
    write(&user.home().join(".qwen/settings.json"), trust);
    let page = doctor("qwen");
    assert!(page.contains("hooks are off: folder trust is on"), "{page}");
    let trusted = user.home().join(".qwen/trustedFolders.json");
    write(&trusted, json!({&*project: "DO_NOT_TRUST"}));
    assert!(doctor("qwen").contains(off));
    write(&trusted, json!({&*project: "TRUST_FOLDER"}));
    assert!(!doctor("qwen").contains(off));

    let settings = user.project().join(".claude/settings.json");
    let mut with_switch: Value = serde_json::from_slice(&fs::read(&settings).unwrap()).unwrap();
    with_switch["disableAllHooks"] = json!(true);
    write(&settings, with_switch);
    for client in ["copilot", "claude-code"] {
        let page = doctor(client);
        assert!(
            page.contains("hooks are off: `disableAllHooks` in /"),
            "{page}"
        );
    }
}

#[test]
fn another_version_of_a_client_is_said_and_not_refused() {
    let user = User::new();
    for client in ALL {
        script(&user, client.program, "echo 0.0.1-other");
        let page = user.said(&["hooks", "doctor", "--client", client.name]);
        assert!(page.contains("installed: 0.0.1-other ("), "{page}");
        let tested = client.tested;
        assert!(
            page.contains(&format!("{tested}; another version may differ")),
            "{page}"
        );
        user.said(&["hooks", "install", "--client", client.name]);
    }
}
