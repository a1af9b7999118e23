//! Forms that some hosts read and the document does not have: on request, and to hosts of 0.4 only.

use hooks_sdk::{
    mcpl::{FeatureSetChange, Hook, Settings},
    prelude::*,
    testing::McplHost,
};
use serde_json::{Value, json};

use super::{
    bench::{Bench, Channels, Late},
    rig::tool,
};

/// Keeps notes
#[mcpl::feature_set("bench.notes", rollback, server = Bench)]
struct NoteKeeping;

async fn host(version: &str, settings: Settings) -> McplHost {
    let server = Bench::new().tool("change", |call, _| async move {
        let change = FeatureSetChange::new().add::<Late>();
        json!(call.host().change_feature_sets(change).await.is_ok())
    });
    let keeps = Hook::tool::<NoteKeeping, Bench>("change").unguarded();
    let back = Hook::answering_any::<NoteKeeping, _, _>(
        "back",
        mcpl::point::rollback,
        |_: &mcpl::RollbackRequest, _| Box::pin(async {}),
    );
    let hooks = [
        Channels::hook(),
        Late::hook(),
        NoteKeeping::hook(),
        keeps.into(),
        back.into(),
    ];
    let host = McplHost::builder().version(version).silent();
    let host = host
        .connect(server.with_settings(settings, hooks))
        .await
        .unwrap();
    if version == "0.4" {
        let update = json!({"enabled": ["*"]});
        host.notify("featureSets/update", update).await.unwrap();
    }
    host
}

#[tokio::test]
async fn feature_sets_are_an_array_where_the_author_says_so() {
    let host = host("0.4", Settings::new().array_form()).await;
    let declared = host.declared();
    assert_eq!(declared["channels"], true);
    let notes = json!({
        "name": "bench.notes", "description": "Keeps notes", "uses": ["tools"], "rollback": true,
    });
    let sets = declared["featureSets"].as_array().unwrap();
    let names: Vec<&Value> = sets.iter().map(|set| &set["name"]).collect();
    assert_eq!(names, ["bench.chan", "bench.notes"]);
    assert_eq!(sets[1], notes);
    assert_eq!(tool(&host, "change", json!({})).await, true);
    let changed = host.wait_for("featureSets/changed").await.unwrap();
    assert_eq!(changed["params"]["added"][0]["name"], "bench.late");
}

#[tokio::test]
async fn host_state_is_declared_of_sets_with_rollback_where_the_author_says_so() {
    let host = host("0.4", Settings::new().host_state()).await;
    let sets = &host.declared()["featureSets"];
    assert_eq!(sets["bench.notes"]["hostState"], true);
    assert!(sets["bench.chan"].get("hostState").is_none());
}

#[tokio::test]
async fn hosts_of_0_5_and_other_servers_have_the_documents_form() {
    let both = Settings::new().array_form().host_state();
    for (version, settings) in [("0.5", both), ("0.4", Settings::new())] {
        let declared = host(version, settings).await.declared();
        assert!(declared["channels"].is_object(), "{declared}");
        let notes = &declared["featureSets"]["bench.notes"];
        let known = ["description", "uses", "rollback"];
        assert!(
            notes
                .as_object()
                .unwrap()
                .keys()
                .all(|member| known.contains(&&**member)),
            "{notes}"
        );
    }
}
