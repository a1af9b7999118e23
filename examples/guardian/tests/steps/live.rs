//! A policy that changes while the guardian runs.

use std::fs;

use serde_json::json;
use tokio::time::timeout;

use crate::asks::{PATIENCE, said, serve_text};

const DENY: &str = "default: deny";
const ALLOW: &str = "default: allow";

#[tokio::test]
async fn a_new_file_is_in_force_without_a_restart() {
    let (served, folder) = serve_text(ALLOW).await;
    let file = folder.path().join("policy.yaml");
    let mut changes = served.live.changes();
    changes.mark_unchanged();
    assert_eq!(
        said(&served.call("e1", "search", json!({})).await).0,
        "allow"
    );
    fs::write(&file, DENY).expect("a file");
    timeout(PATIENCE, changes.changed())
        .await
        .expect("in time")
        .expect("a change");
    assert_eq!(
        said(&served.call("e2", "search", json!({})).await).0,
        "deny"
    );
    // Editors write another file and rename it.
    let other = folder.path().join("policy.yaml.new");
    fs::write(&other, ALLOW).expect("a file");
    fs::rename(&other, &file).expect("a rename");
    timeout(PATIENCE, changes.changed())
        .await
        .expect("in time")
        .expect("a change");
    assert_eq!(
        said(&served.call("e3", "search", json!({})).await).0,
        "allow"
    );
}

#[tokio::test]
async fn a_bad_file_keeps_the_policy_and_says_so() {
    let (served, folder) = serve_text(DENY).await;
    let file = folder.path().join("policy.yaml");
    let mut changes = served.live.changes();
    changes.mark_unchanged();
    for bad in ["defualt: allow", ""] {
        fs::write(&file, bad).expect("a file");
        timeout(PATIENCE, changes.changed())
            .await
            .expect("in time")
            .expect("a change");
        let problem = changes.borrow_and_update().problem.clone();
        assert!(problem.is_some_and(|problem| problem.contains("policy.yaml:1: ")));
        assert_eq!(
            said(&served.call("e1", "search", json!({})).await).0,
            "deny"
        );
    }
    fs::remove_file(&file).expect("a file");
    timeout(PATIENCE, changes.changed())
        .await
        .expect("in time")
        .expect("a change");
    assert!(changes.borrow_and_update().problem.is_some());
    assert_eq!(
        said(&served.call("e1", "search", json!({})).await).0,
        "deny"
    );
    fs::write(&file, ALLOW).expect("a file");
    timeout(PATIENCE, changes.changed())
        .await
        .expect("in time")
        .expect("a change");
    assert_eq!(changes.borrow_and_update().problem, None);
    assert_eq!(
        said(&served.call("e1", "search", json!({})).await).0,
        "allow"
    );
}
