//! What `memory-server hooks` says of itself, and what installed entries do when the program is gone.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;

use super::user::{User, finished, put_program, recorded};

#[test]
fn a_client_may_name_the_event_in_its_own_words() {
    let user = User::new();
    for (client, native) in [("claude-code", "SessionStart"), ("gemini", "SessionStart")] {
        let answer = user.fire(client, &["--event", native], br#"{"unknown": [1]}"#);
        assert!(answer.to_string().contains("session_init"), "{answer}");
    }
    let explain = [
        "hooks",
        "explain",
        "--event",
        "AfterTool",
        "--tool",
        "Bash",
        "--input",
        "git commit",
    ];
    assert_eq!(
        user.said(&explain).matches("fires: after_commit").count(),
        hooks_sdk::clients::ALL.len()
    );
}

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
    assert!(!user.database().with_file_name("hooks.db").exists());
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
    let copy = user.database().with_file_name("bin/memory-server");
    let program = format!("'{}'", copy.to_str().unwrap().replace('\'', r"'\''"));
    let program = serde_json::to_string(&program).unwrap();
    let program = program.trim_matches('"');

    // Another machine's project.
    fs::write(&file, installed.replace(program, "/no/such/memory-server")).unwrap();
    let page = doctor();
    assert!(
        page.contains("entries start /no/such/memory-server, which does not exist"),
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

#[test]
fn doctor_names_the_command_that_mends_an_entry_of_codex_without_its_limit() {
    for (scope, command) in [
        ("user", "hooks install --client codex"),
        ("project", "hooks install --client codex --scope project"),
    ] {
        let user = User::new();
        let arguments: Vec<&str> = command.split(' ').collect();
        let doctor = || user.said(&["hooks", "doctor", "--client", "codex"]);
        user.said(&arguments);
        assert!(doctor().contains(&format!("{scope} scope: entries are present and current")));
        let root = if scope == "user" {
            user.home()
        } else {
            user.project()
        };
        let file = root.join(".codex/hooks.json");
        let installed = fs::read_to_string(&file).unwrap();
        let mut old: Value = serde_json::from_str(&installed).unwrap();
        let mut limits = 0;
        for groups in old["hooks"].as_object_mut().unwrap().values_mut() {
            for group in groups.as_array_mut().unwrap() {
                for hook in group["hooks"].as_array_mut().unwrap() {
                    let limit = hook
                        .as_object_mut()
                        .unwrap()
                        .remove("additionalContextLimit");
                    limits += usize::from(limit.is_some());
                }
            }
        }
        assert!(limits > 0, "{installed}");
        fs::write(&file, old.to_string()).unwrap();
        let page = doctor();
        let said =
            format!("{scope} scope: entries are missing or out of date: run `{command}` again");
        assert!(page.contains(&said), "{page}");
        user.said(&arguments);
        assert!(doctor().contains(&format!("{scope} scope: entries are present and current")));
        let mended = fs::read_to_string(&file).unwrap();
        assert_eq!(mended.matches("additionalContextLimit").count(), limits);
    }
}

#[cfg(unix)]
#[test]
fn doctor_runs_no_program_that_came_with_a_project() {
    let user = User::new();
    let theirs = user.project().join("memory-server");
    put_program(&theirs, "/dev/null", "#!/bin/sh\ntouch ran\n");
    // With our id, as after somebody's change of a file that we wrote, with a record and without one.
    let command = format!(
        "'{}' hooks fire --client claude-code --id memory-server",
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
fn a_program_that_is_gone_harms_no_client() {
    for folder in [
        "plain",
        "it's a $HOME \"place\"",
        "Zoë ü; exit 3",
        "a\\b `date` *",
    ] {
        let user = User::new();
        let at = user.home().join(folder);
        fs::create_dir_all(&at).unwrap();
        let database = at.join("memory.db");
        let install = ["hooks", "install", "--client", "gemini"];
        let program = Path::new(env!("CARGO_BIN_EXE_memory-server"));
        let mut install = user.process(program, &install);
        let done = finished(install.env("MEMORY_DATABASE", &database), b"");
        assert!(done.status.success(), "{done:?}");
        let settings = fs::read(user.home().join(".gemini/settings.json")).unwrap();
        let settings: Value = serde_json::from_slice(&settings).unwrap();
        let command = settings["hooks"]["AfterTool"][0]["hooks"][0]["command"]
            .as_str()
            .unwrap()
            .to_owned();
        let run = || {
            let mut shell = Command::new("sh")
                .args(["-c", &command])
                .env("MEMORY_DATABASE", &database)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            // A shell that has ended reads nothing.
            _ = shell
                .stdin
                .take()
                .unwrap()
                .write_all(&recorded("gemini", "AfterTool.shell"));
            shell.wait_with_output().unwrap()
        };
        let answer = run();
        assert!(
            String::from_utf8_lossy(&answer.stdout).contains("You just committed"),
            "{command}"
        );
        fs::remove_file(at.join("bin/memory-server")).unwrap();
        let gone = run();
        assert!(gone.status.success(), "{command}: {gone:?}");
        assert!(
            gone.stdout.is_empty() && gone.stderr.is_empty(),
            "{command}: {gone:?}"
        );
    }
}
