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
