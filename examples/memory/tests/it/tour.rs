//! The tour, run as a person runs it.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
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
            "> You just committed work.",
            "hook 3 is skipped: its matcher does not match",
            "| releases are cut on Tuesdays. (this conversation, ",
            "\"text\": \"Follow up with Alice today\"",
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
