//! What an author adds to a declaration: tags, and forms that some hosts read and the document does not have.

use hooks_sdk::{
    Collected,
    core::Registry,
    mcpl::{
        Definition, FeatureSet, FeatureSetChange, McplHook, McplSettings, problems, sender::Sender,
        wire::manifest,
    },
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

async fn host(version: &str, settings: McplSettings) -> McplHost {
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
    let host = host("0.4", McplSettings::new().array_form()).await;
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
    let late = json!({"bench.late": {"description": "Comes later", "uses": ["pushEvents"]}});
    assert_eq!(changed["params"]["added"], late);
}

#[tokio::test]
async fn host_state_is_declared_of_the_set_with_rollback_where_the_author_says_so() {
    for version in ["0.4", "0.5"] {
        let host = host(version, McplSettings::new().host_state()).await;
        let declared = host.declared();
        let sets = &declared["featureSets"];
        assert_eq!(sets["bench.notes"]["hostState"], true, "{version}");
        assert!(sets["bench.chan"].get("hostState").is_none(), "{version}");
        let revision = (version == "0.5").then(|| json!(manifest::revision(&declared).unwrap()));
        assert_eq!(declared.get("revision"), revision.as_ref());
    }
}

/// Keeps a ledger
#[mcpl::feature_set("bench.ledger", rollback, server = Bench)]
struct Ledger;

#[tokio::test]
async fn host_state_of_two_sets_with_rollback_is_an_error_at_start_up() {
    fn back<F: FeatureSet>(id: &'static str) -> [hooks_sdk::core::Hook; 2] {
        let back = McplHook::answering_any::<F, _, _>(
            id,
            mcpl::point::rollback,
            |_: &mcpl::RollbackRequest, _| Box::pin(async {}),
        );
        [
            McplHook::tool::<F, Bench>(id).unguarded().into(),
            back.into(),
        ]
    }
    let registry = || {
        let hooks = back::<NoteKeeping>("notes").into_iter();
        let all = hooks.chain(back::<Ledger>("ledger"));
        let builder = all.fold(Registry::builder(), |builder, hook| builder.add(hook));
        Collected::of(builder.build().unwrap()).unwrap()
    };
    let bench = || {
        let nothing = |_: mcpl::Call, _: Value| async { Value::Null };
        Bench::new().tool("notes", nothing).tool("ledger", nothing)
    };
    let problems = registry()
        .mcpl(McplSettings::new().host_state())
        .wrap(bench());
    let problems = problems.err().unwrap().to_string();
    assert!(
        problems.contains("older.rs:")
            && problems.contains("2 feature sets have rollback: `bench.ledger`, `bench.notes`")
            && problems.contains("help: remove `rollback` from all of them but one"),
        "{problems}"
    );

    let hooked = registry().wrap(bench()).unwrap();
    hooked.check().unwrap();
    let hooked = hooked.mcpl(McplSettings::new().host_state());
    assert_eq!(
        hooked.check().unwrap_err().to_string().lines().count(),
        problems.lines().count()
    );
    // A way of serving that does not ask: the handshake is refused, and says why.
    let refused = McplHost::builder().connect(hooked).await.unwrap_err();
    assert!(refused.to_string().contains("2 feature sets"), "{refused}");
}

#[tokio::test]
async fn hosts_of_0_5_and_other_servers_have_the_documents_form() {
    for (version, settings) in [
        ("0.5", McplSettings::new().array_form()),
        ("0.4", McplSettings::new()),
    ] {
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
