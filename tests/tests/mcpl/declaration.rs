//! What a declaration has: tags of the author's, and the members of the document.

use hooks_sdk::{
    core::Registry,
    mcpl::{Definition, FeatureSet, McplHook, problems, sender::Sender},
    prelude::*,
    testing::McplHost,
};
use serde_json::json;

use super::bench::Bench;

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
