//! How much is kept.

use hooks_sdk::mcpl::{Given, RollbackError, checkpoints::CheckpointError};
use serde_json::{Value, json};

use super::{add, notes, patch, roll_back, trees};

#[tokio::test]
async fn the_newest_are_kept_and_older_ones_are_unknown() {
    for (name, tree) in trees() {
        let tree = tree.keep(3).refuse_unknown();
        let mut ids = Vec::new();
        for number in 0..6 {
            ids.push(
                add(&tree, &Given::nothing(), &number.to_string())
                    .await
                    .checkpoint,
            );
        }
        for (at, id) in ids.iter().enumerate() {
            let found = tree.at(&Given::checkpoint(&**id)).await;
            assert_eq!(found.is_ok(), at >= 3, "{name} {at}");
        }
        let pruned = roll_back(&tree, &ids[2]).await;
        assert!(
            matches!(&pruned, Err(RollbackError::NotFound { checkpoint }) if *checkpoint == ids[2]),
            "{name}: {pruned:?}"
        );
        // A branch from the oldest pushes it out, and goes on.
        roll_back(&tree, &ids[3]).await.unwrap();
        let branch = add(&tree, &Given::nothing(), "x").await;
        assert_eq!(branch.parent.as_ref(), Some(&ids[3]), "{name}");
        assert!(
            tree.at(&Given::checkpoint(&*ids[3])).await.is_err(),
            "{name}"
        );
        let next = add(&tree, &Given::nothing(), "y").await;
        let added = json!([{"op": "add", "path": "/notes/5", "value": "y"}]);
        assert_eq!(patch(&next), added, "{name}");
    }
}

#[tokio::test]
async fn the_head_is_always_kept() {
    for (name, tree) in trees() {
        let tree = tree.keep(0).total_size(0);
        for number in 0..3 {
            let head = add(&tree, &Given::nothing(), "a").await.checkpoint;
            roll_back(&tree, &head).await.unwrap();
            let kept = notes(&tree, &Given::nothing()).await;
            assert_eq!(kept.as_array().map(Vec::len), Some(number + 1), "{name}");
        }
    }
}

#[tokio::test]
async fn states_together_have_a_size() {
    for (name, tree) in trees() {
        let tree = tree.total_size(250).refuse_unknown();
        let mut ids = Vec::new();
        for _ in 0..5 {
            let mut state = tree.at(&Given::nothing()).await.unwrap();
            *state = json!("ä".repeat(49)); // 100 bytes with its quotes
            ids.push(state.commit().await.unwrap().checkpoint);
        }
        for (at, id) in ids.iter().enumerate() {
            let found = tree.at(&Given::checkpoint(&**id)).await;
            assert_eq!(found.is_ok(), at >= 3, "{name} {at}");
        }
    }
}

#[tokio::test]
async fn one_state_has_a_size_and_a_depth() {
    for (name, tree) in trees() {
        let tree = tree.largest_state(20);
        let head = add(&tree, &Given::nothing(), "123456").await.checkpoint;
        let mut state = tree.at(&Given::nothing()).await.unwrap();
        state["notes"] = json!(["1234567"]);
        let error = state.commit().await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the state has 21 bytes, and may have 20",
            "{name}"
        );
        let tree = tree.largest_state(usize::MAX);
        let mut state = tree.at(&Given::nothing()).await.unwrap();
        *state = (0..101).fold(Value::Null, |inner, _| json!([inner]));
        let error = state.commit_opaque().await.unwrap_err();
        assert!(
            matches!(error, CheckpointError::TooDeep(100)),
            "{name}: {error}"
        );
        assert_eq!(tree.head().await.unwrap(), Some(head), "{name}");
    }
}

#[tokio::test]
async fn what_cannot_be_undone_holds_when_it_is_pruned() {
    for (name, tree) in trees() {
        let tree = tree.keep(3).refuse_unknown();
        // Begun before there was a checkpoint, so that it is a root of its own.
        let outside = tree.at(&Given::nothing()).await.unwrap();
        let mut sealed = tree.at(&Given::nothing()).await.unwrap();
        sealed.irreversible("sent");
        let sealed = sealed.commit().await.unwrap().checkpoint;
        let first = add(&tree, &Given::nothing(), "a").await.checkpoint;
        let outside = outside.commit().await.unwrap().checkpoint;
        let second = add(&tree, &Given::checkpoint(&*first), "c")
            .await
            .checkpoint;
        assert!(
            tree.at(&Given::checkpoint(&*sealed)).await.is_err(),
            "{name}"
        );
        roll_back(&tree, &first).await.unwrap();
        roll_back(&tree, &second).await.unwrap();
        let barred = roll_back(&tree, &outside).await;
        assert!(
            matches!(&barred, Err(RollbackError::Irreversible { reason }) if reason == "sent"),
            "{name}: {barred:?}"
        );
    }
}
