//! What hosts answer, read in every form that hosts have.

use hooks_sdk::{
    core::Open,
    mcpl::{
        Acknowledged,
        wire::{
            ChannelResult, Fallback, IncomingResults, Mode, Receipt, Registered, UnavailableFeature,
        },
    },
};
use serde_json::{from_value, json, to_value};

use super::{decoded, refusal};

#[test]
fn which_channels_were_taken() {
    let taken = |answer: serde_json::Value| {
        let registered: Registered = from_value(answer).unwrap();
        ["a", "b"].map(|id| registered.accepts(id))
    };
    assert_eq!(taken(json!({})), [true, true]);
    assert_eq!(taken(json!(null)), [true, true]);
    assert_eq!(taken(json!({"ok": true})), [true, true]);
    assert_eq!(taken(json!({"registered": ["a"]})), [true, false]);
    assert_eq!(taken(json!({"registered": []})), [false, false]);
    let itemized = json!({"results": [
        {"id": "a", "accepted": true}, {"id": "b", "accepted": false, "reason": "policy"}
    ]});
    assert_eq!(taken(itemized.clone()), [true, false]);
    let registered: Registered = decoded(&itemized);
    assert_eq!(registered.reason("b"), Some("policy"));
    assert_eq!(registered.reason("a"), None);
    let results = vec![
        ChannelResult::accepted("a"),
        ChannelResult::refused("b", "policy"),
    ];
    assert_eq!(registered, Registered::results(results));
    // What is said one by one counts, and of two answers about one channel the one that refuses.
    assert_eq!(
        taken(json!({"registered": ["a", "b"], "results": []})),
        [false, false]
    );
    let twice = json!({"results": [{"id": "a", "accepted": true}, {"id": "a", "accepted": false}]});
    assert_eq!(taken(twice), [false, false]);
    decoded::<Registered>(&json!({"registered": ["a"], "more": 1}));
    refusal::<Registered>(json!({"registered": true}));
    refusal::<Registered>(json!([]));
}

#[test]
fn which_messages_were_taken() {
    let results: IncomingResults = decoded(&json!({"results": [
        {"messageId": "m1", "accepted": true, "conversationId": "c"},
        {"messageId": "m2", "accepted": false}
    ]}));
    assert_eq!(
        ["m1", "m2", "m3"].map(|id| results.accepts(id)),
        [true, false, false]
    );
}

#[test]
fn receipts_that_accept() {
    let all = Receipt::accepted(Vec::new());
    assert_eq!(to_value(&all).unwrap(), json!({"accepted": true}));
    assert!(all.is_accepted());
    let missing = vec!["inferenceLifecycle".to_owned()];
    let some = Receipt::accepted(vec![UnavailableFeature::disabled("a.after", missing)]);
    let expected = json!({
        "accepted": true, "mode": "degraded",
        "unavailableFeatures": [
            {"featureSet": "a.after", "missingCapabilities": ["inferenceLifecycle"], "effect": "disabled"}
        ]
    });
    assert_eq!(to_value(&some).unwrap(), expected);
    assert_eq!(decoded::<Receipt>(&expected), some);
    let notes =
        json!({"accepted": true, "mode": "degraded", "unavailableFeatures": [], "notes": ["x"]});
    let Receipt::Accepted(receipt) = decoded(&notes) else {
        panic!("a receipt that accepts")
    };
    assert_eq!(receipt.mode, Some(Open::Known(Mode::Degraded)));
    assert_eq!(receipt.notes.unwrap(), ["x"]);
}

#[test]
fn receipts_that_refuse() {
    let refused = Receipt::refused(
        Fallback::McpOnly,
        vec!["pushEvents".to_owned()],
        "no events",
    );
    let expected = json!({
        "accepted": false, "fallback": "mcp-only", "missingCapabilities": ["pushEvents"],
        "reason": "no events"
    });
    assert_eq!(to_value(&refused).unwrap(), expected);
    assert_eq!(decoded::<Receipt>(&expected), refused);
    assert!(!refused.is_accepted());
    // Members of the other kind are kept like any that are not known.
    decoded::<Receipt>(&json!({"accepted": false, "fallback": "close", "notes": ["x"]}));
    decoded::<Receipt>(&json!({"accepted": true, "reason": "x", "fallback": 1}));
}

#[test]
fn acknowledgements() {
    let done = Acknowledged::done().representation("eyes");
    let expected = json!({"acknowledged": true, "representation": "eyes"});
    assert_eq!(to_value(&done).unwrap(), expected);
    assert_eq!(decoded::<Acknowledged>(&expected), done);
    assert_eq!(
        to_value(Acknowledged::failed("no reactions here")).unwrap(),
        json!({"acknowledged": false, "reason": "no reactions here"})
    );
}
