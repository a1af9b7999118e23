//! What authors make, as it goes out.

use std::{
    collections::HashSet,
    time::{Duration, SystemTime},
};

use hooks_sdk::mcpl::{
    Author, ChannelDescriptor, ContentBlock, Direction, ErrorObject, EventId, IncomingMessage,
    Inference, Injection, Message, Modified, Position, Push, Scope, Tag,
    tag::chat,
    wire::{
        AfterInferenceResult, ChannelsChanged, FeatureSetDeclaration, FeatureSetsChanged,
        PatchOperation, RollbackResult, ScopeElevate, StateUpdate,
    },
};
use serde_json::{Map, Value, from_value, json, to_value};

fn map(value: Value) -> Map<String, Value> {
    from_value(value).unwrap()
}

fn noon() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_769_169_600)
}

#[test]
fn an_event() {
    let push = Push::new(EventId::of("build 7", "failed"), "Build 7 failed")
        .at(noon())
        .origin(map(json!({"server": "ci"})));
    assert_eq!(
        to_value(push.event("ci.builds")).unwrap(),
        json!({
            "featureSet": "ci.builds", "eventId": "build 7#failed",
            "timestamp": "2026-01-23T12:00:00.000Z", "origin": {"server": "ci"},
            "payload": {"content": [{"type": "text", "text": "Build 7 failed"}]}
        })
    );
    assert_eq!(push.attempts, 1);
    assert_eq!(push.clone().attempts(0).attempts, 1);
    assert_eq!(push.attempts(3).attempts, 3);
    // Sent again, it is the same event at the same time.
    let push = Push::new(EventId::given("e"), vec![ContentBlock::resource("x://1")]);
    assert_eq!(push.event("a"), push.event("a"));
}

#[test]
fn ids_of_events_tell_occurrences_apart() {
    let parts = ["", "a", "#", "a#", "#a", "%", "%23", "a#b", "a%23b"];
    let mut seen = HashSet::new();
    for subject in parts {
        for occurrence in parts {
            assert!(
                seen.insert(EventId::of(subject, occurrence)),
                "{subject} {occurrence}"
            );
        }
    }
    assert_eq!(EventId::of("message 17", 2).as_str(), "message 17#2");
    assert_eq!(EventId::of(17, 2), EventId::of("17", "2"));
    assert_eq!(EventId::given("evt_1").to_string(), "evt_1");
}

#[test]
fn tags_with_what_they_imply() {
    let sorted = |tags: Option<Vec<String>>| {
        tags.map(|mut tags| {
            tags.sort_unstable();
            tags.join(" ")
        })
    };
    let tags = |tags: &[Tag]| {
        let push = Push::new(EventId::given("e"), "x");
        let push = tags.iter().cloned().fold(push, Push::tag);
        let message = IncomingMessage::new("c", "m", Author::new("u", "U"), "x");
        let message = tags.iter().cloned().fold(message, IncomingMessage::tag);
        let tags = sorted(push.event("a").tags);
        assert_eq!(tags, sorted(message.tags));
        tags.unwrap_or_default()
    };
    assert_eq!(tags(&[]), "");
    let own = Tag::new("ci:state=red").unwrap();
    assert_eq!(
        tags(&[own.clone(), chat::FROM_BOT, own]),
        "chat:from-bot ci:state=red"
    );
    assert_eq!(tags(&[chat::MENTION]), "chat:addressed chat:mention");
    assert_eq!(
        tags(&[chat::DM, chat::REPLY]),
        "chat:addressed chat:dm chat:private chat:reply"
    );
    assert_eq!(tags(&[chat::AMBIENT]), "chat:ambient");
    assert_eq!(tags(&[chat::AMBIENT, chat::ADDRESSED]), "chat:addressed");
    assert_eq!(
        tags(&[chat::MENTION, chat::AMBIENT]),
        "chat:addressed chat:mention"
    );
}

#[test]
fn an_inference() {
    let inference = Inference::new([Message::system("Be brief"), Message::user("Summarise")])
        .conversation("conv_1")
        .max_tokens(500)
        .temperature(0.7)
        .preference("modelTier", "small");
    assert_eq!(
        to_value(inference.request("memory.consolidation", true)).unwrap(),
        json!({
            "featureSet": "memory.consolidation", "conversationId": "conv_1", "stream": true,
            "messages": [
                {"role": "system", "content": "Be brief"}, {"role": "user", "content": "Summarise"}
            ],
            "preferences": {"maxTokens": 500, "temperature": 0.7, "modelTier": "small"}
        })
    );
    let least = Inference::prompt("x")
        .temperature(f64::NAN)
        .request("a", false);
    let message = json!({"role": "user", "content": "x"});
    assert_eq!(
        to_value(least).unwrap(),
        json!({"featureSet": "a", "messages": [message]})
    );
}

