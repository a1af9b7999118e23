//! One value of the server that serves several connections, as over HTTP: nothing of one host reaches another.

use hooks_sdk::{
    Hooked,
    mcpl::wire::method,
    testing::{
        McplHost,
        mcpl::{HostCall, Reaction},
    },
};
use memory_server::{Memory, mcpl::NoteKeeping};
use serde_json::json;

use super::{call, fresh, keep, no_failures, store};

async fn connected(server: &Hooked<Memory>, version: &str) -> McplHost {
    let builder = McplHost::builder().version(version);
    builder.connect(server.clone()).await.unwrap()
}

#[tokio::test]
async fn two_hosts_of_one_server_have_notes_of_their_own() {
    for version in ["0.4", "0.5"] {
        let (_folder, path) = fresh();
        let server = Memory::new(store(&path)).hooked().unwrap();
        let kim = connected(&server, version).await;
        let lee = connected(&server, version).await;
        let note = json!({ "text": "ask Kim's doctor" });
        let first = call(&kim, "note_add", note).await;
        let list = |host: McplHost| async move {
            let unknown = HostCall::new("note_list", json!({})).checkpoint("chk_pruned");
            let unknown = host.call_tool_with(unknown).await.unwrap().text();
            (
                call(&host, "note_list", json!({})).await.text(),
                unknown,
                host,
            )
        };
        let (known, unknown, lee) = list(lee).await;
        assert_eq!([known, unknown], ["No notes.", "No notes."], "{version}");
        let added = call(&lee, "note_add", json!({ "text": "tea" })).await;
        assert_eq!(added.text(), "1 note:\n1. tea", "{version}");

        // What lee does, also going back, moves nothing of kim's.
        let checkpoint = added.as_value()["state"]["checkpoint"].as_str().unwrap();
        let rolled = lee.rollback(NoteKeeping::NAME, checkpoint).await.unwrap();
        assert!(rolled.success, "{rolled:?}");
        let (known, unknown, kim) = list(kim).await;
        let own = "1 note:\n1. ask Kim's doctor";
        assert_eq!([&*known, &*unknown], [own, own], "{version}");
        assert!(first.as_value()["state"]["checkpoint"].is_string());
        no_failures(&kim);
        no_failures(&lee);
    }
}

/// While the model of one host writes a merged text, another host can start a merge. A host without the feature set is refused.
#[tokio::test]
async fn a_merging_of_one_host_is_not_told_to_another_and_blocks_none() {
    let (_folder, path) = fresh();
    let related = [
        "Webhooks are sent three times",
        "Webhooks are sent three times, then dropped",
    ];
    keep(&path, "secret-shop", &related).await;
    let server = Memory::new(store(&path)).hooked().unwrap();
    let builder = McplHost::builder().react(method::INFERENCE_REQUEST, Reaction::never());
    let kim = builder.connect(server.clone()).await.unwrap();
    let lee = connected(&server, "0.4").await;
    let closed = McplHost::builder().enable(["memory.retrieval"]);
    let closed = closed.connect(server.clone()).await.unwrap();
    let merge = |project: &str| json!({ "project": project });

    let begun = call(&kim, "consolidate_memories", merge("secret-shop")).await;
    assert!(!begun.is_error(), "{begun:?}");
    let again = call(&kim, "consolidate_memories", merge("bank")).await;
    assert!(again.text().contains("secret-shop"), "{}", again.text());
    let other = call(&lee, "consolidate_memories", merge("bank"))
        .await
        .text();
    assert!(!other.contains("secret-shop"), "{other}");
    for tries in 0..2 {
        let refused = call(&closed, "consolidate_memories", merge("secret-shop")).await;
        assert!(refused.is_error(), "{tries}: {refused:?}");
        let text = refused.text();
        assert!(text.contains("not enabled the feature set"), "{text}");
    }
}
