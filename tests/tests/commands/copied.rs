//! `hooks install` copies the program: the entries start the copy, which stays where the program itself vanishes.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Stdio,
    sync::atomic::{AtomicU64, Ordering},
};

use serde_json::Value;

use crate::user::{PROGRAM, User, finished, put_program, recorded};

/// What a client writes at the start of a session, by its name, and the file of its entries.
const CLIENTS: [(&str, &str, &str); 5] = [
    ("claude-code", "SessionStart", ".claude/settings.json"),
    ("codex", "SessionStart", ".codex/hooks.json"),
    ("gemini", "SessionStart", ".gemini/settings.json"),
    ("qwen", "SessionStart", ".qwen/settings.json"),
    ("copilot", "SessionStart", ".copilot/hooks/notes.json"),
];

static SESSIONS: AtomicU64 = AtomicU64::new(0);

/// A user who runs the program by `npx`.
struct Npx {
    user: User,
    cache: PathBuf,
    program: PathBuf,
}

impl Npx {
    fn new() -> Npx {
        let user = User::new();
        let cache = user.home().join(".npm/_npx");
        let program = cache.join("b24/node_modules/@it's/memory-linux-x64/bin/notebook");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        put_program(&program, PROGRAM, "");
        Npx {
            user,
            cache,
            program,
        }
    }

    fn folder(&self) -> PathBuf {
        self.user.data().join("bin")
    }

    fn copy(&self) -> PathBuf {
        self.folder().join("notebook")
    }

    /// Runs a program, and returns its exit code, its standard output and its standard error.
    fn run(&self, program: &Path, arguments: &[&str]) -> (i32, String, String) {
        let output = finished(&mut self.user.process(program, arguments), b"");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = output.status.code().unwrap();
        (code, text(&output.stdout), text(&output.stderr))
    }

    fn said(&self, program: &Path, arguments: &[&str]) -> String {
        let (code, said, errors) = self.run(program, arguments);
        // `doctor` ends with 1 if something does not work.
        let most = i32::from(arguments[1] == "doctor");
        assert!(code <= most, "{arguments:?}: {errors}");
        said
    }

    fn install(&self, client: &str) -> String {
        self.said(&self.program, &["hooks", "install", "--client", client])
    }

    fn file(&self, client: &str) -> PathBuf {
        let row = CLIENTS.iter().find(|row| row.0 == client).unwrap();
        self.user.home().join(row.2)
    }

    /// The entries of a client's file at an event.
    fn commands(&self, client: &str, event: &str) -> Vec<String> {
        let file = fs::read_to_string(self.file(client)).unwrap();
        let file: Value = serde_json::from_str(&file).unwrap();
        let mut commands = Vec::new();
        for entry in file["hooks"][event].as_array().unwrap() {
            let grouped = entry["hooks"].as_array();
            let all = grouped.map_or_else(|| vec![entry.clone()], Vec::clone);
            commands.extend(
                all.iter()
                    .map(|it| it["command"].as_str().unwrap().to_owned()),
            );
        }
        commands
    }

    /// Runs the entries at the start of a session as the client does, and returns what they print.
    fn begin(&self, client: &str, event: &str) -> String {
        let mut said = String::new();
        for command in self.commands(client, event) {
            let mut input: Value =
                serde_json::from_slice(&recorded(client, "SessionStart")).unwrap();
            for name in ["session_id", "sessionId"] {
                if input.get(name).is_some() {
                    // A session that is known is not answered twice.
                    let number = SESSIONS.fetch_add(1, Ordering::Relaxed);
                    input[name] = format!("session-{number}").into();
                }
            }
            let mut shell = self.user.process(Path::new("/bin/sh"), &["-c", &command]);
            let output = finished(&mut shell, input.to_string().as_bytes());
            assert!(output.status.success(), "{command}: {output:?}");
            let log = String::from_utf8_lossy(&output.stderr);
            assert!(log.is_empty(), "{command}: {log}");
            said.push_str(&String::from_utf8(output.stdout).unwrap());
        }
        said
    }

    /// Another version of the program, as a package of npm brings it.
    fn another_version(&self) {
        fs::remove_file(&self.program).unwrap();
        put_program(&self.program, PROGRAM, "another version");
    }
}