#[test]
fn an_injection_and_a_modified_answer() {
    let injection = Injection::new("acc", Position::System, ContentBlock::text("x"))
        .metadata(map(json!({"k": 1})));
    assert_eq!(
        to_value(injection).unwrap(),
        json!({
            "namespace": "acc", "position": "system", "content": [{"type": "text", "text": "x"}],
            "metadata": {"k": 1}
        })
    );
    let modified = Modified::to("y").metadata(map(json!({"redactions": 1})));
    assert_eq!(
        to_value(AfterInferenceResult::new("a", modified)).unwrap(),
        json!({"featureSet": "a", "modifiedResponse": "y", "metadata": {"redactions": 1}})
    );
    assert_eq!(
        to_value(AfterInferenceResult::new("a", Modified::unchanged())).unwrap(),
        json!({"featureSet": "a"})
    );
}

#[test]
fn states_and_scopes() {
    let patch: Vec<PatchOperation> =
        from_value(json!([{"op": "add", "path": "/notes/-", "value": null}])).unwrap();
    let update = StateUpdate::opaque("b", Some("a".to_owned())).with_data(json!({}));
    let update = update.with_patch(patch);
    assert_eq!(
        to_value(update).unwrap(),
        json!({
            "checkpoint": "b", "parent": "a",
            "patch": [{"op": "add", "path": "/notes/-", "value": null}]
        })
    );
    assert_eq!(
        to_value(RollbackResult::failed("a", "sent")).unwrap(),
        json!({"checkpoint": "a", "success": false, "reason": "sent"})
    );
    let scope = Scope::new("/etc/hosts").payload(map(json!({"mode": "append"})));
    assert_eq!(
        to_value(ScopeElevate::new("files.edit", scope)).unwrap(),
        json!({
            "featureSet": "files.edit",
            "scope": {"label": "/etc/hosts", "payload": {"mode": "append"}}
        })
    );
}

#[test]
fn channels_and_feature_sets_that_changed() {
    let lobby = ChannelDescriptor::new("acc:lobby", "acc", "Lobby", Direction::Bidirectional)
        .address(map(json!({"room": "lobby"})));
    assert!(!lobby.is_thinking());
    let lobby_json = json!({
        "id": "acc:lobby", "type": "acc", "label": "Lobby", "direction": "bidirectional",
        "address": {"room": "lobby"}
    });
    let changed = ChannelsChanged::new()
        .added(lobby.clone())
        .removed("acc:news")
        .updated(lobby);
    assert_eq!(
        to_value(changed).unwrap(),
        json!({"added": [lobby_json], "removed": ["acc:news"], "updated": [lobby_json]})
    );
    for (id, kind) in [("thinking", "model"), ("model:1", "thinking")] {
        assert!(ChannelDescriptor::new(id, kind, "Thinking", Direction::Outbound).is_thinking());
    }
    let files = FeatureSetDeclaration::new("Files", ["tools"]).scoped();
    let changed = FeatureSetsChanged::new()
        .added("acc.files", files)
        .removed("acc.infer");
    assert_eq!(
        to_value(changed).unwrap(),
        json!({
            "added": {"acc.files": {"description": "Files", "uses": ["tools"], "scoped": true}},
            "removed": ["acc.infer"]
        })
    );
}

#[test]
fn errors_with_their_codes_and_data() {
    for (error, expected) in [
        (
            ErrorObject::feature_set_not_enabled("a", None),
            json!({"code": -32001, "message": "Feature set not enabled", "data": {"featureSet": "a"}}),
        ),
        (
            ErrorObject::capability_denied("pushEvents"),
            json!({"code": -32002, "message": "Capability denied", "data": {"capability": "pushEvents"}}),
        ),
        (
            ErrorObject::unknown_feature_set("a"),
            json!({"code": -32003, "message": "Unknown feature set", "data": {"featureSet": "a"}}),
        ),
        (
            ErrorObject::channel_not_permitted("c"),
            json!({"code": -32017, "message": "Channel not permitted", "data": {"channelId": "c"}}),
        ),
        (
            ErrorObject::unknown_channel("c"),
            json!({"code": -32023, "message": "Unknown channel", "data": {"channelId": "c"}}),
        ),
        (
            ErrorObject::channel_open_failed("no such room"),
            json!({"code": -32024, "message": "Channel open failed: no such room"}),
        ),
        (
            ErrorObject::method_not_found("x/y"),
            json!({"code": -32601, "message": "Method not found", "data": {"method": "x/y"}}),
        ),
        (
            ErrorObject::invalid_params("missing field `a`"),
            json!({"code": -32602, "message": "Invalid params: missing field `a`"}),
        ),
    ] {
        assert_eq!(to_value(&error).unwrap(), expected);
        assert_eq!(super::decoded::<ErrorObject>(&expected), error);
    }
    let error = ErrorObject::checkpoint_not_found("c");
    assert_eq!(error.to_string(), "Checkpoint not found (-32005)");
}
