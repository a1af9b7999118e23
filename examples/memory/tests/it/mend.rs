//! `hooks install --keep-current`: a session's start mends the entries of a program that changed or moved.
#![cfg(unix)]

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, SystemTime},
};

use serde_json::Value;

use super::user::{User, finished, put_program, recorded};

const FIRE: [&str; 4] = ["hooks", "fire", "--client", "claude-code"];

/// What Claude Code writes when another session begins.
fn session() -> Vec<u8> {
    static SESSIONS: AtomicU64 = AtomicU64::new(0);
    let input = recorded("claude-code", "SessionStart");
    let mut input: Value = serde_json::from_slice(&input).unwrap();
    let number = SESSIONS.fetch_add(1, Ordering::Relaxed);
    input["session_id"] = format!("session-{number}").into();
    input.to_string().into_bytes()
}

/// A user with a copy of the program, whose file can change.
struct Keeper {
    user: User,
    program: PathBuf,
}

impl Keeper {
    fn new() -> Keeper {
        let user = User::new();
        let program = user.home().join("opt/memory-server");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        put_program(&program, env!("CARGO_BIN_EXE_memory-server"), "");
        Keeper { user, program }
    }

    /// Runs a program to its end, and returns its standard output and its standard error.
    fn run(&self, program: &Path, arguments: &[&str], input: &[u8]) -> (String, String) {
        let output = finished(&mut self.user.process(program, arguments), input);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(output.status.success(), "{output:?}");
        (text(&output.stdout), text(&output.stderr))
    }

    fn install(&self, client: &str, more: &[&str]) {
        let install = [&["hooks", "install", "--client", client], more].concat();
        self.run(&self.program, &install, b"");
    }

    /// Begins a session in Claude Code, and returns the log.
    fn begin(&self, program: &Path) -> String {
        let (answer, log) = self.run(program, &FIRE, &session());
        assert!(answer.contains("session_init"), "{answer}");
        log
    }

    fn claude(&self) -> PathBuf {
        self.user.home().join(".claude/settings.json")
    }

    fn codex(&self) -> PathBuf {
        self.user.home().join(".codex/hooks.json")
    }

    /// Makes the entries those of an older version: they have another time-out.
    fn age(&self, file: &Path) -> String {
        let current = fs::read_to_string(file).unwrap();
        let old = current.replace("\"timeout\": 10", "\"timeout\": 7");
        assert_ne!(old, current, "{current}");
        fs::write(file, old).unwrap();
        current
    }

    /// Another build of the program is at the same path, so many seconds later.
    fn build_again(&self, later: u64) {
        // Not open for writing: such a program does not start.
        let file = fs::File::open(&self.program).unwrap();
        let time = SystemTime::now() + Duration::from_secs(later);
        file.set_modified(time).unwrap();
    }
}

fn text(file: &Path) -> String {
    fs::read_to_string(file).unwrap()
}

#[test]
fn another_build_mends_the_entries_of_every_client() {
    let keeper = Keeper::new();
    keeper.install("claude-code", &["--keep-current"]);
    keeper.install("codex", &["--keep-current"]);
    let doctor = ["hooks", "doctor", "--client", "codex"];
    let (page, _) = keeper.run(&keeper.program, &doctor, b"");
    assert!(page.contains("current, and are kept current"), "{page}");
    let current = [keeper.age(&keeper.claude()), keeper.age(&keeper.codex())];
    // The program is the same: what the user wrote stays.
    let log = keeper.begin(&keeper.program);
    assert!(!log.contains("mended"), "{log}");
    assert_ne!(text(&keeper.claude()), current[0]);
    keeper.build_again(60);
    let log = keeper.begin(&keeper.program);
    assert_eq!(log.matches("are mended").count(), 2, "{log}");
    assert!(
        log.contains("settings.json") && log.contains("Codex CLI"),
        "{log}"
    );
    assert_eq!([text(&keeper.claude()), text(&keeper.codex())], current);
    let records = keeper.user.database().with_file_name("installs");
    let mut records = fs::read_dir(records).unwrap().map(|it| it.unwrap().path());
    let is_codex = |path: &std::path::PathBuf| path.to_string_lossy().contains("/codex-user-");
    let record = records.find(is_codex).unwrap();
    assert!(
        text(&record).contains("\"mended_at\": 1"),
        "{}",
        text(&record)
    );
    let log = keeper.begin(&keeper.program);
    assert!(!log.contains("mended"), "{log}");
    for client in ["claude-code", "codex"] {
        let uninstall = ["hooks", "uninstall", "--client", client];
        keeper.run(&keeper.program, &uninstall, b"");
    }
    assert!(!keeper.claude().exists() && !keeper.codex().exists());
}

