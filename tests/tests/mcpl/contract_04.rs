//! The acceptance fixture towards a 0.4 host: what no other test asks.

use hooks_sdk::testing::{McplHost, mcpl::Returns};
use serde_json::json;

use super::rig::{ErrorCode, connect, host_04, tool};

#[tokio::test]
async fn channels_are_registered_changed_and_listed() {
    let host = host_04().await;
    let registered = tool(&host, "acc_chan_register", json!({})).await;
    assert_eq!(
        registered,
        json!({"ok": true, "result": {"registered": ["acc:lobby", "acc:news"]}})
    );
    let room = |name: &str, label: &str, direction: &str| {
        json!({
            "id": format!("acc:{name}"), "type": "acc", "label": label, "direction": direction,
            "address": {"room": name},
        })
    };
    let lobby = room("lobby", "Lobby", "bidirectional");
    let news = room("news", "News", "outbound");
    assert_eq!(
        host.received("channels/register")[0]["params"],
        json!({"channels": [lobby, news]})
    );
    let listed = host.request("channels/list", json!({})).await.unwrap();
    assert_eq!(listed, json!({"channels": [lobby, news]}));

    let changed = tool(&host, "acc_chan_changed", json!({})).await;
    assert_eq!(changed, json!({"ok": true}));
    let told = host.wait_for("channels/changed").await.unwrap();
    assert!(told.get("id").is_none(), "{told}");
    let renamed = room("lobby", "Lobby 2", "bidirectional");
    let extra = room("extra", "Extra", "bidirectional");
    assert_eq!(
        told["params"],
        json!({"added": [extra], "removed": ["acc:news"], "updated": [renamed]})
    );
    let listed = host.request("channels/list", json!({})).await.unwrap();
    assert_eq!(listed, json!({"channels": [extra, renamed]}));
    let open = json!({"type": "acc", "address": {"room": "lobby"}});
    let opened = host.request("channels/open", open).await.unwrap();
    assert_eq!(opened["channel"], renamed);
    let known = tool(&host, "acc_chan_list_host", json!({})).await;
    assert_eq!(known["ok"], true);
    assert_eq!(known["result"]["channels"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_rollback_is_of_an_enabled_set_that_is_declared_with_it() {
    let host = connect(McplHost::builder().returns(Returns::Nothing)).await;
    tool(&host, "acc_note_add", json!({"text": "one"})).await;
    let first = host.stored("acc.notes").unwrap().checkpoint;
    let of_nothing = host.rollback("acc.nope", &first).await;
    assert_eq!(of_nothing.code_or_0(), -32003);
    let of_files = host.rollback("acc.files", &first).await.unwrap();
    assert!(!of_files.success);
    let reason = of_files.reason.unwrap_or_default();
    assert_eq!(reason, "the feature set is not declared with rollback");
    assert!(host.rollback("acc.notes", &first).await.unwrap().success);
    host.disable(["acc.files", "acc.notes"]).await.unwrap();
    for set in ["acc.files", "acc.notes"] {
        let refused = host.rollback(set, &first).await;
        assert_eq!(refused.code_or_0(), -32001, "{set}");
    }
}
