//! The subcommands, run as a person or a script runs them.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use memory_server::store::{Draft, Options, Query, Store};
use serde_json::{Value, json};

pub(crate) fn run(database: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_memory-server"))
        .args(arguments)
        .env("MEMORY_DATABASE", database)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

pub(crate) fn said(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn complaint(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[tokio::test]
async fn what_a_conversation_said_is_counted_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let store = Store::open(&path, Options::default()).unwrap();
    let mut draft = Draft::new("the till closes at six");
    draft.conversation = Some("dm:alice".into());
    store.store("conversations", draft).await.unwrap();
    store.store("shop", Draft::new("other")).await.unwrap();
    drop(store);

    let status = said(&run(&path, &["status"], ""));
    assert!(
        status.contains("projects: 1\nconversations: 1\n"),
        "{status}"
    );
    let forget = |name| said(&run(&path, &["forget", "--conversation", name], ""));
    assert_eq!(forget("dm:bob"), "forgot 0\n");
    assert_eq!(forget("dm:alice"), "forgot 1\n");
    assert_eq!(said(&run(&path, &["export"], "")).lines().count(), 1);
}

#[test]
fn a_missing_database_that_is_named_is_created_by_import_only() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("new/m.db");
    let named = ["--database", missing.to_str().unwrap()];
    let run = |command: &[&str], input| {
        let arguments = [&named, command].concat();
        run(&folder.path().join("other.db"), &arguments, input)
    };
    let forget = ["forget", "--conversation", "dm:alice"];
    for command in [&["export"][..], &["status"], &forget] {
        let said = complaint(&run(command, ""));
        assert!(
            said.contains(&format!("no database `{}`", missing.display())),
            "{said}"
        );
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);

    let line = r#"{"id":"1","text":"good","metadata":{"project":"p"}}"#;
    said(&run(&["import", "-"], line));
    assert_eq!(said(&run(&["export"], "")).lines().count(), 1);
}

#[tokio::test]
async fn an_export_is_imported_whole_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.db"), folder.path().join("b.db"));
    let store = Store::open(&a, Options::default()).unwrap();
    let mut draft = Draft::new("Line one\nline \"two\" ü");
    draft.tags = vec!["T".into()];
    draft.source = "s".into();
    store.store("p", draft).await.unwrap();
    store.store("q", Draft::new("other project")).await.unwrap();

    let lines = said(&run(&a, &["export"], ""));
    assert_eq!(lines.lines().count(), 2);
    assert_eq!(
        said(&run(&a, &["export", "--project", "q"], ""))
            .lines()
            .count(),
        1
    );

    assert_eq!(
        said(&run(&b, &["import", "-"], &lines)),
        "imported 2, known before 0\n"
    );
    let file = folder.path().join("lines.jsonl");
    fs::write(&file, &lines).unwrap();
    let again = run(&b, &["import", file.to_str().unwrap()], "");
    assert_eq!(said(&again), "imported 0, known before 2\n");
    assert_eq!(said(&run(&b, &["export"], "")), lines);

    let copy = Store::open(&b, Options::default()).unwrap();
    let found = copy.search(Query::new("p", "two")).await.unwrap();
    assert_eq!(found.hits.len(), 1);
}

#[test]
fn a_bad_line_is_named_and_nothing_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("m.db");
    let good = r#"{"id":"1","text":"good","metadata":{"project":"p"}}"#;
    for (bad, what) in [
        ("{not json", "line 3: key must be a string"),
        (
            r#"{"id":"2","metadata":{"project":"p"}}"#,
            "line 3: missing field `text`",
        ),
        (r#"{"id":"2","text":"x"}"#, "line 3: it names no project"),
        (
            r#"{"id":"2","text":"","metadata":{"project":"p"}}"#,
            "line 3: `content` is empty",
        ),
        (
            r#"{"id":"2","text":"x","metadata":{"project":"p","created_at":"soon"}}"#,
            "line 3: `created_at` is not an ISO 8601 date",
        ),
    ] {
        let said = complaint(&run(
            &database,
            &["import", "-"],
            &format!("{good}\n\n{bad}\n"),
        ));
        assert!(said.contains(what), "{said}");
        assert!(said.contains("nothing was imported"), "{said}");
    }
    assert_eq!(said(&run(&database, &["export"], "")), "");
}

#[test]
fn lines_of_annal_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("m.db");
    let line = r#"{"id":"x","text":"hello","metadata":{"tags":"[\"a\",\"B\"]","source":"","chunk_type":"agent-memory","created_at":"2026-01-02T03:04:05.123456+00:00"}}"#;
    said(&run(&database, &["import", "-", "--project", "p"], line));
    let back = said(&run(&database, &["export"], ""));
    assert!(back.contains(r#""tags":["a","b"]"#), "{back}");
    assert!(back.contains("2026-01-02T03:04:05.123Z"), "{back}");
}

/// A call, and the answer of the program that it ends with.
fn served(database: &Path, options: &[&str], calls: &[(&str, Value)]) -> Vec<String> {
    let mut input = format!("{}\n", crate::peer::initialize());
    input += "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    for (id, (tool, arguments)) in calls.iter().enumerate() {
        let params = json!({ "name": tool, "arguments": arguments });
        let call =
            json!({ "jsonrpc": "2.0", "id": id + 1, "method": "tools/call", "params": params });
        input += &format!("{call}\n");
    }
    let output = said(&run(database, &[&["serve"], options].concat(), &input));
    let answers = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let answers: BTreeMap<u64, String> = answers
        .map(|answer: Value| (answer["id"].as_u64().unwrap(), answer.to_string()))
        .collect();
    answers.into_values().skip(1).collect()
}

#[test]
fn each_option_of_serve_watches_the_tools() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("m.db");
    let log = folder.path().join("log.jsonl");
    let log = log.to_str().unwrap();
    let content = "Kim's IBAN is DE89 3704 0044 0532 0130 00";
    let memory = json!({ "project": "shop", "content": content, "tags": [] });
    let delete = json!({ "project": "shop", "memory_id": "1" });
    let search = json!({ "project": "shop", "query": "IBAN" });
    let init = ("session_init", json!({}));
    served(&database, &[], &[init.clone(), ("store_memory", memory)]);
    let options = ["--confirm", "--redact", "--rate-limit", "1", "--log", log];
    let search = ("search_memories", search);
    let calls = [
        init,
        ("delete_memory", delete),
        search.clone(),
        search.clone(),
    ];
    let answers = served(&database, &options, &calls);
    assert!(
        answers[1].contains("[elicitation_unsupported]"),
        "{answers:?}"
    );
    // Calls run side by side: one of the two is beyond the limit.
    let searches = answers[2..].concat();
    assert!(searches.contains("IBAN is [REDACTED]"), "{searches}");
    assert!(searches.contains("[rate_limited]"), "{searches}");
    let log = fs::read_to_string(log).unwrap();
    assert!(
        log.contains("delete_memory") && !log.contains("IBAN"),
        "{log}"
    );
    let plain = served(&database, &[], &[search]);
    assert!(plain[0].contains(content), "{plain:?}");
}
