//! Every method that rmcp knows has a row.

use std::collections::BTreeSet;

use rmcp::{
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ServerNotification,
        ServerRequest,
    },
    schemars::{JsonSchema, schema_for},
};
use serde_json::{Value, json};

use super::{Direction, ROWS};

/// Returns the methods of rmcp's union `T`: it has a schema of each variant, which holds the method as a constant.
fn methods_of<T: JsonSchema>() -> BTreeSet<String> {
    let schema = schema_for!(T).to_value();
    let resolved = |value: &Value| -> Value {
        let mut value = value.clone();
        while let Some(path) = value.get("$ref").and_then(Value::as_str) {
            let path = path.trim_start_matches('#');
            value = schema.pointer(path).expect("a definition").clone();
        }
        value
    };
    let variants = schema["anyOf"].as_array().expect("a union");
    let method = |variant: &Value| {
        let method = resolved(&resolved(variant)["properties"]["method"]);
        method["const"].as_str().map(str::to_owned)
    };
    let methods: BTreeSet<String> = variants.iter().filter_map(method).collect();
    // The custom variant has no constant.
    assert_eq!(methods.len() + 1, variants.len(), "{schema:#}");
    methods
}

fn rows_of(direction: Direction) -> BTreeSet<String> {
    let rows = ROWS.iter().filter(|row| row.direction == direction);
    rows.map(|row| row.method.to_owned()).collect()
}

#[test]
fn every_method_that_rmcp_knows_has_a_row() {
    use Direction::{
        ClientNotification as Told, ClientRequest as Asks, ServerNotification as Tells,
    };
    assert_eq!(rows_of(Asks), methods_of::<ClientRequest>());
    assert_eq!(rows_of(Told), methods_of::<ClientNotification>());
    assert_eq!(
        rows_of(Direction::ServerRequest),
        methods_of::<ServerRequest>()
    );
    assert_eq!(rows_of(Tells), methods_of::<ServerNotification>());
}

#[test]
fn no_method_has_two_rows_in_one_direction() {
    for (at, row) in ROWS.iter().enumerate() {
        let same = |other: &&super::MethodRow| {
            other.method == row.method && other.direction == row.direction
        };
        assert!(
            !ROWS[..at].iter().any(|other| same(&other)),
            "{}",
            row.method
        );
    }
}

#[test]
fn a_row_answers_what_others_ask_about_a_method() {
    // The name, whether clients send it, and whether it is a request if nobody decides about it.
    for (method, is_of_client, exempt) in [
        ("tools/call", true, None),
        ("ping", true, Some(true)),
        ("server/discover", true, Some(true)),
        ("notifications/cancelled", true, Some(false)),
        ("notifications/progress", true, None),
        ("sampling/createMessage", false, None),
        ("notifications/message", false, None),
    ] {
        assert_eq!(super::is_of_client(method), is_of_client, "{method}");
        assert_eq!(super::exempt(method), exempt, "{method}");
        #[cfg(feature = "policy-engine")]
        assert!(super::is_known(method), "{method}");
    }
    for method in ["tools/calls", "", "a custom method"] {
        assert!(!super::is_of_client(method), "{method}");
        assert_eq!(super::exempt(method), None, "{method}");
    }
    #[cfg(feature = "policy-engine")]
    assert!(!super::is_known("tools/calls"));
}

#[cfg(feature = "oauth")]
#[test]
fn only_a_subscription_listens() {
    for (message, listens) in [
        (r#"{"method":"subscriptions/listen","id":1}"#, true),
        (r#"{"method":"subscriptions\/listen","id":1}"#, true),
        (r#"{"method":"tools/call","id":1}"#, false),
        (r#"{"method":"resources/subscribe","id":1}"#, false),
        (r#"{"id":1}"#, false),
        ("subscriptions/listen", false),
    ] {
        assert_eq!(
            super::is_listening(message.as_bytes()),
            listens,
            "{message}"
        );
    }
}

#[test]
fn a_method_without_a_row_is_refused_as_unknown() {
    assert_eq!(
        super::refused("tools/dream").code,
        ErrorCode::METHOD_NOT_FOUND
    );
}

#[test]
fn a_message_with_a_row_passes() {
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    for message in [&ping, &initialized] {
        match serde_json::from_value(message.clone()).expect("a message") {
            ClientJsonRpcMessage::Request(asked) => {
                assert!(super::without_row(&asked.request).is_none());
            }
            ClientJsonRpcMessage::Notification(told) => {
                assert!(super::may_arrive(&told.notification));
            }
            other => panic!("{other:?}"),
        }
    }
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    for message in [ping, changed] {
        let message = serde_json::from_value(message).expect("a message");
        assert!(super::may_leave(&message));
    }
}