#[test]
fn the_texts_arrive_after_the_cache_is_gone_and_an_uninstallation_leaves_nothing() {
    let npx = Npx::new();
    fs::create_dir_all(npx.file("claude-code").parent().unwrap()).unwrap();
    let before = "{  \"model\":\"opus\"\n\n}";
    fs::write(npx.file("claude-code"), before).unwrap();
    for (client, ..) in CLIENTS {
        let page = npx.install(client);
        let copied = match client {
            "claude-code" => format!("  copied the program to {}\n", npx.copy().display()),
            _ => format!(
                "  the copy {} of the program is up to date\n",
                npx.copy().display()
            ),
        };
        assert!(page.contains(&copied), "{page}");
        assert!(!page.contains("warning: "), "{page}");
    }
    let mode = fs::metadata(npx.copy()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    fs::remove_dir_all(&npx.cache).unwrap();
    for (client, event, _) in CLIENTS {
        let said = npx.begin(client, event);
        assert!(said.contains("session_init"), "{client}: {said}");
        let page = npx.said(&npx.copy(), &["hooks", "doctor", "--client", client]);
        assert!(
            page.contains("user scope: entries are present and current\n"),
            "{page}"
        );
        assert!(page.contains("the command answers in"), "{page}");
        assert!(!page.contains("npx"), "{page}");
    }
    let servers = fs::read_to_string(npx.user.home().join(".claude.json")).unwrap();
    let servers: Value = serde_json::from_str(&servers).unwrap();
    assert_eq!(
        servers["mcpServers"]["notes"]["command"],
        *npx.copy().to_string_lossy()
    );
    // The copy stays until the last client is gone, also if it is the one that runs.
    for (at, (client, ..)) in CLIENTS.iter().enumerate() {
        assert!(npx.copy().exists());
        let page = npx.said(&npx.copy(), &["hooks", "uninstall", "--client", client]);
        let removed = format!(
            "  removed {}, which no client starts any more\n",
            npx.copy().display()
        );
        assert_eq!(page.contains(&removed), at + 1 == CLIENTS.len(), "{page}");
    }
    assert!(!npx.folder().exists());
    assert_eq!(fs::read_to_string(npx.file("claude-code")).unwrap(), before);
    assert!(!npx.file("codex").exists());
    let left: Vec<_> = fs::read_dir(npx.user.data())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.contains(".db"))
        .collect();
    assert_eq!(left, ["installs"]);
}

#[test]
fn a_program_that_is_gone_is_said_at_the_start_of_a_session_only() {
    let npx = Npx::new();
    for (client, event, file) in CLIENTS {
        npx.install(client);
        let after_tool = match client {
            "gemini" => "AfterTool",
            _ => "PostToolUse",
        };
        fs::remove_file(npx.copy()).unwrap();
        let said = npx.begin(client, event);
        let answer: Value = serde_json::from_str(&said).unwrap();
        let text = answer["hookSpecificOutput"]["additionalContext"].as_str();
        let text = text.or(answer["additionalContext"].as_str()).unwrap();
        let expected = format!(
            "The hooks of the MCP server `notes` do not run, because their program {} does not exist: tell the user to \
             install the server again, or to remove its entries from {}.",
            npx.copy().display(),
            npx.user.home().join(file).display()
        );
        assert_eq!(text, expected, "{client}");
        assert_eq!(npx.begin(client, after_tool), "", "{client}");
        let page = npx.said(&npx.program, &["hooks", "doctor", "--client", client]);
        assert!(page.contains("which does not exist: run"), "{page}");
        assert!(page.contains("the command does not work: "), "{page}");
        npx.install(client);
        assert!(npx.begin(client, event).contains("session_init"));
        // A project's files are for computers without the program, too.
        let project = ["hooks", "install", "--client", client, "--scope", "project"];
        npx.said(&npx.program, &project);
        let own = fs::read_to_string(npx.file(client)).unwrap();
        assert!(own.contains("printf"), "{own}");
    }
    let project = fs::read_to_string(npx.user.project().join(".claude/settings.json")).unwrap();
    assert!(!project.contains("printf"), "{project}");
}

#[test]
fn an_update_replaces_the_copy_once_the_new_one_answers() {
    let npx = Npx::new();
    npx.install("claude-code");
    let first = fs::read(npx.copy()).unwrap();
    // A client has the server open, and another one runs a hook.
    let mut serving = npx.user.process(&npx.copy(), &["serve"]).spawn().unwrap();
    npx.another_version();
    let page = npx.install("claude-code");
    assert!(page.contains("copied the program to"), "{page}");
    assert!(
        page.starts_with("Already installed in Claude Code.\n"),
        "{page}"
    );
    assert_ne!(fs::read(npx.copy()).unwrap(), first);
    assert!(serving.try_wait().unwrap().is_none());
    drop(serving.stdin.take());
    assert!(serving.wait().unwrap().success());
    assert!(
        npx.begin("claude-code", "SessionStart")
            .contains("session_init")
    );
    let names: Vec<_> = fs::read_dir(npx.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["notebook"]);
}

#[test]
fn a_copy_that_cannot_be_written_leaves_everything_and_is_named() {
    let npx = Npx::new();
    // A folder has the name of the copy.
    fs::create_dir_all(npx.copy().join("x")).unwrap();
    let install = ["hooks", "install", "--client", "codex"];
    let (code, _, error) = npx.run(&npx.program, &install);
    assert_eq!(code, 1);
    assert!(error.contains("cannot copy the program"), "{error}");
    assert!(!npx.file("codex").exists());
    assert_eq!(fs::read_dir(npx.folder()).unwrap().count(), 1);
    fs::remove_dir_all(npx.folder()).unwrap();
    fs::write(npx.folder(), "a file").unwrap();
    let (code, _, error) = npx.run(&npx.program, &install);
    assert_eq!(code, 1);
    assert!(error.contains("cannot copy the program"), "{error}");
    assert!(!npx.file("codex").exists());
}

