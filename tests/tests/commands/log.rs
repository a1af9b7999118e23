//! The decision log as a user of a program has it: `serve` writes it, `hooks log`, and the lines of `hooks fire`.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::Output,
    thread,
};

use serde_json::{Value, json};

use crate::user::{PROGRAM, User, finished, initialize, recorded};

/// A user with a key file and a log.
struct Operator {
    user: User,
    log: PathBuf,
    keys: PathBuf,
}

impl Operator {
    fn new() -> Operator {
        let user = User::new();
        let (log, keys) = (
            user.project().join("log.jsonl"),
            user.project().join("log.keys"),
        );
        fs::write(&keys, user.said(&["hooks", "log", "new-key", "2026-11"])).unwrap();
        Operator { user, log, keys }
    }

    fn run(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut process = self.user.process(Path::new(PROGRAM), arguments);
        process
            .env("HOOKS_LOG_KEYS", fs::read_to_string(&self.keys).unwrap())
            .env("NOTEBOOK_LOG", &self.log);
        finished(&mut process, input)
    }

    /// Serves one client that is refused, opens its session, and is refused by a rule.
    fn serves(&self) {
        let list = json!({"name": "list_notes", "arguments": {}});
        let delete = json!({"name": "delete_note", "arguments": {"id": "1"}});
        let open = json!({"name": "session_init", "arguments": {}});
        let mut input = initialize().to_string();
        input += "\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
        for (id, params) in [&list, &open, &list, &delete].iter().enumerate() {
            let call =
                json!({"jsonrpc": "2.0", "id": id + 1, "method": "tools/call", "params": params});
            input += &format!("{call}\n");
        }
        let served = self.run(&["serve"], input.as_bytes());
        assert!(served.status.success(), "{served:?}");
    }

    fn path(&self) -> &str {
        self.log.to_str().unwrap()
    }

    /// Runs `hooks log verify`. Returns its exit code and its page.
    fn verify(&self, more: &[&str]) -> (i32, String) {
        let keys = self.keys.to_str().unwrap();
        let own = ["hooks", "log", "verify", self.path(), "--key-file", keys];
        let output = self.user.run(&[&own, more].concat(), b"");
        let page = String::from_utf8(output.stdout).unwrap();
        (output.status.code().unwrap(), page)
    }

    fn show(&self, more: &[&str]) -> String {
        self.user
            .said(&[&["hooks", "log", "show", self.path()], more].concat())
    }

    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.log).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    }
}

