//! Trees in the stores of many replicas.

use std::sync::Arc;

use hooks_sdk::{
    mcpl::{Checkpoints, Given},
    store::{MemoryStore, Store},
};
use serde_json::json;

use super::{add, data, empty, notes, patch, roll_back};

/// Two replicas with one tree, and another tree beside it.
async fn replicas(store: impl Store) {
    let store = Arc::new(store);
    let tree = |name: &str| Checkpoints::in_store(store.clone(), name, empty()).keep(3);
    let (one, other, ledger) = (tree("notes"), tree("notes"), tree("ledger"));
    let first = add(&one, &Given::nothing(), "a").await;
    let second = add(&other, &Given::nothing(), "b").await;
    assert_eq!(second.parent.as_ref(), Some(&first.checkpoint));
    // This replica's host was not told of it.
    assert_eq!(data(&second), &json!({"notes": ["a", "b"]}));
    let third = add(&one, &Given::checkpoint(&*second.checkpoint), "c").await;
    assert_eq!(patch(&third)[0]["path"], "/notes/2");
    roll_back(&other, &first.checkpoint).await.unwrap();
    assert_eq!(one.head().await.unwrap().as_ref(), Some(&first.checkpoint));
    add(&other, &Given::nothing(), "d").await;
    let pruned = Given::checkpoint(&*first.checkpoint);
    assert!(one.clone().refuse_unknown().at(&pruned).await.is_err());
    assert_eq!(ledger.head().await.unwrap(), None);
    // A state of more than one entry.
    let large = "x".repeat(3 << 20);
    let update = add(&ledger.largest_state(usize::MAX), &Given::nothing(), &large).await;
    let at = Given::checkpoint(update.checkpoint);
    assert_eq!(notes(&tree("ledger"), &at).await, json!([large]));
}

#[tokio::test]
async fn in_memory() {
    replicas(MemoryStore::new()).await;
}
