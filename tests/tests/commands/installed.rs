//! What `hooks explain` and `hooks doctor` say of entries that are installed.

use std::fs;

use serde_json::Value;

use crate::user::{User, initialize, put_program, recorded, run_with};

#[test]
fn what_a_client_wrote_is_explained() {
    let user = User::new();
    let explain = |client: &str, event: &str| {
        let arguments = ["hooks", "explain", "--client", client, "--stdin"];
        let output = user.run(&arguments, &recorded(client, event));
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for (client, event) in [
        ("claude-code", "PostToolUse.shell"),
        ("gemini", "AfterTool.shell"),
    ] {
        let page = explain(client, event);
        assert!(page.contains("fires: after_commit"), "{page}");
    }
    let page = explain("codex", "SessionEnd");
    assert!(
        page.contains("skipped: session_ending: no text reaches the agent there"),
        "{page}"
    );
    // Nothing was recorded by that, and nothing is claimed.
    assert!(!user.data().join("hooks.db").exists());
    let page = user.run(&["hooks", "explain", "--client", "codex", "--stdin"], b"{}");
    assert_eq!(page.status.code(), Some(1));
}

#[test]
fn doctor_runs_the_command_that_is_installed() {
    let user = User::new();
    let doctor = || user.said(&["hooks", "doctor", "--client", "claude-code"]);
    let page = doctor();
    assert!(page.contains("user scope: not installed"), "{page}");
    user.said(&["hooks", "install", "--client", "claude-code"]);
    assert!(doctor().contains("the command answers in"));
    assert!(doctor().contains("holds only in memory"));
    let file = user.home().join(".claude/settings.json");
    let installed = fs::read_to_string(&file).unwrap();
    let copy = user.data().join("bin/notebook");
    let program = format!("'{}'", copy.to_str().unwrap().replace('\'', r"'\''"));
    let program = serde_json::to_string(&program).unwrap();
    let program = program.trim_matches('"');

    // Another machine's project.
    fs::write(&file, installed.replace(program, "/no/such/notebook")).unwrap();
    let page = doctor();
    assert!(
        page.contains("entries start /no/such/notebook, which does not exist"),
        "{page}"
    );
    assert!(page.contains("the command does not work"), "{page}");

    let old = format!("test -x {program} || exit 0; exec {program} ");
    fs::write(&file, installed.replace(&old, &format!("{program} "))).unwrap();
    let page = doctor();
    assert!(
        page.contains("out of date: run `hooks install --client claude-code` again"),
        "{page}"
    );
    assert!(page.contains("the command answers in"), "{page}");
    user.said(&["hooks", "install", "--client", "claude-code"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), installed);

    fs::write(
        &file,
        installed.replace(
            "hooks fire --client claude-code",
            "hooks fire --client claude-code --x",
        ),
    )
    .unwrap();
    assert!(doctor().contains("out of date"));
    user.said(&["hooks", "install", "--client", "claude-code"]);
    user.said(&[
        "hooks",
        "install",
        "--client",
        "claude-code",
        "--scope",
        "project",
    ]);
    assert!(doctor().contains("starts 2 processes, and one of them answers"));
}

/// Removes a member wherever it is.
fn remove(value: &mut Value, name: &str) {
    match value {
        Value::Object(members) => {
            members.remove(name);
            members.values_mut().for_each(|value| remove(value, name));
        }
        Value::Array(all) => all.iter_mut().for_each(|value| remove(value, name)),
        _ => {}
    }
}

#[test]
fn doctor_names_the_command_that_mends_an_entry_of_codex_without_its_limit() {
    for (scope, command) in [
        ("user", "hooks install --client codex"),
        ("project", "hooks install --client codex --scope project"),
    ] {
        let user = User::new();
        let arguments: Vec<&str> = command.split(' ').collect();
        let doctor = || user.said(&["hooks", "doctor", "--client", "codex"]);
        let current = format!("{scope} scope: entries are present and current");
        user.said(&arguments);
        assert!(doctor().contains(&current));
        let root = if scope == "user" {
            user.home()
        } else {
            user.project()
        };
        let file = root.join(".codex/hooks.json");
        let installed = fs::read_to_string(&file).unwrap();
        let limit = "additionalContextLimit";
        let limits = |file: &str| file.matches(limit).count();
        assert!(limits(&installed) > 0, "{installed}");
        let mut old: Value = serde_json::from_str(&installed).unwrap();
        remove(&mut old, limit);
        fs::write(&file, old.to_string()).unwrap();
        let page = doctor();
        let said =
            format!("{scope} scope: entries are missing or out of date: run `{command}` again");
        assert!(page.contains(&said), "{page}");
        user.said(&arguments);
        assert!(doctor().contains(&current));
        let mended = fs::read_to_string(&file).unwrap();
        assert_eq!(limits(&mended), limits(&installed));
    }
}

#[test]
fn doctor_runs_no_program_that_came_with_a_project() {
    let user = User::new();
    let theirs = user.project().join("notebook");
    put_program(&theirs, "/dev/null", "#!/bin/sh\ntouch ran\n");
    // With our id, as after somebody's change of a file that we wrote, with a record and without one.
    let command = format!(
        "'{}' hooks fire --client claude-code --id notebook",
        theirs.display()
    );
    let settings = serde_json::json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}});
    fs::create_dir_all(user.project().join(".claude")).unwrap();
    fs::write(
        user.project().join(".claude/settings.json"),
        settings.to_string(),
    )
    .unwrap();
    for recorded in [false, true] {
        if recorded {
            user.said(&[
                "hooks",
                "install",
                "--client",
                "claude-code",
                "--scope",
                "project",
            ]);
            fs::write(
                user.project().join(".claude/settings.json"),
                settings.to_string(),
            )
            .unwrap();
        }
        let page = user.said(&["hooks", "doctor", "--client", "claude-code"]);
        assert!(
            page.contains("project scope: entries are missing or out of date"),
            "{page}"
        );
        assert!(!user.project().join("ran").exists());
    }
}

