//! `redact` over what belongs to no item.

use super::*;
use crate::{
    cleaning::{Cleaning, CleaningEnd, LooseKind},
    ready::Redact,
};

const KEY: &str = "sk-proj-abcdefgh12345678abcdefgh";
const MAIL: &str = "kim@example.org";
/// Base64 that begins as a key does.
const PICTURE: &str = "AKIAIOSFODNN7EXAMPLE";

fn cleaned(value: Value, leaving: LooseKind) -> (Value, Vec<Cleaning>) {
    let mut cleaned = value;
    let findings = chain([Redact::new().into()]).clean(&mut cleaned, leaving);
    (cleaned, findings)
}

#[test]
fn the_texts_of_mcpl_are_cleaned_and_its_ids_stay() {
    let block = |text: &str| json!({"type": "text", "text": text});
    let image = json!({"type": "image", "data": PICTURE, "mimeType": "image/png"});
    let message = |text: &str, name: &str| {
        json!({
            "channelId": "tel:+49 30 123456", "messageId": MAIL, "threadId": MAIL, "timestamp": "2026-11-22T17:11:57Z",
            "author": {"id": MAIL, "name": name}, "content": [block(text), image], "metadata": {"id": text},
        })
    };
    let channel = |label: &str| {
        json!({
            "id": MAIL, "type": "mail", "label": label, "direction": "inbound", "address": {"to": MAIL},
            "metadata": {"owner": label},
        })
    };
    let push = |text: &str| {
        json!({
            "featureSet": "mail.push", "eventId": MAIL, "origin": {"id": text},
            "payload": {"content": [block(text), image]}, "extra": {"id": text},
        })
    };
    let injected = |text: &str| {
        json!({"featureSet": "f", "contextInjections": [
            {"namespace": "acc", "position": "system", "content": text, "metadata": {"from": text}},
            {"namespace": "acc", "position": "beforeUser", "content": [block(text)]},
        ]})
    };
    let asked = |text: &str| {
        json!({"featureSet": "f", "conversationId": MAIL, "messages": [
            {"role": "user", "content": text}, {"role": "user", "content": [block(text), image]},
        ]})
    };
    for (before, after) in [
        (push(KEY), push("[REDACTED]")),
        (injected(KEY), injected("[REDACTED]")),
        (asked(KEY), asked("[REDACTED]")),
        (
            json!({"messages": [message(KEY, KEY)]}),
            json!({"messages": [message("[REDACTED]", "[REDACTED]")]}),
        ),
        (
            json!({"channels": [channel(KEY)], "added": [channel(MAIL)], "removed": [MAIL]}),
            json!({"channels": [channel("[REDACTED]")], "added": [channel("[REDACTED]")], "removed": [MAIL]}),
        ),
        (
            json!({"modifiedResponse": KEY, "metadata": {"key": KEY}}),
            json!({"modifiedResponse": "[REDACTED]", "metadata": {"key": "[REDACTED]"}}),
        ),
    ] {
        let (value, findings) = cleaned(before, LooseKind::Mcpl);
        assert_eq!(value, after);
        assert!(
            matches!(findings[0].end, CleaningEnd::Changed(_)),
            "{findings:?}"
        );
        // Nothing is found twice: what is cleaned passes each further transport as it is.
        let (same, _) = cleaned(value.clone(), LooseKind::Mcpl);
        assert_eq!(same, value);
    }
}

#[test]
fn a_secret_in_what_the_host_brings_back_is_never_rewritten_and_never_leaves() {
    for value in [
        json!({"eventId": KEY, "payload": {"content": []}}),
        json!({"channels": [{"id": "a", "address": {"room": {"key": KEY}}}]}),
        json!({"scope": {"label": "x", "payload": {"path": KEY}}}),
        json!({"state": {"data": {"password": "hunter2x"}}}),
    ] {
        let (value, findings) = cleaned(value, LooseKind::Mcpl);
        assert!(value.is_null(), "{value}");
        assert!(
            matches!(findings[0].end, CleaningEnd::Withheld(_)),
            "{findings:?}"
        );
    }
    let (value, findings) = cleaned(json!({"checkpoint": MAIL}), LooseKind::Mcpl);
    assert_eq!(value, json!({"checkpoint": MAIL}));
    assert!(
        matches!(findings[0].end, CleaningEnd::Reported(_)),
        "{findings:?}"
    );
}

#[test]
fn what_the_client_chose_is_not_looked_at() {
    let meta =
        json!({"progressToken": KEY, "io.modelcontextprotocol/subscriptionId": KEY, "own": 1});
    let value = json!({"progressToken": KEY, "requestId": KEY, "_meta": meta});
    let (same, findings) = cleaned(value.clone(), LooseKind::Mcp);
    assert_eq!((same, findings.len()), (value, 0));
    let (value, _) = cleaned(
        json!({"_meta": {"own": KEY}, "message": KEY}),
        LooseKind::Mcp,
    );
    assert_eq!(
        value,
        json!({"_meta": {"own": "[REDACTED]"}, "message": "[REDACTED]"})
    );
}

#[test]
fn what_the_client_did_not_choose_is_looked_at_under_every_name() {
    let long = format!("{} {KEY}", "x".repeat(300));
    for value in [
        json!({"_meta": {"io.modelcontextprotocol/x": KEY}}),
        json!({"_meta": {"io.modelcontextprotocol/subscriptionId": {"a": KEY}}}),
        json!({"_meta": {"progressToken": [KEY]}}),
        json!({"_meta": {"progressToken": long}}),
        json!({"requestId": {"a": KEY}}),
        json!({"requestId": long}),
        json!({"progressToken": [KEY]}),
    ] {
        for leaving in [LooseKind::Mcp, LooseKind::Custom] {
            let (after, _) = cleaned(value.clone(), leaving);
            assert!(!after.to_string().contains(KEY), "{leaving:?} {after}");
        }
    }
    let hidden = json!({"conversationId": {"a": KEY}, "messages": [{"requestId": [KEY]}]});
    let (after, _) = cleaned(hidden, LooseKind::Mcpl);
    assert!(!after.to_string().contains(KEY), "{after}");
    let meta = json!({"_meta": {"progressToken": KEY}, "requestId": KEY, "taskId": KEY});
    let (after, _) = cleaned(meta, LooseKind::Answer);
    assert!(!after.to_string().contains(KEY), "{after}");
}

#[test]
fn errors_of_mcpl_keep_the_names_of_the_protocol() {
    let error = |text: &str| json!({"message": text, "data": {"featureSet": "mail.push", "channelId": MAIL, "why": text}});
    let (value, _) = cleaned(error(KEY), LooseKind::McplError);
    assert_eq!(value, error("[REDACTED]"));
}

#[test]
fn a_number_under_the_name_of_a_secret_is_one() {
    let (value, _) = cleaned(
        json!({"a": {"pin": 4711, "count": 4711}}),
        LooseKind::Custom,
    );
    assert_eq!(value, json!({"a": {"pin": "[REDACTED]", "count": 4711}}));
}
