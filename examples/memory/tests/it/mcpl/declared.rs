//! What is declared to a host of each version.

use hooks_sdk::testing::McplHost;
use serde_json::json;

use super::{fresh, met, no_failures};

/// The declaration of MCPL 0.4.1 §15.1, to the letter, and the notes beside it.
#[tokio::test]
async fn the_declaration_is_the_documents_own() {
    let (_folder, path) = fresh();
    let host = met(McplHost::builder(), &path).await;
    let mut declared = host.declared();
    let notes = declared["featureSets"]
        .as_object_mut()
        .unwrap()
        .remove("memory.notes");
    assert_eq!(
        declared,
        json!({
            "version": "0.4",
            "contextHooks": { "beforeInference": true, "afterInference": { "blocking": false } },
            "inferenceRequest": { "streaming": true },
            "pushEvents": true,
            "featureSets": {
                "memory.retrieval": {
                    "description": "Retrieve relevant memories",
                    "uses": ["contextHooks.beforeInference"]
                },
                "memory.extraction": {
                    "description": "Learn from conversations",
                    "uses": ["contextHooks.afterInference"]
                },
                "memory.consolidation": {
                    "description": "Summarize memories using AI",
                    "uses": ["inferenceRequest"]
                },
                "memory.proactive": {
                    "description": "Surface reminders proactively",
                    "uses": ["pushEvents"]
                }
            }
        })
    );
    assert_eq!(
        notes,
        Some(json!({
            "description": "Keep working notes that can be rolled back",
            "uses": ["tools"], "rollback": true
        }))
    );
    no_failures(&host);
}

#[tokio::test]
async fn a_host_of_0_5_is_told_what_it_can_grant() {
    let (_folder, path) = fresh();
    let host = met(McplHost::builder().version("0.5"), &path).await;
    let declared = host.declared();
    let sets = &declared["featureSets"];
    assert_eq!(
        sets["memory.retrieval"]["uses"],
        json!(["contextHooks.beforeInference.inject.beforeUser"])
    );
    // The words are of use, but no need.
    assert_eq!(declared["contextHooks"]["beforeInference"]["observe"], true);
    // 0.5 has nothing after an inference, so there is nothing to learn from.
    assert!(sets.get("memory.extraction").is_none(), "{sets}");
    assert!(declared["revision"].is_string(), "{declared}");
    no_failures(&host);
}
