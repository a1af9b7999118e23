//! What the specification forbids is refused, in words that say what is wrong.

use hooks_sdk::mcpl::{
    BeforeInference, ChannelDescriptor, Content, ContentBlock, Elevation, InferenceResult,
    Injection, Message, ModelInfo, Publish, Scope, Tag, Usage,
    wire::{
        BeforeInferenceResult, FeatureSetDeclaration, FeatureSetsUpdate, InferenceChunk,
        InferenceRequest, ManifestChanged, PushEvent, Receipt, RollbackResult, StateUpdate,
    },
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::refusal;

#[test]
fn media_in_both_forms_or_in_neither() {
    for kind in ["image", "audio"] {
        let both = json!({"type": kind, "data": "x", "mimeType": "image/png", "uri": "y"});
        assert_eq!(
            refusal::<ContentBlock>(both),
            format!(
                "`data` with `mimeType` and `uri` exclude each other in a content block of type `{kind}`"
            )
        );
        for less in [
            json!({}),
            json!({"data": "x"}),
            json!({"mimeType": "image/png"}),
        ] {
            let mut block = json!({ "type": kind });
            block
                .as_object_mut()
                .unwrap()
                .extend(less.as_object().unwrap().clone());
            assert_eq!(
                refusal::<ContentBlock>(block),
                format!(
                    "a content block of type `{kind}` has neither `data` with `mimeType` nor `uri`"
                )
            );
        }
    }
}

#[test]
fn blocks_that_are_no_blocks() {
    for (block, why) in [
        (
            json!({"text": "x"}),
            "a content block has no `type` that is a string",
        ),
        (
            json!({"type": 1}),
            "a content block has no `type` that is a string",
        ),
        (
            json!({"type": "text"}),
            "a content block of type `text` has no `text`",
        ),
        (
            json!({"type": "text", "text": null}),
            "a content block of type `text` has no `text`",
        ),
        (
            json!({"type": "text", "text": 1}),
            "`text` of a content block is no string",
        ),
        (
            json!({"type": "resource"}),
            "a content block of type `resource` has no `uri`",
        ),
        (
            json!({"type": "image", "uri": 1}),
            "`uri` of a content block is no string",
        ),
    ] {
        assert_eq!(refusal::<ContentBlock>(block.clone()), why);
        // The same words where blocks stand in an array.
        assert_eq!(refusal::<Content>(json!([block])), why);
    }
    assert_eq!(
        refusal::<Content>(json!(5)),
        "invalid type: integer `5`, expected a string or an array of content blocks"
    );
    assert!(refusal::<Content>(json!(["x"])).contains("expected a map"));
}

#[test]
fn a_state_with_data_and_patch() {
    let both = json!({"checkpoint": "b", "parent": "a", "data": {}, "patch": []});
    assert_eq!(
        refusal::<StateUpdate>(both),
        "`data` and `patch` exclude each other in a state"
    );
    // A whole state that is `null` is a state.
    let both = json!({"checkpoint": "b", "parent": "a", "data": null, "patch": []});
    assert!(refusal::<StateUpdate>(both).contains("exclude each other"));
    for patch in [
        json!([{"op": "increment", "path": "/a"}]),
        json!([{"op": "add", "path": "/a"}]),
        json!([{"op": "add", "path": "a", "value": 1}]),
        json!({"op": "remove", "path": "/a"}),
    ] {
        refusal::<StateUpdate>(json!({"checkpoint": "b", "parent": "a", "patch": patch}));
    }
}

/// Without any one of its members, and with any one of another type, it is refused.
#[track_caller]
fn each_is_required<T: DeserializeOwned>(whole: Value) {
    serde_json::from_value::<T>(whole.clone()).unwrap_or_else(|error| panic!("{error}"));
    for name in whole.as_object().unwrap().keys() {
        let mut less = whole.clone();
        less.as_object_mut().unwrap().remove(name);
        assert_eq!(refusal::<T>(less), format!("missing field `{name}`"));
        for wrong in [json!([[]]), json!(null), json!(1.5)] {
            let mut whole = whole.clone();
            whole[name] = wrong;
            refusal::<T>(whole);
        }
    }
}

#[test]
fn required_members() {
    each_is_required::<PushEvent>(json!({
        "featureSet": "a", "eventId": "e", "timestamp": "t", "payload": {"content": []}
    }));
    each_is_required::<BeforeInference>(json!({
        "inferenceId": "i", "conversationId": "c"
    }));
    each_is_required::<BeforeInferenceResult>(json!({"featureSet": "a", "contextInjections": []}));
    each_is_required::<Injection>(json!({"namespace": "n", "position": "system", "content": "x"}));
    each_is_required::<ModelInfo>(json!({
        "id": "m", "vendor": "v", "contextWindow": 1, "capabilities": []
    }));
    each_is_required::<InferenceRequest>(json!({"featureSet": "a", "messages": []}));
    each_is_required::<Message>(json!({"role": "user", "content": "x"}));
    each_is_required::<InferenceResult>(json!({"content": "x"}));
    each_is_required::<FeatureSetDeclaration>(json!({"description": "d", "uses": []}));
    each_is_required::<Scope>(json!({"label": "l"}));
    each_is_required::<Elevation>(json!({"approved": true}));
    each_is_required::<RollbackResult>(json!({"checkpoint": "c", "success": true}));
    each_is_required::<StateUpdate>(json!({"checkpoint": "c"}));
    each_is_required::<ChannelDescriptor>(json!({
        "id": "i", "type": "t", "label": "l", "direction": "inbound"
    }));
    each_is_required::<Publish>(json!({"channelId": "c", "content": []}));
    each_is_required::<ManifestChanged>(json!({"revision": "r", "domains": []}));
}

#[test]
fn integers_out_of_range() {
    let turn = |index: Value| json!({"inferenceId": "i", "conversationId": "c", "turnIndex": index, "userMessage": null, "model": {}});
    for index in [json!(-1), json!(0.5), json!("0"), json!(1e300)] {
        let why = refusal::<BeforeInference>(turn(index));
        assert!(why.contains("expected u64"), "{why}");
    }
    super::decoded::<BeforeInference>(&turn(json!(u64::MAX)));
    refusal::<Usage>(json!({"inputTokens": -1, "outputTokens": 0}));
    let model = json!({"id": "m", "vendor": "v", "contextWindow": -5, "capabilities": []});
    refusal::<ModelInfo>(model);
    let preferences = json!({"featureSet": "a", "messages": [], "preferences": {"maxTokens": 1.5}});
    refusal::<InferenceRequest>(preferences);
}

#[test]
fn words_of_closed_lists() {
    let position = json!({"namespace": "n", "position": "middle", "content": "x"});
    assert!(refusal::<Injection>(position).contains("unknown variant `middle`"));
    // Which serde's own enums would read as the word.
    let position = json!({"namespace": "n", "position": {"system": null}, "content": "x"});
    assert_eq!(
        refusal::<Injection>(position),
        "invalid type: map, expected a string"
    );
    let channel = json!({"id": "i", "type": "t", "label": "l", "direction": {"inbound": null}});
    assert_eq!(
        refusal::<ChannelDescriptor>(channel),
        "invalid type: map, expected a string"
    );
    refusal::<ManifestChanged>(json!({"revision": "r", "domains": ["tools"]}));
    let more = json!({"revision": "r", "domains": [], "added": {}});
    assert!(refusal::<ManifestChanged>(more).contains("unknown field `added`"));
    assert!(refusal::<Tag>(json!("mention")).starts_with("`mention` is no tag"));
}

#[test]
fn ids_of_requests_are_numbers_or_strings() {
    let chunk = |id: Value| json!({"requestId": id, "index": 0, "delta": "x"});
    for id in [json!(1), json!("a"), json!(1.5)] {
        super::decoded::<InferenceChunk>(&chunk(id));
    }
    for id in [json!(null), json!(true), json!({}), json!([1])] {
        assert_eq!(
            refusal::<InferenceChunk>(chunk(id)),
            "`requestId` is neither a number nor a string"
        );
    }
}

#[test]
fn a_receipt_says_whether_it_accepts_and_what_is_left() {
    assert_eq!(refusal::<Receipt>(json!({})), "missing field `accepted`");
    refusal::<Receipt>(json!({"accepted": "yes"}));
    assert_eq!(
        refusal::<Receipt>(json!({"accepted": false})),
        "missing field `fallback`"
    );
    let unavailable = json!([{"featureSet": "a", "missingCapabilities": []}]);
    assert_eq!(
        refusal::<Receipt>(json!({"accepted": true, "unavailableFeatures": unavailable})),
        "missing field `effect`"
    );
}

#[test]
fn lists_that_are_no_lists() {
    for member in [
        "enabled",
        "disabled",
        "effectiveCapabilities",
        "deniedCapabilities",
    ] {
        for wrong in [json!("a"), json!([1]), json!({}), json!(true)] {
            refusal::<FeatureSetsUpdate>(json!({ member: wrong }));
        }
    }
    refusal::<FeatureSetsUpdate>(json!({"scopes": []}));
    refusal::<FeatureSetsUpdate>(json!({"scopes": {"a": {"whitelist": "x"}}}));
    for params in [json!(null), json!([]), json!("x"), json!(1)] {
        refusal::<FeatureSetsUpdate>(params);
    }
}
