//! Checkpoints, in memory and in a file: the tree, what a host is told, what is kept, and text for a model to read.

mod connections;
mod files;
mod host;
mod killed;
mod limits;
mod property;
mod rollback;
mod stores;
mod told;
mod wrapped;

use hooks_sdk::mcpl::{
    Checkpoints, Given, RollbackError, RollbackRequest,
    wire::{StateChange, StateUpdate},
};
use serde_json::{Value, json};

/// What every test of a tree is run with: a tree in memory, and one in a file.
fn trees() -> Vec<(&'static str, Checkpoints<Value>)> {
    vec![
        ("memory", Checkpoints::in_memory(empty())),
        ("sqlite", in_a_new_file()),
    ]
}

fn in_a_new_file() -> Checkpoints<Value> {
    let file = tempfile::tempdir().unwrap().keep().join("state.db");
    Checkpoints::sqlite(file, "notes", empty()).unwrap()
}

fn empty() -> Value {
    json!({ "notes": [] })
}

/// Writes a note as a server's tool does.
async fn add(tree: &Checkpoints<Value>, given: &Given, text: &str) -> StateUpdate {
    let mut state = tree.at(given).await.unwrap();
    state["notes"].as_array_mut().unwrap().push(json!(text));
    state.commit().await.unwrap()
}

async fn notes(tree: &Checkpoints<Value>, given: &Given) -> Value {
    tree.at(given).await.unwrap()["notes"].clone()
}

async fn roll_back(tree: &Checkpoints<Value>, to: &str) -> Result<(), RollbackError> {
    tree.rollback(&RollbackRequest::new("acc.notes", to)).await
}

fn data(update: &StateUpdate) -> &Value {
    match &update.change {
        StateChange::Data(data) => data,
        other => panic!("no data: {other:?}"),
    }
}

fn patch(update: &StateUpdate) -> Value {
    match &update.change {
        StateChange::Patch(patch) => serde_json::to_value(patch).unwrap(),
        other => panic!("no patch: {other:?}"),
    }
}