#[test]
fn a_copy_that_has_no_room_is_not_half_written() {
    let npx = Npx::new();
    // A limit of 1 MB for each file is a disk that is full at once. The system ends a program that does not ignore its signal.
    let installs = |ignored: &str| {
        let script = format!(
            "{ignored} ulimit -c 0; ulimit -f 1024; exec \"$0\" hooks install --client codex"
        );
        let program = npx.program.to_str().unwrap();
        let mut shell = npx
            .user
            .process(Path::new("/bin/bash"), &["-c", &script, program]);
        finished(&mut shell, b"")
    };
    let refused = || {
        let output = installs("trap '' XFSZ;");
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        let expected = format!("error: {}: cannot copy the program: ", npx.copy().display());
        assert!(error.starts_with(&expected), "{error}");
        assert!(
            error.contains("\nhelp: raise the limit of a file's size"),
            "{error}"
        );
    };
    refused();
    assert!(!npx.folder().exists() && !npx.file("codex").exists());
    assert_eq!(installs("").status.code(), None);
    assert!(!npx.copy().exists() && !npx.file("codex").exists());
    refused();
    assert!(!npx.folder().exists(), "the half of a copy stays");

    npx.install("codex");
    let (copy, entries) = (
        fs::read(npx.copy()).unwrap(),
        fs::read(npx.file("codex")).unwrap(),
    );
    npx.another_version();
    assert_eq!(installs("").status.code(), None);
    refused();
    assert_eq!(fs::read(npx.copy()).unwrap(), copy);
    assert_eq!(fs::read(npx.file("codex")).unwrap(), entries);
    assert_eq!(fs::read_dir(npx.folder()).unwrap().count(), 1);
    assert!(npx.begin("codex", "SessionStart").contains("session_init"));
    assert!(npx.install("codex").contains("copied the program to"));
}

#[test]
fn a_dry_run_and_a_failed_installation_leave_no_copy() {
    let npx = Npx::new();
    let dry = ["hooks", "install", "--client", "claude-code", "--dry-run"];
    let page = npx.said(&npx.program, &dry);
    let copied = format!(
        "  the program would be copied to {}\n",
        npx.copy().display()
    );
    assert!(page.contains(&copied), "{page}");
    assert!(!npx.folder().exists() && !npx.file("claude-code").exists());
    fs::create_dir_all(npx.file("claude-code").parent().unwrap()).unwrap();
    fs::write(npx.file("claude-code"), "{ \"hooks\": ").unwrap();
    let (code, _, _) = npx.run(
        &npx.program,
        &["hooks", "install", "--client", "claude-code"],
    );
    assert_eq!(code, 1);
    assert!(!npx.folder().exists());
}

#[test]
fn doctor_names_a_copy_of_another_build() {
    let npx = Npx::new();
    npx.install("claude-code");
    let doctor = ["hooks", "doctor", "--client", "claude-code"];
    let another = format!(
        "{}, a copy of another build of this program: run `hooks install --client claude-code` again",
        npx.copy().display()
    );
    let page = npx.said(&npx.program, &doctor);
    assert!(
        page.contains(
            "entries are present and current
"
        ),
        "{page}"
    );
    assert!(!page.contains(&another), "{page}");
    npx.another_version();
    let page = npx.said(&npx.program, &doctor);
    assert!(page.contains(&another), "{page}");
    npx.install("claude-code");
    let page = npx.said(&npx.program, &doctor);
    assert!(!page.contains(&another), "{page}");
}

#[test]
fn a_link_into_the_cache_and_two_at_once_end_with_one_whole_copy() {
    let npx = Npx::new();
    let link = npx.user.programs().join("notebook");
    symlink(&npx.program, &link).unwrap();
    // A folder of the data is a link, and an earlier process died while it copied.
    let elsewhere = npx.user.home().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::create_dir_all(npx.folder().parent().unwrap()).unwrap();
    symlink(&elsewhere, npx.folder()).unwrap();
    fs::write(elsewhere.join(".notebook.x.tmp"), "half").unwrap();
    let spawn = |client: &str| {
        let install = ["hooks", "install", "--client", client];
        let mut process = npx.user.process(&link, &install);
        process.stdin(Stdio::null()).spawn().unwrap()
    };
    let all = ["claude-code", "codex", "gemini"].map(spawn);
    for child in all {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(fs::read(npx.copy()).unwrap(), fs::read(PROGRAM).unwrap());
    let names: Vec<_> = fs::read_dir(&elsewhere)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["notebook"]);
    for client in ["claude-code", "codex", "gemini"] {
        assert!(npx.begin(client, "SessionStart").contains("session_init"));
    }
}