#[test]
fn doctor_starts_the_server_that_clients_start() {
    let user = User::new();
    let doctor = |has: &str, arguments: &[&str]| {
        let variables = [("NOTEBOOK_HAS", has.into())];
        run_with(
            &user,
            &variables,
            &[&["hooks", "doctor"], arguments].concat(),
        )
    };
    let one = ["--client", "claude-code"];
    let without = "a machine without its tool";
    // Nothing is installed, and nothing is started.
    let (code, page, _) = doctor(without, &one);
    assert!(code == 0 && !page.contains("the server"), "{page}");
    user.said(&["hooks", "install", "claude-code", "--no-server"]);
    let (code, page, _) = doctor(without, &one);
    assert!(code == 0 && !page.contains("the server"), "{page}");

    user.said(&["hooks", "install", "claude-code"]);
    let (code, page, _) = doctor("", &one);
    assert!(
        code == 0 && page.contains("\n  the server answers in "),
        "{page}"
    );
    let (code, page, _) = doctor(without, &one);
    let found = "\n  the server does not start: it ended with exit status: 1\n    error: ";
    let reason = "the session moves on with `sign_in`, and `get_tool` of this server knows no tool of the session's";
    assert!(
        code == 1 && page.contains(found) && page.contains(reason),
        "{page}"
    );
    let (_, json, _) = doctor(without, &["--json"]);
    let all: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&all[0]["works"], all[1].get("server")),
        (&false.into(), None)
    );
    let error = all[0]["server"]["Err"].as_str().unwrap();
    assert!(error.contains("sign_in"), "{error}");
}

#[test]
fn doctor_starts_the_server_with_the_variables_of_its_entry() {
    let user = User::new();
    let doctor = |has: &str| {
        let variables = [("NOTEBOOK_HAS", has.into())];
        run_with(
            &user,
            &variables,
            &["hooks", "doctor", "--client", "claude-code"],
        )
    };
    user.said(&["hooks", "install", "claude-code"]);
    let file = user.home().join(".claude.json");
    let mut settings: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    for (of_entry, of_doctor, answers) in [
        ("", "a machine without its tool", true),
        ("a machine without its tool", "", false),
        // The client puts its own variable there, which is that of `doctor`.
        ("${NOTEBOOK_HAS}", "", true),
    ] {
        settings["mcpServers"]["notes"]["env"] = serde_json::json!({ "NOTEBOOK_HAS": of_entry });
        fs::write(&file, settings.to_string()).unwrap();
        let (code, page, _) = doctor(of_doctor);
        let said = match answers {
            true => "\n  the server answers in ",
            false => "\n  the server does not start: it ended with exit status: 1\n    error: ",
        };
        assert!(page.contains(said) && code == i32::from(!answers), "{page}");
    }
}

#[test]
fn serve_logs_the_collected_hooks_once() {
    let user = User::new();
    let output = user.run(&["serve"], format!("{}\n", initialize()).as_bytes());
    let log = String::from_utf8(output.stderr).unwrap();
    assert_eq!(log.matches("collected hooks").count(), 1, "{log}");
}
