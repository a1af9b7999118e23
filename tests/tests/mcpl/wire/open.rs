//! What the specification does not define survives, and what is `null` counts as absent.

use hooks_sdk::{
    core::Open,
    mcpl::{
        AfterInference, BeforeInference, ChannelDescriptor, ChannelsOpen, Content, ContentBlock,
        FinishReason, IncomingMessage, InferenceLifecycle, InferenceResult, Message, Phase,
        Preferences, Publish, RollbackRequest, Typing,
        wire::{
            FeatureSetDeclaration, FeatureSetsUpdate, InferenceRequest, PushEvent, Receipt,
            StateChange, StateUpdate, ToolCallParams,
        },
    },
};
use hooks_tests::vectors::mcpl::leftovers;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, from_value, json, to_value};

use super::decoded;

fn with_more<T: DeserializeOwned + Serialize + std::fmt::Debug>(mut whole: Value) {
    whole["xVendor"] = json!({"null": null, "list": [1, 2.5, "x"]});
    assert_eq!(leftovers(&decoded::<T>(&whole)), 1, "{whole}");
}

#[test]
fn unknown_members() {
    with_more::<PushEvent>(json!({
        "featureSet": "a", "eventId": "e", "timestamp": "t", "payload": {"content": []}
    }));
    with_more::<AfterInference>(json!({
        "inferenceId": "i", "conversationId": "c", "turnIndex": 0, "userMessage": null,
        "assistantMessage": "x", "model": {}, "usage": {"inputTokens": 1, "outputTokens": 1}
    }));
    with_more::<FeatureSetsUpdate>(json!({"enabled": []}));
    with_more::<FeatureSetDeclaration>(json!({"description": "d", "uses": []}));
    with_more::<StateUpdate>(json!({"checkpoint": "c", "parent": null}));
    with_more::<RollbackRequest>(json!({"featureSet": "a", "checkpoint": "c"}));
    with_more::<Receipt>(json!({"accepted": true}));
    with_more::<Receipt>(json!({"accepted": false, "fallback": "mcp-only"}));
    with_more::<ToolCallParams>(json!({"name": "t"}));
    with_more::<IncomingMessage>(json!({
        "channelId": "c", "messageId": "m", "author": {"id": "u", "name": "U"}, "timestamp": "t",
        "content": []
    }));
    for block in [
        json!({"type": "text", "text": "x"}),
        json!({"type": "image", "uri": "u", "mimeType": "image/png"}),
        json!({"type": "audio", "data": "d", "mimeType": "audio/ogg"}),
        json!({"type": "resource", "uri": "u"}),
    ] {
        with_more::<ContentBlock>(block);
    }
}

#[test]
fn hints_of_the_hosts_own() {
    let preferences =
        json!({"maxTokens": 1, "temperature": 0, "modelTier": "small", "costTier": null});
    let preferences: Preferences = decoded(&preferences);
    assert_eq!(preferences.hints.len(), 2);
    for temperature in [json!(0), json!(0.7), json!(1.0), json!(-3)] {
        decoded::<Preferences>(&json!({ "temperature": temperature }));
    }
}

#[test]
fn blocks_of_unknown_kinds() {
    let block = json!({"type": "video", "uri": "u", "captions": [{"lang": "en"}]});
    let ContentBlock::Other(kept) = decoded(&block) else {
        panic!("a kind that nobody knows")
    };
    assert_eq!(kept["captions"][0]["lang"], "en");
    let content: Content = decoded(&json!([{"type": "text", "text": "x"}, block]));
    assert_eq!(content.into_blocks().len(), 2);
}

#[test]
fn unknown_words() {
    let result = json!({
        "content": "x", "model": "m", "finishReason": "content_filter",
        "usage": {"inputTokens": 1, "outputTokens": 1}
    });
    let result: InferenceResult = decoded(&result);
    assert_eq!(result.finish_reason, Open::Other("content_filter".into()));
    let message: Message = decoded(&json!({"role": "developer", "content": "x"}));
    assert_eq!(message.role, Open::Other("developer".into()));
    let channel = json!({"id": "i", "type": "t", "label": "l", "direction": "sideways"});
    let channel: ChannelDescriptor = decoded(&channel);
    assert_eq!(channel.direction, Open::Other("sideways".into()));
    let typing: Typing = decoded(&json!({"channelId": "c", "op": "pause"}));
    assert_eq!(typing.op, Some(Open::Other("pause".into())));
    let lifecycle = |phase: &str| json!({"inferenceId": "i", "conversationId": "c", "turnIndex": 1, "phase": phase});
    let event: InferenceLifecycle = decoded(&lifecycle("retried"));
    assert_eq!(event.phase, Open::Other("retried".into()));
    for (word, phase, terminal) in [
        ("started", Phase::Started, false),
        ("completed", Phase::Completed, true),
        ("aborted", Phase::Aborted, true),
        ("failed", Phase::Failed, true),
    ] {
        let event: InferenceLifecycle = decoded(&lifecycle(word));
        assert_eq!(event.phase, Open::Known(phase));
        assert_eq!(phase.is_terminal(), terminal);
    }
    let receipt = json!({"accepted": false, "fallback": "sleep"});
    decoded::<Receipt>(&receipt);
}

