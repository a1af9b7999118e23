//! What a declaration has: tags of the author's, and the members of the document.

use hooks_sdk::{
    core::Registry,
    mcpl::{
        Definition, FeatureSet, FeatureSetChange, McplHook, problems, sender::Sender,
        wire::manifest,
    },
    prelude::*,
    testing::McplHost,
};
use serde_json::json;

use super::{
    bench::{Bench, Channels, Late},
    rig::tool,
};

/// Keeps notes
#[mcpl::feature_set("bench.notes", rollback, server = Bench)]
struct NoteKeeping;

/// Reports builds
#[mcpl::feature_set(
    "bench.builds",
    sends(push),
    tag_ontology = r#"{"coreTags": ["build:red"], "tags": {"build:red": {"implies": ["build:done"]}}}"#,
    server = Bench
)]
struct Builds;

struct Misspelt;

impl FeatureSet for Misspelt {
    const DEFINITION: Definition = Definition::new("bench.odd", "Odd")
        .sends(&[Sender::Push])
        .tag_ontology(r#"{"coreTags": ["not a tag"]}"#);
}

#[tokio::test]
async fn what_tags_mean_is_declared_to_hosts_of_0_5() {
    for version in ["0.4", "0.5"] {
        let server = Bench::new().with([Builds::hook()]);
        let host = McplHost::builder().version(version).connect(server).await;
        let declared = host.unwrap().declared();
        let ontology = declared["featureSets"]["bench.builds"].get("tagOntology");
        let written = json!({
            "coreTags": ["build:red"], "tags": {"build:red": {"implies": ["build:done"]}},
        });
        assert_eq!(
            ontology,
            (version == "0.5").then_some(&written),
            "{declared}"
        );
    }
}

#[test]
fn an_ontology_with_other_identifiers_is_an_error_at_start_up() {
    let odd: hooks_sdk::core::Hook = McplHook::feature_set::<Misspelt>().into();
    let registry = Registry::builder().add(odd).build().unwrap();
    let found = problems(&registry);
    assert_eq!(found.len(), 1, "{found:?}");
    let message = &found[0].message;
    assert!(
        message.contains("`bench.odd`") && message.contains("`not a tag`"),
        "{message}"
    );
}

async fn host(version: &str) -> McplHost {
    let server = Bench::new().tool("change", |call, _| async move {
        let change = FeatureSetChange::new().add::<Late>();
        json!(call.host().change_feature_sets(change).await.is_ok())
    });
    let keeps = McplHook::tool::<NoteKeeping, Bench>("change").unguarded();
    let back = McplHook::answering_any::<NoteKeeping, _, _>(
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
    let host = host.connect(server.with(hooks)).await.unwrap();
    if version == "0.4" {
        let update = json!({"enabled": ["*"]});
        host.notify("featureSets/update", update).await.unwrap();
    }
    host
}

#[tokio::test]
async fn feature_sets_are_an_object_by_name_with_the_members_of_the_document() {
    for version in ["0.4", "0.5"] {
        let host = host(version).await;
        let declared = host.declared();
        assert!(declared["channels"].is_object(), "{declared}");
        let notes = json!({"description": "Keeps notes", "uses": ["tools"], "rollback": true});
        let sets = declared["featureSets"].as_object().unwrap();
        let names: Vec<&String> = sets.keys().collect();
        assert_eq!(names, ["bench.chan", "bench.notes"]);
        assert_eq!(sets["bench.notes"], notes);
        let revision = (version == "0.5").then(|| json!(manifest::revision(&declared).unwrap()));
        assert_eq!(declared.get("revision"), revision.as_ref());
    }
}

#[tokio::test]
async fn a_set_that_is_added_is_in_an_object_by_its_name() {
    let host = host("0.4").await;
    assert_eq!(tool(&host, "change", json!({})).await, true);
    let changed = host.wait_for("featureSets/changed").await.unwrap();
    let late = json!({"bench.late": {"description": "Comes later", "uses": ["pushEvents"]}});
    assert_eq!(changed["params"]["added"], late);
}
