//! A plain MCP host: every tool works as far as it can, and no word of MCPL goes over the wire.

use hooks_sdk::testing::TestHost;
use memory_server::Memory;
use serde_json::json;

use super::{fresh, keep, soon, store, until};
use crate::hooks::LEGACY;

#[tokio::test]
async fn a_plain_host_sees_nothing_of_mcpl() {
    let (_folder, path) = fresh();
    let memories = store(&path);
    keep(
        &memories,
        "shop",
        &[
            "Webhooks are sent three times",
            "Webhooks are sent three times, then dropped",
        ],
    )
    .await;
    let server = Memory::open(&path).unwrap().hooked().unwrap();
    let builder = TestHost::builder().version(LEGACY).capabilities(json!({}));
    let host = builder.connect(server).await.unwrap();
    assert!(
        !host.handshake().to_string().contains("mcpl"),
        "{}",
        host.handshake()
    );
    let call = async |tool: &str, arguments| host.call_tool(tool, arguments).await.unwrap();

    call("session_init", json!({})).await;
    let merged = call("consolidate_memories", json!({ "project": "shop" })).await;
    assert!(merged.is_error(), "{merged:?}");
    assert!(
        merged
            .text()
            .contains("merging needs a client that speaks MCPL"),
        "{}",
        merged.text()
    );
    assert!(
        merged.text().contains("help: write the text yourself"),
        "{}",
        merged.text()
    );

    let set = soon(async |at| {
        let reminder = json!({ "project": "shop", "text": "follow up", "at": at });
        let set = call("remind_me", reminder).await;
        (!set.is_error()).then(|| set.text())
    });
    let (set, due) = set.await;
    assert!(set.contains("`list_reminders` shows what is due"), "{set}");
    for (count, text) in ["Buy milk", "Call Kim"].into_iter().enumerate() {
        let added = call("note_add", json!({ "text": text })).await;
        assert!(
            added.text().starts_with(&(count + 1).to_string()),
            "{}",
            added.text()
        );
    }
    let notes = call("note_list", json!({})).await;
    assert_eq!(notes.text(), "2 notes:\n1. Buy milk\n2. Call Kim");
    until(due).await;
    let list = call("list_reminders", json!({ "project": "shop" })).await;
    assert!(list.text().contains(" (due) | ID: "), "{}", list.text());

    for method in [
        "context/beforeInference",
        "state/rollback",
        "featureSets/update",
    ] {
        assert!(host.request(method, json!({})).await.is_err(), "{method}");
    }
    for frame in host.frames() {
        let message = frame.message;
        assert!(
            message.get("method").is_none() || frame.from == hooks_sdk::testing::Side::Host,
            "{message}"
        );
        assert!(message["result"].get("state").is_none(), "{message}");
        assert_eq!(message["result"]["_meta"], json!(null), "{message}");
    }
}
