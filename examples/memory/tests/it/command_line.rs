//! The subcommands, run as a person or a script runs them.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use memory_server::store::{Draft, Options, Query, Store};

use crate::place::database;

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
    let path = database(&folder, "m.db");
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

#[tokio::test]
async fn an_export_is_imported_whole_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (database(&folder, "a.db"), database(&folder, "b.db"));
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
    let database = database(&folder, "m.db");
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
    let database = database(&folder, "m.db");
    let line = r#"{"id":"x","text":"hello","metadata":{"tags":"[\"a\",\"B\"]","source":"","chunk_type":"agent-memory","created_at":"2026-01-02T03:04:05.123456+00:00"}}"#;
    said(&run(&database, &["import", "-", "--project", "p"], line));
    let back = said(&run(&database, &["export"], ""));
    assert!(back.contains(r#""tags":["a","b"]"#), "{back}");
    assert!(back.contains("2026-01-02T03:04:05.123Z"), "{back}");
}

#[cfg(unix)]
#[test]
fn bash_completes_the_commands_of_the_program_and_those_about_hooks() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("completions");
    let printed = run(&script, &["hooks", "completions", "bash"], "");
    fs::write(&script, printed.stdout).unwrap();
    let complete = |words: &[&str]| {
        // What bash does at the Tab key.
        let asks = "source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); cur=${*: -1} prev=${*: -2:1}\n\
                    entry=$(complete -p memory-server); entry=${entry#*-F }\n\
                    ${entry%% *} memory-server \"$cur\" \"$prev\"; echo \"${COMPREPLY[@]}\"";
        let mut bash = Command::new("bash");
        bash.args(["-c", asks])
            .arg(&script)
            .arg("memory-server")
            .args(words);
        let output = bash.output().unwrap();
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{output:?}"
        );
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    };
    for (words, expected) in [
        (&["ex"][..], "export"),
        (&["im"], "import"),
        (&["to"], "tour"),
        (&["--data"], "--database"),
        (&["export", "--pro"], "--project"),
        (&["hooks", "inst"], "install"),
        #[cfg(feature = "full")]
        (&["serve", "--ht"], "--http"),
        (&["serve", "--as"], "--as"),
        (&["hooks", "log", "sh"], "show"),
        (&["hooks", "policy", "check", "--answer", "ca"], "cancel"),
    ] {
        assert_eq!(complete(words), expected, "{words:?}");
    }
}
