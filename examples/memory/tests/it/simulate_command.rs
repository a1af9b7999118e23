//! `memory-server hooks simulate`, on session files that the clients wrote.

use std::{
    fs,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::user::User;

const CLIENTS: [&str; 2] = ["claude-code", "codex"];

fn transcript(client: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/transcripts");
    fs::read(folder.join(format!("{client}.jsonl"))).unwrap()
}

/// Simulates a file with these bytes. Returns the exit code, and what was written to standard output and error.
fn simulate(user: &User, bytes: &[u8], arguments: &[&str]) -> (i32, String, String) {
    let file = file(user);
    fs::write(&file, bytes).unwrap();
    run(user, &file, arguments)
}

fn file(user: &User) -> PathBuf {
    user.home().join("session.jsonl")
}

fn run(user: &User, file: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut all = vec!["hooks", "simulate", file.to_str().unwrap()];
    all.extend(arguments);
    let output = user.run(&all, b"");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn report(user: &User, bytes: &[u8], arguments: &[&str]) -> Value {
    let (_, page, errors) = simulate(user, bytes, &[&["--json"], arguments].concat());
    serde_json::from_str(&page).unwrap_or_else(|_| panic!("{page}{errors}"))
}

#[test]
fn a_recorded_session_fires_what_it_fired() {
    // The server was installed when the sessions were recorded: its texts are in the files.
    let user = User::new();
    for client in CLIENTS {
        let bytes = transcript(client);
        let (exit, page, errors) = simulate(&user, &bytes, &[]);
        assert_eq!((exit, &*errors), (1, ""), "{page}");
        for part in [
            "SessionStart startup\n  fires: memory:session:start:open-session",
            "PreToolUse mcp__memory__store_memory\n  refused by session: Tool \"store_memory\" requires",
            "PostToolUse Bash\n  fires: after_commit (231 characters, about 58 tokens)\n  | You just committed",
            "PreToolUse mcp__memory__delete_memory\n  fires: memory:action:start:ask-before-deleting",
            "held back: recent_work: the tool `search_memories` makes its text: --ask calls it",
            "1 call refused",
        ] {
            assert!(page.contains(part), "{client}: {part}\n{page}");
        }
        let report = report(&user, &bytes, &[]);
        assert_eq!(report["client"], client);
        assert_eq!(report["events"]["pre_tool_use"], 6);
        // Claude Code has another event for a call that failed.
        let after = if client == "claude-code" { 3 } else { 4 };
        assert_eq!(report["events"]["post_tool_use"], after);
        assert_eq!(report["hooks"]["after_commit"], 1);
        assert_eq!(report["reading"]["unknown"], 0, "{report}");
        // Every static text that fired is in the file, because the client put it there.
        let file = String::from_utf8(bytes).unwrap();
        for step in report["steps"].as_array().unwrap() {
            for firing in step["fires"].as_array().unwrap() {
                let text = firing["text"].as_str().unwrap();
                let line = text.trim().lines().last().unwrap();
                let line = serde_json::to_string(line).unwrap();
                assert!(file.contains(line.trim_matches('"')), "{client}: {line}");
            }
        }
    }
    let claude = report(&user, &transcript("claude-code"), &[]);
    let starts = claude["steps"].as_array().unwrap().iter();
    let sources: Vec<&str> = starts.filter_map(|step| step["source"].as_str()).collect();
    assert_eq!(sources, ["startup", "resume", "compact"]);
    assert_eq!(claude["hooks"]["memory:session:start:open-session"], 2);
    // Nothing was written into the hook store.
    assert!(!user.database().with_file_name("hooks.db").exists());
}

#[test]
fn a_context_tool_is_called_if_asked() {
    let user = User::new();
    for client in CLIENTS {
        let (exit, page, errors) = simulate(&user, &transcript(client), &["--ask"]);
        assert_eq!(exit, 1, "{errors}");
        let text = "fires: recent_work (";
        assert!(page.contains(text), "{client}: {page}");
        assert!(
            page.contains("no memory matches `recent work and decisions`"),
            "{page}"
        );
    }
    assert!(!user.database().with_file_name("hooks.db").exists());
}

#[test]
fn a_session_without_a_refusal_ends_with_0() {
    let user = User::new();
    for client in CLIENTS {
        let whole = String::from_utf8(transcript(client)).unwrap();
        let without: Vec<&str> = whole
            .lines()
            .filter(|line| !line.contains("Too early."))
            .collect();
        let (exit, page, _) = simulate(&user, without.join("\r\n").as_bytes(), &[]);
        assert_eq!(exit, 0, "{page}");
        assert!(page.contains("0 calls refused"), "{page}");
    }
}

#[test]
fn what_cannot_be_read_ends_with_2() {
    let user = User::new();
    let unreadable: [&[u8]; 7] = [
        b"",
        b"\n\n",
        b"{",
        b"not json\n",
        b"{\"type\": 7}\n[]\nnull\n",
        b"\xff\xfe\x00",
        b"{\"type\": \"user\"}\n",
    ];
    for bytes in unreadable {
        let (exit, page, errors) = simulate(&user, bytes, &[]);
        assert_eq!((exit, &*page), (2, ""), "{errors}");
        assert!(errors.contains("is no session file"), "{errors}");
    }
    let missing = user.home().join("missing.jsonl");
    for path in [&missing, &user.home()] {
        let (exit, page, errors) = run(&user, path, &[]);
        assert_eq!((exit, &*page), (2, ""), "{errors}");
        assert!(errors.contains("cannot read"), "{errors}");
    }
    let (exit, _, errors) = simulate(&user, b"", &["--client", "gemini"]);
    assert_eq!(exit, 2);
    assert!(errors.contains("claude-code, codex"), "{errors}");
}

#[test]
fn a_file_that_is_cut_off_or_has_foreign_lines_is_read_as_far_as_it_goes() {
    let user = User::new();
    for client in CLIENTS {
        let whole = transcript(client);
        let all = report(&user, &whole, &[])["events"]["pre_tool_use"].clone();
        let (exit, page, _) = simulate(&user, &whole[..whole.len() - 100], &[]);
        assert_eq!(exit, 1);
        assert!(
            page.contains("not read: 1 line without a JSON object"),
            "{page}"
        );
        let mut foreign = b"{\"type\":\"from_tomorrow\"}\n\xff\n[1]\n".to_vec();
        foreign.extend_from_slice(&whole);
        foreign.extend_from_slice(b"{\"type\":\"from_tomorrow\",\"payload\":[]}\n");
        let found = report(&user, &foreign, &[]);
        assert_eq!(found["events"]["pre_tool_use"], all);
        assert_eq!(found["reading"]["unknown_kinds"]["from_tomorrow"], 2);
        assert_eq!(found["reading"]["unreadable"], 2);
        assert_eq!(found["reading"]["first_unreadable"], 2);
    }
}

#[test]
fn a_file_of_50_mb_is_read_line_by_line() {
    let user = User::new();
    let mut session = transcript("claude-code");
    // Most of a long file is the output of tools.
    session.extend(b"{\"type\":\"from_tomorrow\",\"output\":\"");
    session.extend([b'a'; 200 << 10]);
    session.extend(b"\"}\n");
    let mut file_of_many = BufWriter::new(fs::File::create(file(&user)).unwrap());
    let mut sessions = 0;
    let mut length = 0;
    while length < 50 << 20 {
        length += session.len();
        sessions += 1;
        file_of_many.write_all(&session).unwrap();
    }
    // And one line that nobody should hold in memory.
    file_of_many
        .write_all(b"{\"type\":\"user\",\"sessionId\":\"")
        .unwrap();
    file_of_many.write_all(&vec![b'a'; 17 << 20]).unwrap();
    file_of_many.write_all(b"\"}\n").unwrap();
    file_of_many.into_inner().unwrap();
    let (exit, page, errors) = run(&user, &file(&user), &["--json"]);
    assert_eq!((exit, &*errors), (1, ""));
    let report: Value = serde_json::from_str(&page).unwrap();
    assert_eq!(report["events"]["pre_tool_use"], 6 * sessions);
    let reading = &report["reading"];
    assert_eq!(reading["unknown_kinds"]["from_tomorrow"], sessions);
    assert_eq!(reading["too_long"], 1);
    assert!(report["steps"].as_array().unwrap().len() <= 10_000);
}
