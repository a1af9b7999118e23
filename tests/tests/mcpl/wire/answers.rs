//! What hosts answer, read in every form that hosts have.

use hooks_sdk::mcpl::wire::{ChannelResult, IncomingResults, Registered};
use serde_json::{from_value, json};

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
