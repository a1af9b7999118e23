//! The tour, run as a person runs it.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use memory_server::store::{Options, Store};

fn tour() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_memory-server"));
    command.arg("tour").env_remove("MEMORY_DATABASE");
    // As within an agent's own shell, which must not change what the tour shows.
    command.env("CLAUDE_CODE_SESSION_ID", "a session of the client's");
    command
}

fn tour_of(database: &Path) -> Output {
    tour().arg("--database").arg(database).output().unwrap()
}

#[track_caller]
fn green(output: Output) -> String {
    let page = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{page}\n{errors}");
    assert_eq!(errors, "");
    page
}

async fn memories(database: &Path) -> u64 {
    let store = Store::open(database, Options::default()).unwrap();
    store.status().await.unwrap().memories
}

#[tokio::test]
async fn every_step_does_what_it_says_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("new folder/tour.db");
    for _ in 0..2 {
        let page = green(tour_of(&database));
        for words in [
            "| session_start (important)\n   |     tool: search_memories(",
            "| post_tool_use (suggestion), when tool_name = \"Bash\" and input_contains = \"git commit\"\n",
            "| session_start (important)\n   |     text: MUST: Call `session_init` before any other tool",
            "| session_start (suggestion)\n   |     text: SHOULD: Call `search_memories` with the project's name",
            "| session_end (suggestion)\n   |     text: This session is ending.",
            "ok: three hooks are declared, and the guidance of a session's start",
            "You MUST call session_init first before using this tool.",
            "ok: the same call is answered\n",
            "> You just committed work.",
            "hook 3 is skipped: its matcher does not match",
            "> [hooks-tour] no memory matches `recent work and decisions`; the newest:",
            "`mode`: unknown variant `deep`",
            "on MCP 2026-07-28",
            "ok: the hooks are declared as before, word for word",
            "\n   | Pass it as the argument `session` with every further call.\n   list_topics {\"project\":\"hooks-tour\",\"session\":\"",
            "11. A client that knows no hooks",
            "ok: the guidance stands behind the server's own words",
            "| memory.proactive: Surface reminders proactively\n",
            "ok: the model reads the memory before it answers\n",
            "| releases are cut on Tuesdays. (this conversation, ",
            "ok: what looks like a secret is not\n",
            "ok: one memory stands in the place of two\n",
            "ok: nothing was lost: without it the two are found again\n",
            "\"text\": \"Follow up with Alice today\"",
            "ok: the notes are what they were after the first call\n",
            "All 17 steps did what they say.",
        ] {
            assert!(page.contains(words), "{words:?} is not in:\n{page}");
        }
        assert!(!page.contains('\u{1b}'), "{page:?}");
        assert!(page.contains(database.to_str().unwrap()), "{page}");
        // Three of the session, one that was learned, and two that were merged and are back.
        assert_eq!(memories(&database).await, 6);
    }
}

#[tokio::test]
async fn without_a_file_of_its_own_it_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    // The user's memories are somewhere else, and are not the tour's.
    let own = folder.path().join("own.db");
    let output = tour()
        .env("MEMORY_DATABASE", &own)
        .env("TMPDIR", folder.path())
        .output();
    let page = green(output.unwrap());
    assert!(!own.exists());
    let line = page
        .lines()
        .find_map(|line| line.strip_prefix("database: "));
    let path = line.and_then(|line| line.strip_suffix(" (deleted at the end)"));
    let path = PathBuf::from(path.expect(&page));
    assert!(
        !path.exists() && !path.parent().unwrap().exists(),
        "{}",
        path.display()
    );
}

#[test]
fn a_failed_step_says_what_came_and_ends_with_code_1() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("notes.txt");
    fs::write(
        &database,
        "no database, and it stays as it is. ".repeat(100),
    )
    .unwrap();
    let output = tour_of(&database);
    assert_eq!(output.status.code(), Some(1));
    let page = String::from_utf8(output.stdout).unwrap();
    let (_, failed) = page
        .split_once("   FAILED\n   expected:\n   | the session is open\n")
        .expect(&page);
    assert!(
        failed.starts_with("   came:\n   | the memory database `"),
        "{page}"
    );
    assert!(failed.contains("is damaged or not a database"), "{page}");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.ends_with("error: step 2 of the tour did not do what it says\n"),
        "{errors}"
    );
    assert!(
        fs::read_to_string(&database)
            .unwrap()
            .starts_with("no database")
    );
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = tour()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert!(first.starts_with("A tour of memory-server"));
    assert_eq!(green(child.wait_with_output().unwrap()), "");
}

#[test]
fn the_readme_shows_what_the_tour_prints() {
    let readme = include_str!("../../README.md");
    let page = green(tour().output().unwrap());
    let excerpts: Vec<&str> = readme.split("```text\n").skip(1).collect();
    assert_eq!(excerpts.len(), 3);
    for excerpt in excerpts {
        let (excerpt, _) = excerpt.split_once("```").expect("its end");
        assert!(page.contains(excerpt), "{excerpt}\nis not in\n{page}");
    }
}
