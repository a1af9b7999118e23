//! The server with the settings of its binary.

use serde_json::json;

use super::*;

// ANCHOR: program
#[tokio::test]
async fn a_test_has_the_settings_of_the_binary() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("memory.db");
    let program = program(Some(database), &Watch::default(), None, true).unwrap();

    let host = program.test_host().await.unwrap();
    let memory = json!({"project": "notes", "content": "the build needs cmake"});
    let early = host.call_tool("store_memory", memory).await.unwrap();
    assert!(early.text().contains("requires session initialization"));
}
// ANCHOR_END: program