/// Reads what has `null` for its optional members as if they were absent.
#[track_caller]
fn null_is_absent<T: DeserializeOwned + Serialize>(whole: Value, optional: &[&str]) {
    let mut nulls = whole.clone();
    for name in optional {
        nulls[*name] = Value::Null;
    }
    let read: T = from_value(nulls).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(to_value(read).unwrap(), whole);
}

#[test]
fn null_for_optional_members() {
    null_is_absent::<PushEvent>(
        json!({"featureSet": "a", "eventId": "e", "timestamp": "t", "payload": {"content": []}}),
        &["origin", "tags"],
    );
    null_is_absent::<FeatureSetsUpdate>(
        json!({}),
        &[
            "enabled",
            "disabled",
            "scopes",
            "effectiveCapabilities",
            "deniedCapabilities",
        ],
    );
    null_is_absent::<InferenceRequest>(
        json!({"featureSet": "a", "messages": []}),
        &["conversationId", "stream", "preferences"],
    );
    null_is_absent::<ToolCallParams>(
        json!({"name": "t"}),
        &["arguments", "scope", "state", "checkpoint"],
    );
    null_is_absent::<ChannelDescriptor>(
        json!({"id": "i", "type": "t", "label": "l", "direction": "inbound"}),
        &["address", "metadata"],
    );
    null_is_absent::<BeforeInference>(
        json!({"inferenceId": "i", "conversationId": "c", "turnIndex": 0, "userMessage": null, "model": {}}),
        &["channels"],
    );
    null_is_absent::<StateUpdate>(json!({"checkpoint": "c", "parent": null}), &["patch"]);
    null_is_absent::<ContentBlock>(json!({"type": "image", "uri": "u"}), &["data", "mimeType"]);
    let both = json!({"type": "audio", "data": "d", "mimeType": "audio/ogg"});
    null_is_absent::<ContentBlock>(both, &["uri"]);
}

#[test]
fn what_is_required_but_may_be_null_stays_null() {
    let turn = json!({
        "inferenceId": "i", "conversationId": "c", "turnIndex": 0, "userMessage": null, "model": {}
    });
    let turn: BeforeInference = decoded(&turn);
    assert_eq!(turn.user_message, None);
    let update = StateUpdate::opaque("c", None);
    assert_eq!(
        to_value(update).unwrap(),
        json!({"checkpoint": "c", "parent": null})
    );
    let null: StateUpdate = decoded(&json!({"checkpoint": "c", "parent": "b", "data": null}));
    assert_eq!(null.change, StateChange::Data(Value::Null));
}

/// What is left out is read as `null` is, and written all the same.
#[track_caller]
fn has_defaults<T: DeserializeOwned + Serialize>(least: Value, whole: Value) {
    let read: T = from_value(least.clone()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(to_value(read).unwrap(), whole);
    let mut nulls = whole.clone();
    for (name, value) in nulls.as_object_mut().unwrap() {
        if least.get(name).is_none() {
            *value = Value::Null;
        }
    }
    let read: T = from_value(nulls).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(to_value(read).unwrap(), whole);
}

#[test]
fn what_a_host_leaves_out_has_a_default_and_is_written() {
    let none = json!({"inputTokens": 0, "outputTokens": 0});
    has_defaults::<InferenceResult>(
        json!({"content": "x"}),
        json!({"content": "x", "model": "", "finishReason": "end_turn", "usage": none}),
    );
    has_defaults::<BeforeInference>(
        json!({"inferenceId": "i", "conversationId": "c", "userMessage": null}),
        json!({"inferenceId": "i", "conversationId": "c", "turnIndex": 0, "userMessage": null, "model": {}}),
    );
    has_defaults::<AfterInference>(
        json!({
            "inferenceId": "i", "conversationId": "c", "userMessage": null, "assistantMessage": "x",
            "usage": {"outputTokens": 1},
        }),
        json!({
            "inferenceId": "i", "conversationId": "c", "turnIndex": 0, "userMessage": null,
            "assistantMessage": "x", "model": {}, "usage": {"inputTokens": 0, "outputTokens": 1},
        }),
    );
    has_defaults::<ChannelsOpen>(
        json!({"channelId": "c"}),
        json!({"channelId": "c", "type": "", "address": {}}),
    );
    let stopped = json!({"content": "x", "finishReason": "stop"});
    let stopped: InferenceResult = from_value(stopped).unwrap();
    assert_eq!(stopped.finish_reason, Open::Known(FinishReason::EndTurn));
    let neither = from_value::<ChannelsOpen>(json!({"address": {}})).unwrap_err();
    assert!(neither.to_string().contains("`channelId`"), "{neither}");
}

#[test]
fn a_plain_text_is_tolerated_where_blocks_are_asked_for() {
    let publish: Publish = from_value(json!({"channelId": "c", "content": "Hello"})).unwrap();
    assert_eq!(publish.content, [ContentBlock::text("Hello")]);
}

/// A state goes to the host and comes back: a number that is off in its last place would be a change.
#[test]
fn numbers_come_back_as_they_went() {
    let mut bits: u64 = 0x9e37_79b9_7f4a_7c15;
    for _ in 0..10_000 {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        let number = f64::from_bits(bits);
        if number.is_finite() {
            let sent = json!({"checkpoint": "c", "parent": null, "data": number});
            let read: StateUpdate = serde_json::from_str(&sent.to_string()).unwrap();
            assert_eq!(to_value(read).unwrap(), sent);
        }
    }
}
