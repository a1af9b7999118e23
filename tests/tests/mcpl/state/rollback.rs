//! The three outcomes of a rollback, and the branches after it.

use hooks_sdk::mcpl::{
    Checkpoints, ErrorObject, Given, RollbackError, RollbackRequest, wire::RollbackResult,
};
use serde_json::Value;

use super::{add, roll_back, trees};

/// A commit that cannot be undone.
async fn seal(tree: &Checkpoints<Value>, reason: &str) -> String {
    let mut state = tree.at(&Given::nothing()).await.unwrap();
    state.irreversible(reason);
    state.commit_opaque().await.unwrap().checkpoint
}

fn reason(outcome: Result<(), RollbackError>) -> String {
    match outcome {
        Err(RollbackError::Irreversible { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_unknown_target_is_an_error_on_the_wire() {
    for (name, tree) in trees() {
        let request = RollbackRequest::new("acc.notes", "chk_x");
        for _ in 0..2 {
            let error = tree.rollback(&request).await.unwrap_err();
            let answer = error.answer(&request).unwrap_err();
            assert_eq!(answer, ErrorObject::checkpoint_not_found("chk_x"), "{name}");
            // An unknown one is unknown also while nothing can be undone.
            seal(&tree, "sent").await;
        }
    }
}

#[tokio::test]
async fn what_cannot_be_undone_is_a_result_on_the_wire() {
    for (name, tree) in trees() {
        let first = add(&tree, &Given::nothing(), "a").await.checkpoint;
        let sealed = seal(&tree, "the mail is sent").await;
        for target in [&first, &sealed] {
            let request = RollbackRequest::new("acc.notes", &**target);
            let error = tree.rollback(&request).await.unwrap_err();
            let answer = error.answer(&request).unwrap();
            let failed = RollbackResult::failed(&**target, "the mail is sent");
            assert_eq!(answer, failed, "{name}");
            assert_eq!(tree.head().await.unwrap().as_ref(), Some(&sealed), "{name}");
        }
    }
}

#[tokio::test]
async fn no_way_back_leads_through_what_cannot_be_undone() {
    for (name, tree) in trees() {
        let first = add(&tree, &Given::nothing(), "a").await.checkpoint;
        let sealed = seal(&tree, "one").await;
        let second = add(&tree, &Given::nothing(), "b").await.checkpoint;
        let third = add(&tree, &Given::nothing(), "c").await.checkpoint;
        assert_eq!(reason(roll_back(&tree, &first).await), "one", "{name}");
        roll_back(&tree, &second).await.unwrap();
        // Nothing is undone on the way to what came later.
        roll_back(&tree, &third).await.unwrap();
        roll_back(&tree, &sealed).await.unwrap();
        assert_eq!(reason(roll_back(&tree, &first).await), "one", "{name}");
        roll_back(&tree, &third).await.unwrap();
        let again = seal(&tree, "two").await;
        let last = add(&tree, &Given::nothing(), "d").await.checkpoint;
        assert_eq!(reason(roll_back(&tree, &third).await), "two", "{name}");
        assert_eq!(reason(roll_back(&tree, &first).await), "two", "{name}");
        // A branch past the first only: from there the second is not on the way.
        let branch = add(&tree, &Given::checkpoint(&*second), "e").await;
        roll_back(&tree, &last).await.unwrap();
        assert_eq!(
            reason(roll_back(&tree, &branch.checkpoint).await),
            "two",
            "{name}"
        );
        roll_back(&tree, &again).await.unwrap();
    }
}
