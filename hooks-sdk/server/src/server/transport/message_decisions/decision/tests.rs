//! Which message is decided about, and what a refusal leaves of it.

use super::*;

fn refused(toward: MessageDirection, message: Value) -> MessageAction {
    let Value::Object(message) = message else {
        panic!("an object");
    };
    MessageEnvelope::of(&message).refused(toward, "no", None)
}

fn object(value: Value) -> JsonObject {
    let Value::Object(object) = value else {
        panic!("an object");
    };
    object
}

#[test]
fn a_message_is_exempt_by_its_own_contents() {
    let exempt = |toward, message: Value| MessageEnvelope::of(&object(message)).is_exempt(toward);
    for (message, to_server, to_client) in [
        (
            json!({"id": 1, "method": "initialize", "params": {"a": 1}}),
            true,
            false,
        ),
        (json!({"id": 1, "method": "ping"}), true, true),
        (
            json!({"id": 1, "method": "ping", "params": {"_meta": {"progressToken": 2}}}),
            true,
            true,
        ),
        (
            json!({"id": 1, "method": "ping", "params": {"_meta": {"a": "text"}}}),
            true,
            false,
        ),
        (
            json!({"method": "notifications/cancelled", "params": {"requestId": 1}}),
            true,
            true,
        ),
        (
            json!({"method": "notifications/cancelled", "params": {"requestId": 1, "reason": "text"}}),
            true,
            false,
        ),
        (json!({"id": 1, "result": {}}), true, true),
        (
            json!({"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete"}}),
            true,
            true,
        ),
        (json!({"id": 1, "result": {"a": 1}}), false, false),
        (
            json!({"id": 1, "result": {"_meta": {"a": 1}}}),
            false,
            false,
        ),
        (
            json!({"id": 1, "error": {"code": 1, "message": ""}}),
            false,
            false,
        ),
        (json!({"id": 1, "method": "tools/list"}), false, false),
        // It has the name of an exempt message only.
        (json!({"method": "ping"}), false, false),
        (json!({"id": null, "method": "ping"}), false, false),
        (json!({"id": {"a": 1}, "method": "ping"}), false, false),
        (json!({"method": "initialize", "params": {}}), false, false),
        (json!({"method": "server/discover"}), false, false),
        (
            json!({"id": 1, "method": "notifications/cancelled", "params": {"requestId": 1}}),
            false,
            false,
        ),
        (json!({"method": "notifications/cancelled"}), false, false),
        (
            json!({"method": "notifications/cancelled", "params": {"requestId": {"a": 1}}}),
            false,
            false,
        ),
        // It tells something.
        (
            json!({"id": 1, "result": {"requestId": "text"}}),
            false,
            false,
        ),
        (
            json!({"id": 1, "result": {"requestId": true}}),
            false,
            false,
        ),
        (
            json!({"id": 1, "result": {"_meta": {"progressToken": "text"}}}),
            false,
            false,
        ),
        (
            json!({"id": 1, "result": {"resultType": "text"}}),
            false,
            false,
        ),
        (
            json!({"jsonrpc": "text", "id": 1, "result": {}}),
            false,
            false,
        ),
        (json!({"id": "x".repeat(257), "result": {}}), false, false),
        (
            json!({"id": 1, "method": "ping", "params": {"_meta": {"progressToken": "x".repeat(257)}}}),
            true,
            false,
        ),
        (
            json!({"id": 1, "method": "ping", "params": {"resultType": "complete"}}),
            true,
            false,
        ),
    ] {
        assert_eq!(
            exempt(MessageDirection::Server, message.clone()),
            to_server,
            "{message}"
        );
        assert_eq!(
            exempt(MessageDirection::Client, message.clone()),
            to_client,
            "{message}"
        );
    }
}

#[test]
fn whoever_waits_for_a_refused_message_is_told() {
    let error = |id: Value| {
        object(json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": "no"}}))
    };
    let mut result = json!({"content": [{"type": "text", "text": "no"}], "isError": true});
    let call = |meta: Value| json!({"id": "a", "method": "tools/call", "params": {"_meta": meta}});
    for toward in [MessageDirection::Server, MessageDirection::Client] {
        let asked = refused(toward, json!({"id": 3, "method": "x/y"}));
        assert_eq!(asked, MessageAction::Answered(error(json!(3))));
        let answer = refused(toward, json!({"id": 3, "result": {}}));
        assert_eq!(answer, MessageAction::As(error(json!(3))));
        let told = refused(toward, json!({"method": "notifications/progress"}));
        assert_eq!(told, MessageAction::Dropped);
    }
    let answered = |result: &Value| {
        MessageAction::Answered(object(
            json!({"jsonrpc": "2.0", "id": "a", "result": result}),
        ))
    };
    assert_eq!(
        refused(MessageDirection::Server, call(json!({}))),
        answered(&result)
    );
    result["resultType"] = json!("complete");
    let stateless = call(json!({PROTOCOL_VERSION: "2026-07-28"}));
    assert_eq!(
        refused(MessageDirection::Server, stateless),
        answered(&result)
    );
}
