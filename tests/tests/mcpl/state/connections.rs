//! One tree and several connections, each with a head of its own.

use hooks_sdk::mcpl::{Given, RollbackError};
use serde_json::json;

use super::{add, data, notes, roll_back, trees};

#[tokio::test]
async fn a_new_connection_begins_with_the_initial_state() {
    for (name, tree) in trees() {
        add(&tree, &Given::nothing(), "shared").await;
        let (alice, carol) = (tree.for_connection(), tree.for_connection());
        let first = add(&alice, &Given::nothing(), "alice").await;
        assert_eq!(first.parent, None, "{name}");
        assert_eq!(data(&first), &json!({"notes": ["alice"]}), "{name}");
        assert_eq!(carol.head().await.unwrap(), None, "{name}");
        let unknown = Given::checkpoint("chk_x");
        for given in [Given::nothing(), unknown] {
            assert_eq!(notes(&carol, &given).await, json!([]), "{name}");
        }
        // Whoever knows its name may go on from it.
        let named = Given::checkpoint(&*first.checkpoint);
        assert_eq!(notes(&carol, &named).await, json!(["alice"]), "{name}");
    }
}

#[tokio::test]
async fn what_one_connection_cannot_undo_does_not_bind_another() {
    for (name, tree) in trees() {
        let (alice, carol) = (tree.for_connection(), tree.for_connection());
        let first = add(&alice, &Given::nothing(), "a").await.checkpoint;
        add(&alice, &Given::nothing(), "b").await;
        let mut state = carol.at(&Given::nothing()).await.unwrap();
        state.irreversible("sent");
        let sent = state.commit().await.unwrap().checkpoint;
        roll_back(&alice, &first).await.unwrap();
        let error = roll_back(&carol, &sent).await.unwrap_err();
        assert!(
            matches!(error, RollbackError::Irreversible { .. }),
            "{name}"
        );
    }
}
