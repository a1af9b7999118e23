//! Trees in a file: after a restart, and when something goes wrong.

use std::path::PathBuf;

use hooks_sdk::mcpl::{
    Checkpoints, ErrorObject, Given, RollbackError,
    checkpoints::{CheckpointError, Json},
};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{add, data, empty, notes, patch, roll_back};

fn new_file() -> PathBuf {
    tempfile::tempdir().unwrap().keep().join("state.db")
}

fn open(file: &PathBuf) -> Checkpoints<Value> {
    Checkpoints::sqlite(file, "notes", empty()).unwrap()
}

#[tokio::test]
async fn a_restart_keeps_the_head_and_the_tree() {
    let file = new_file();
    let tree = open(&file);
    let first = add(&tree, &Given::nothing(), "a").await;
    let second = add(&tree, &Given::nothing(), "b").await;
    drop(tree);

    let tree = open(&file);
    assert_eq!(
        tree.head().await.unwrap().as_ref(),
        Some(&second.checkpoint)
    );
    // Whoever sends nothing now need not be who was told before.
    let third = add(&tree, &Given::nothing(), "c").await;
    assert_eq!(third.parent.as_ref(), Some(&second.checkpoint));
    assert_eq!(data(&third), &json!({"notes": ["a", "b", "c"]}));
    let fourth = add(&tree, &Given::checkpoint(&*second.checkpoint), "d").await;
    assert_eq!(patch(&fourth)[0]["path"], "/notes/2");
    roll_back(&tree, &first.checkpoint).await.unwrap();
    drop(tree);

    let tree = open(&file);
    assert_eq!(notes(&tree, &Given::nothing()).await, json!(["a"]));
}

#[tokio::test]
async fn what_cannot_be_undone_is_kept_too() {
    let file = new_file();
    let tree = open(&file);
    let first = add(&tree, &Given::nothing(), "a").await.checkpoint;
    let mut state = tree.at(&Given::nothing()).await.unwrap();
    state.irreversible("sent");
    state.commit_opaque().await.unwrap();
    drop(tree);
    let error = roll_back(&open(&file), &first).await.unwrap_err();
    assert!(matches!(error, RollbackError::Irreversible { reason } if reason == "sent"));
}

#[tokio::test]
async fn trees_of_one_file_do_not_touch() {
    let file = new_file();
    // The file is somebody else's too.
    let theirs = Connection::open(&file).unwrap();
    theirs.execute_batch("CREATE TABLE theirs (a)").unwrap();
    let one = open(&file).keep(1).refuse_unknown();
    let other = Checkpoints::sqlite(&file, "ledger", json!({"notes": []})).unwrap();
    let kept = add(&other, &Given::nothing(), "kept").await.checkpoint;
    for _ in 0..3 {
        add(&one, &Given::nothing(), "a").await;
    }
    assert_eq!(other.head().await.unwrap().as_ref(), Some(&kept));
    assert!(one.at(&Given::checkpoint(&*kept)).await.is_err());
    assert!(roll_back(&one, &kept).await.is_err());
    theirs.execute("INSERT INTO theirs VALUES (1)", []).unwrap();
}

#[test]
fn many_open_a_new_file_at_once() {
    for _ in 0..20 {
        let file = new_file();
        std::thread::scope(|scope| {
            let opened: Vec<_> = (0..8).map(|_| scope.spawn(|| open(&file))).collect();
            for each in opened {
                each.join().unwrap();
            }
        });
    }
}

#[tokio::test]
async fn a_commit_is_kept_whole_or_not_at_all() {
    let file = new_file();
    let tree = open(&file);
    let head = add(&tree, &Given::nothing(), "a").await.checkpoint;
    let theirs = Connection::open(&file).unwrap();
    theirs
        .execute_batch(
            "CREATE TRIGGER full BEFORE UPDATE ON session BEGIN SELECT RAISE(ABORT, 'no room'); END",
        )
        .unwrap();
    let state = tree.at(&Given::nothing()).await.unwrap();
    let error = state.commit().await.unwrap_err();
    assert!(
        matches!(&error, CheckpointError::Store(why) if why.to_string().contains("no room")),
        "{error}"
    );
    assert_eq!(
        ErrorObject::from(error).message,
        "the state cannot be reached"
    );
    assert_eq!(tree.head().await.unwrap().as_ref(), Some(&head));
    theirs.execute_batch("DROP TRIGGER full").unwrap();
    assert_eq!(add(&tree, &Given::nothing(), "b").await.parent, Some(head));
}

#[tokio::test]
async fn a_state_of_an_older_type_is_the_servers_trouble() {
    #[derive(Clone, Debug, Default, Deserialize, Serialize)]
    struct Later {
        pages: Vec<String>,
    }
    let file = new_file();
    add(&open(&file), &Given::nothing(), "a").await;
    let later = Checkpoints::sqlite(&file, "notes", Json(Later::default())).unwrap();
    let error = later.at(&Given::nothing()).await.unwrap_err();
    assert!(
        error.to_string().contains("missing field `pages`"),
        "{error}"
    );
    assert_eq!(ErrorObject::from(error).code, -32603);
}

#[test]
fn a_file_that_is_none_of_ours_is_refused() {
    let file = new_file();
    let error = Checkpoints::sqlite(file.parent().unwrap(), "notes", empty()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains(file.parent().unwrap().to_str().unwrap()),
        "{error}"
    );
    open(&file);
    let theirs = Connection::open(&file).unwrap();
    theirs.pragma_update(None, "user_version", 2).unwrap();
    let error = Checkpoints::sqlite(&file, "notes", empty()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("layout 2, and this program reads layout 1"),
        "{error}"
    );
}