#[test]
fn entries_stay_without_the_word_and_those_that_were_removed_stay_away() {
    let keeper = Keeper::new();
    keeper.install("claude-code", &["--keep-current"]);
    // The last installation counts.
    keeper.install("claude-code", &[]);
    keeper.install("codex", &["--keep-current"]);
    keeper.age(&keeper.claude());
    let old = text(&keeper.claude());
    fs::write(keeper.codex(), "{}").unwrap();
    keeper.build_again(60);
    let log = keeper.begin(&keeper.program);
    assert!(!log.contains("mended"), "{log}");
    assert_eq!(
        (text(&keeper.claude()), text(&keeper.codex())),
        (old, "{}".to_owned())
    );
}

#[test]
fn a_program_that_moved_takes_its_entries_along() {
    let keeper = Keeper::new();
    keeper.install("claude-code", &["--keep-current"]);
    let before = text(&keeper.claude());
    let moved = keeper.user.home().join("new/memory-server");
    fs::create_dir_all(moved.parent().unwrap()).unwrap();
    put_program(&moved, &keeper.program, "");
    // The old one is still there: this one may be a trial.
    keeper.begin(&moved);
    assert_eq!(text(&keeper.claude()), before);
    fs::remove_file(&keeper.program).unwrap();
    // A client starts the server at its new path.
    let mut server = keeper.user.process(&moved, &["serve"]).spawn().unwrap();
    let log = BufReader::new(server.stderr.take().unwrap());
    let mended = log
        .lines()
        .map_while(Result::ok)
        .find(|line| line.contains("are mended"));
    assert!(mended.is_some());
    drop(server.stdin.take());
    server.wait().unwrap();
    let after = text(&keeper.claude());
    assert!(
        after.contains("new/memory-server") && !after.contains("opt/memory-server"),
        "{after}"
    );
    let log = keeper.begin(&moved);
    assert!(!log.contains("mended"), "{log}");
}

#[test]
fn a_projects_file_is_mended_in_the_project_and_by_its_own_word() {
    let keeper = Keeper::new();
    let project = ["--scope", "project"];
    keeper.install("claude-code", &["--keep-current"]);
    keeper.install("claude-code", &project);
    let file = keeper.user.project().join(".claude/settings.json");
    let current = keeper.age(&file);
    keeper.build_again(60);
    keeper.begin(&keeper.program);
    assert_ne!(text(&file), current);
    keeper.install("claude-code", &["--scope", "project", "--keep-current"]);
    keeper.age(&file);
    keeper.build_again(0);
    let mut elsewhere = keeper.user.process(&keeper.program, &FIRE);
    finished(elsewhere.current_dir(keeper.user.home()), &session());
    assert_ne!(text(&file), current);
    keeper.begin(&keeper.program);
    assert_eq!(text(&file), current);
}

#[test]
fn a_file_that_cannot_be_written_delays_nothing_and_is_named() {
    let keeper = Keeper::new();
    keeper.install("claude-code", &["--keep-current"]);
    keeper.age(&keeper.claude());
    let old = text(&keeper.claude());
    let mut permissions = fs::metadata(keeper.claude()).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(keeper.claude(), permissions).unwrap();
    keeper.build_again(60);
    let log = keeper.begin(&keeper.program);
    assert!(
        log.contains("are out of date") && log.contains("settings.json"),
        "{log}"
    );
    assert_eq!(text(&keeper.claude()), old);
}

#[test]
fn processes_that_start_at_once_or_are_killed_leave_whole_files() {
    let keeper = Keeper::new();
    keeper.install("claude-code", &["--keep-current"]);
    let current = keeper.age(&keeper.claude());
    let old = text(&keeper.claude());
    for round in 0_u64..12 {
        fs::write(keeper.claude(), &old).unwrap();
        keeper.build_again(120 + round);
        let spawn = || {
            use std::io::Write;
            let mut child = keeper.user.process(&keeper.program, &FIRE).spawn().unwrap();
            _ = child.stdin.take().unwrap().write_all(&session());
            child
        };
        let mut all = [spawn(), spawn(), spawn()];
        if round % 2 == 1 {
            // The answer is written before the entries are mended.
            let mut line = String::new();
            BufReader::new(all[0].stdout.take().unwrap())
                .read_line(&mut line)
                .unwrap();
            for child in &mut all {
                child.kill().unwrap();
            }
        }
        for mut child in all {
            child.wait().unwrap();
        }
        let now = text(&keeper.claude());
        assert!(now == current || now == old, "{now}");
        keeper.begin(&keeper.program);
        assert_eq!(text(&keeper.claude()), current, "round {round}");
    }
}
