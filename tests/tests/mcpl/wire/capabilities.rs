//! What each side declares, in the shapes of both versions.

use hooks_sdk::mcpl::{
    Version,
    wire::{
        FeatureSetDeclaration, McplHostCapabilities, McplServerCapabilities,
        capability::CapabilityTree, uses,
    },
};
use hooks_tests::vectors::mcpl::leftovers;
use serde_json::json;

use super::{decoded, refusal};

#[test]
fn a_server_of_0_5() {
    let sent = json!({
        "version": "0.5", "pushEvents": true,
        "contextHooks": {"beforeInference": {
            "observe": true, "inject": {"system": false, "beforeUser": true, "afterUser": true}
        }},
        "inferenceLifecycle": true, "inferenceRequest": {"streaming": true}, "modelInfo": true,
        "channels": {
            "register": true, "lifecycle": true, "publish": true, "incoming": true,
            "streaming": true, "acknowledge": true, "typing": true
        },
        "featureSets": {"a": {"description": "A", "uses": ["tools"], "rollback": true}},
        "revision": "sha256:x"
    });
    let server: McplServerCapabilities = decoded(&sent);
    assert_eq!(leftovers(&server), 0);
    let Some(CapabilityTree::Each(hooks)) = server.context_hooks else {
        panic!("each by itself")
    };
    let Some(CapabilityTree::Each(before)) = hooks.before_inference else {
        panic!("each by itself")
    };
    let Some(CapabilityTree::Each(inject)) = before.inject else {
        panic!("each by itself")
    };
    assert_eq!(
        (inject.system, inject.before_user),
        (Some(false), Some(true))
    );
}

#[test]
fn one_word_stands_for_all_parts() {
    let sent = json!({
        "version": "0.5", "contextHooks": true, "inferenceRequest": false, "channels": true,
        "featureSets": {}
    });
    let server: McplServerCapabilities = decoded(&sent);
    assert_eq!(leftovers(&server), 0);
    assert_eq!(server.context_hooks, Some(CapabilityTree::All(true)));
    assert_eq!(server.channels, Some(CapabilityTree::All(true)));
    let inject = json!({"contextHooks": {"beforeInference": {"inject": true}}});
    assert_eq!(leftovers(&decoded::<McplServerCapabilities>(&inject)), 0);
}

#[test]
fn a_host_says_whether_it_has_feature_sets() {
    for feature_sets in [json!(true), json!({}), json!({"max": 10})] {
        let host: McplHostCapabilities =
            decoded(&json!({"version": "0.4", "featureSets": feature_sets}));
        assert_eq!(leftovers(&host), 0);
    }
    let host: McplHostCapabilities =
        decoded(&json!({"version": "0.6", "tools": {"observe": true}}));
    assert_eq!(host.other.len(), 1);
}

#[test]
fn capabilities_of_the_wrong_type() {
    for wrong in [
        json!({"version": 0.5}),
        json!({"pushEvents": "yes"}),
        json!({"contextHooks": 1}),
        json!({"contextHooks": {"beforeInference": "yes"}}),
        json!({"inferenceRequest": {"streaming": 1}}),
        json!({"channels": {"publish": "yes"}}),
        json!({"featureSets": [{"name": "a", "description": "A", "uses": []}]}),
        json!({"featureSets": {"a": {"uses": []}}}),
    ] {
        refusal::<McplServerCapabilities>(wrong);
    }
}

#[test]
fn uses_of_each_version() {
    assert_eq!(
        (uses(Version::V04).len(), uses(Version::V05).len()),
        (7, 17)
    );
    let old = FeatureSetDeclaration::new("A", uses(Version::V04).iter().copied());
    assert_eq!(old.unknown_uses(Version::V04).count(), 0);
    assert_eq!(
        old.unknown_uses(Version::V05).collect::<Vec<_>>(),
        [
            "contextHooks.beforeInference",
            "contextHooks.afterInference",
            "channels.observe"
        ]
    );
    let new = FeatureSetDeclaration::new("A", uses(Version::V05).iter().copied());
    assert_eq!(new.unknown_uses(Version::V05).count(), 0);
    assert_eq!(new.unknown_uses(Version::V04).count(), 13);
}