#[test]
fn verify_finds_an_edit_and_its_exit_code_says_so() {
    let of = Operator::new();
    of.serves();
    let whole = fs::read_to_string(&of.log).unwrap();
    let (code, page) = of.verify(&[]);
    assert_eq!(code, 0, "{page}");
    assert!(page.starts_with("no change found in 10 lines\n"), "{page}");
    assert!(page.contains(", closed"), "{page}");

    fs::write(&of.log, whole.replacen("\"denied\"", "\"allowed\"", 1)).unwrap();
    let (code, page) = of.verify(&[]);
    assert_eq!(code, 1, "{page}");
    assert!(page.starts_with("changed: line "), "{page}");
    let (code, json) = of.verify(&["--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, &json["whole"]), (1, &json!(false)));
    assert!(json["faults"][0]["line"].is_u64());

    fs::write(&of.log, &whole).unwrap();
    let other = of.user.project().join("other.keys");
    fs::write(
        &other,
        of.user.said(&["hooks", "log", "new-key", "2026-11"]),
    )
    .unwrap();
    let foreign = ["hooks", "log", "verify", of.path(), "--key-file"];
    let output = of
        .user
        .run(&[&foreign[..], &[other.to_str().unwrap()]].concat(), b"");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    for wrong in [
        vec!["hooks", "log", "verify", "missing.jsonl"],
        vec![
            "hooks",
            "log",
            "verify",
            of.path(),
            "--key-file",
            "missing.keys",
        ],
        vec!["hooks", "log", "verify"],
    ] {
        let output = of.user.run(&wrong, b"");
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {output:?}");
    }
}

#[test]
fn an_anchor_finds_a_cut_and_a_missing_chain() {
    let of = Operator::new();
    of.serves();
    let (_, json) = of.verify(&["--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let first = json["chains"][0]["head"].as_str().unwrap().to_owned();
    let one = fs::read_to_string(&of.log).unwrap();
    of.serves();
    assert_eq!(of.verify(&["--expect", &first.to_uppercase()]).0, 0);
    let both = fs::read_to_string(&of.log).unwrap();

    // Without the anchor, a cut at the signed first line looks like a process that was killed.
    let cut = one.lines().next().unwrap().to_owned() + "\n";
    for (text, known) in [
        (cut, "has no end"),
        (both[one.len()..].to_owned(), "chains are missing"),
    ] {
        fs::write(&of.log, text).unwrap();
        let (code, page) = of.verify(&[]);
        assert!(code == 0 && page.contains(known), "{page}");
        let (code, page) = of.verify(&["--expect", &first]);
        assert!(
            code == 1 && page.contains(&format!("missing: no chain has the line {first}")),
            "{page}"
        );
    }
}

#[test]
fn show_counts_and_prints_json() {
    let of = Operator::new();
    of.serves();
    let lines = of.lines();
    let shown = of.show(&[]);
    assert_eq!(shown.lines().count(), 8, "two lines a call");
    assert_eq!(shown.matches(" denied ").count(), 2, "{shown}");
    for denied in [
        "tools/call list_notes by session gate session_refused",
        "tools/call delete_note by plugin confirm elicitation_unsupported",
    ] {
        assert!(shown.contains(denied), "{shown}");
    }
    // The lines of the file, for programs such as `jq`.
    let json = of.show(&["--json"]);
    let json: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(json.len(), 8);
    assert!(json.iter().all(|line| lines.contains(line)), "{json:?}");

    let table = of.show(&["--summary"]);
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|row| row.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0], ["count", "decision", "by", "rule", "code"]);
    assert_eq!(rows[1], ["2", "allowed"]);
    assert!(
        rows.contains(&vec![
            "1",
            "denied",
            "plugin",
            "confirm",
            "elicitation_unsupported"
        ]),
        "{table}"
    );
    let json: Value = serde_json::from_str(&of.show(&["--summary", "--json"])).unwrap();
    assert_eq!(json[0]["count"], 2);
    let rules: Vec<_> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["rule"])
        .collect();
    assert!(rules.contains(&&json!("gate")), "{json}");
    let both = of.user.run(
        &["hooks", "log", "show", of.path(), "--summary", "--follow"],
        b"",
    );
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn show_follows_the_log_into_the_file_that_takes_its_place() {
    let of = Operator::new();
    of.serves();
    let arguments = ["hooks", "log", "show", of.path(), "--follow"];
    let mut child = of
        .user
        .process(Path::new(PROGRAM), &arguments)
        .spawn()
        .unwrap();
    let mut shown = BufReader::new(child.stdout.take().unwrap()).lines();
    // The next line about a call that was refused.
    let mut next = || loop {
        let line = shown.next().unwrap().unwrap();
        if line.contains(" denied ") {
            return line;
        }
    };
    assert!(next().contains("list_notes") && next().contains("delete_note"));
    of.serves();
    assert!(next().contains("list_notes") && next().contains("delete_note"));
    fs::rename(&of.log, of.user.project().join("aside")).unwrap();
    of.serves();
    assert!(next().contains("list_notes") && next().contains("delete_note"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_new_key_signs_a_log() {
    let of = Operator::new();
    let key = of.user.said(&["hooks", "log", "new-key", "2026-12"]);
    assert!(key.starts_with("2026-12 hmac-sha256 "), "{key}");
    fs::write(&of.keys, &key).unwrap();
    _ = fs::remove_file(&of.log);
    of.serves();
    let (code, page) = of.verify(&[]);
    assert_eq!(code, 0, "{page}");
    let wrong = of.user.run(&["hooks", "log", "new-key", "a key"], b"");
    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
}

/// Returns the input of a shell call after which a text is due, as another call each time.
fn committed(call: usize) -> Vec<u8> {
    let input = recorded("claude-code", "PostToolUse.shell");
    let mut input: Value = serde_json::from_slice(&input).unwrap();
    input["tool_use_id"] = json!(format!("call-{call}"));
    input["session_id"] = json!(format!("session-{call}"));
    input.to_string().into_bytes()
}

#[test]
fn texts_of_many_processes_are_in_one_chain_of_the_user() {
    let of = Operator::new();
    let fire = ["hooks", "fire", "--client", "claude-code"];
    thread::scope(|scope| {
        for process in 0..4 {
            let (of, fire) = (&of, &fire);
            scope.spawn(move || {
                for at in 0..5 {
                    let output = of.run(fire, &committed(process * 5 + at));
                    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
                    assert_ne!(answer, json!({}), "{output:?}");
                }
            });
        }
    });
    let of = Operator {
        log: of.user.project().join("log.user.jsonl"),
        ..of
    };
    let (code, page) = of.verify(&[]);
    assert!(
        code == 0 && page.contains("no change found in 21 lines"),
        "{page}"
    );
    assert_eq!(
        page.matches("chain ").count(),
        2,
        "one chain, which has no end: {page}"
    );
    let shown = of.show(&[]);
    assert_eq!(
        shown.matches("post_tool_use after_commit").count(),
        20,
        "{shown}"
    );
    assert!(!of.log.with_file_name("log.jsonl").exists());
}

#[test]
fn a_text_without_its_line_is_not_sent() {
    let of = Operator::new();
    let nowhere = Operator {
        log: of.user.project().join("missing/log.jsonl"),
        ..of
    };
    let fire = ["hooks", "fire", "--client", "claude-code"];
    let output = nowhere.run(&fire, &committed(1));
    assert_eq!(output.stdout.trim_ascii(), b"{}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("a firing is not in the decision log"),
        "{errors}"
    );
}
