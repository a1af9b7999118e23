//! What a call works on, and what the host is told of it.

use hooks_sdk::mcpl::{
    Checkpoints, ErrorObject, Given,
    checkpoints::{CheckpointError, Json},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{add, data, notes, patch, trees};

#[tokio::test]
async fn the_first_checkpoint_has_data_and_the_next_a_patch() {
    for (name, tree) in trees() {
        assert_eq!(tree.head().await.unwrap(), None, "{name}");
        let first = add(&tree, &Given::nothing(), "a").await;
        let on_the_wire = serde_json::to_value(&first).unwrap();
        assert_eq!(
            on_the_wire,
            json!({"checkpoint": first.checkpoint, "parent": null, "data": {"notes": ["a"]}}),
            "{name}"
        );
        assert!(
            first.checkpoint.strip_prefix("chk_").is_some_and(
                |id| id.len() == 32 && id.bytes().all(|digit| digit.is_ascii_hexdigit())
            ),
            "{first:?}"
        );
        let second = add(&tree, &Given::nothing(), "b").await;
        assert_eq!(
            serde_json::to_value(&second).unwrap(),
            json!({
                "checkpoint": second.checkpoint,
                "parent": first.checkpoint,
                "patch": [{"op": "add", "path": "/notes/1", "value": "b"}],
            }),
            "{name}"
        );
        let head = tree.head().await.unwrap();
        assert_eq!(head.as_ref(), Some(&second.checkpoint), "{name}");
    }
}

#[tokio::test]
async fn the_given_state_wins_then_the_checkpoint_then_the_head() {
    for (name, tree) in trees() {
        let first = add(&tree, &Given::nothing(), "a").await.checkpoint;
        let second = add(&tree, &Given::nothing(), "b").await.checkpoint;
        let at_first = Given::checkpoint(&*first);
        assert_eq!(notes(&tree, &at_first).await, json!(["a"]), "{name}");
        let hosts = Given::state(json!({"notes": ["host"]}));
        assert_eq!(notes(&tree, &hosts).await, json!(["host"]), "{name}");
        let both = hosts.clone().and_checkpoint(&*first);
        assert_eq!(notes(&tree, &both).await, json!(["host"]), "{name}");

        let branch = add(&tree, &both, "c").await;
        assert_eq!(branch.parent.as_ref(), Some(&first), "{name}");
        assert_eq!(data(&branch), &json!({"notes": ["host", "c"]}), "{name}");
        // A state that no checkpoint has comes after the head.
        let next = add(&tree, &hosts, "d").await;
        assert_eq!(next.parent, Some(branch.checkpoint), "{name}");
        // One that a checkpoint has comes after that one.
        let next = add(&tree, &Given::state(json!({"notes": ["a", "b"]})), "e").await;
        assert_eq!(next.parent, Some(second), "{name}");
        assert_eq!(
            notes(&tree, &Given::nothing()).await,
            json!(["a", "b", "e"])
        );
    }
}

#[tokio::test]
async fn members_that_the_server_does_not_keep_are_taken_off_the_hosts_state() {
    #[derive(Clone, Debug, Deserialize, Serialize)]
    struct Notes {
        notes: Vec<String>,
    }
    let tree = Checkpoints::in_memory(Json(Notes { notes: vec![] }));
    let given = Given::state(json!({"notes": [], "theirs": 1}));
    let mut state = tree.at(&given).await.unwrap();
    state.notes.push("a".into());
    let update = state.commit().await.unwrap();
    assert_eq!(data(&update), &json!({"notes": ["a"]}));
    let given = Given::state(json!({"notes": ["a"], "theirs": 1}));
    let state = tree.at(&given.and_checkpoint(update.checkpoint)).await;
    let update = state.unwrap().commit().await.unwrap();
    assert_eq!(data(&update), &json!({"notes": ["a"]}));

    // A state of another kind counts as absent, and its host is told the whole state.
    let mut state = tree.at(&Given::state(json!({"notes": [1]}))).await.unwrap();
    state.notes.push("b".into());
    let update = state.commit().await.unwrap();
    assert_eq!(data(&update), &json!({"notes": ["a", "b"]}));
    let strict = tree.refuse_unknown();
    let wrong = strict.at(&Given::state(json!({"notes": [1]}))).await;
    let error = ErrorObject::from(wrong.unwrap_err());
    assert_eq!(error.code, -32602);
    assert!(
        error.message.contains("`state`") && error.message.contains("expected a string"),
        "{error}"
    );
}

#[tokio::test]
async fn an_unknown_checkpoint_is_not_found_by_a_tree_that_refuses_it() {
    for (name, tree) in trees() {
        let tree = tree.refuse_unknown();
        add(&tree, &Given::nothing(), "a").await;
        let error = tree.at(&Given::checkpoint("chk_x")).await.unwrap_err();
        assert!(
            matches!(&error, CheckpointError::NotFound { checkpoint } if checkpoint == "chk_x")
        );
        assert_eq!(
            serde_json::to_value(ErrorObject::from(error)).unwrap(),
            json!({
                "code": -32005, "message": "Checkpoint not found", "data": {"checkpoint": "chk_x"}
            }),
            "{name}"
        );
    }
}

#[tokio::test]
async fn all_of_it_is_told_on_request() {
    for (name, tree) in trees() {
        let first = add(&tree, &Given::nothing(), "a").await.checkpoint;
        let state = tree.at(&Given::nothing()).await.unwrap();
        assert_eq!(state.parent(), Some(&*first));
        let update = state.commit_data().await.unwrap();
        assert_eq!(update.parent, Some(first), "{name}");
        assert_eq!(data(&update), &json!({"notes": ["a"]}), "{name}");
        let state = tree.at(&Given::nothing()).await.unwrap();
        assert_eq!(patch(&state.commit().await.unwrap()), json!([]), "{name}");
    }
}

#[tokio::test]
async fn two_that_work_at_once_make_two_branches() {
    for (name, tree) in trees() {
        let base = add(&tree, &Given::nothing(), "a").await.checkpoint;
        let mut one = tree.at(&Given::nothing()).await.unwrap();
        let mut other = tree.at(&Given::nothing()).await.unwrap();
        one["notes"] = json!(["one"]);
        other["notes"] = json!(["other"]);
        let other = other.commit().await.unwrap();
        let one = one.commit().await.unwrap();
        assert_eq!(
            (&one.parent, &other.parent),
            (&Some(base.clone()), &Some(base)),
            "{name}"
        );
        for (update, text) in [(&one, "one"), (&other, "other")] {
            let at = Given::checkpoint(&*update.checkpoint);
            assert_eq!(notes(&tree, &at).await, json!([text]), "{name}");
        }
        assert_eq!(tree.head().await.unwrap(), Some(one.checkpoint), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_at_once_none_is_lost() {
    for (name, tree) in trees() {
        let commits = (0..40).map(|number| {
            let tree = tree.clone();
            tokio::spawn(async move { add(&tree, &Given::nothing(), &number.to_string()).await })
        });
        let strict = tree.clone().refuse_unknown();
        for commit in futures::future::join_all(commits).await {
            let at = Given::checkpoint(commit.unwrap().checkpoint);
            assert!(strict.at(&at).await.is_ok(), "{name}");
        }
    }
}

#[test]
fn what_a_request_carried_is_read_from_its_params() {
    let read = |value: Value| serde_json::from_value::<Given>(value).unwrap();
    assert_eq!(read(json!({"state": null, "other": 1})), Given::nothing());
    let both = json!({"state": {"a": 1}, "checkpoint": "chk_a"});
    let given = read(both.clone());
    assert_eq!(given, Given::state(json!({"a": 1})).and_checkpoint("chk_a"));
    assert_eq!(serde_json::to_value(given).unwrap(), both);
    assert!(!matches!(
        serde_json::from_value::<Given>(json!({"checkpoint": 7})),
        Ok(Given { .. })
    ));
}
