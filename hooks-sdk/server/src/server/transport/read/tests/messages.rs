//! One message or more for each method, in each order of its members.

use serde_json::Value;

use super::lines::Json;

/// The method and the params of a message; a method without a name is an answer with this result.
const MESSAGES: &[(&str, &str)] = &[
    ("tools/call", r#"{"name":"hello"}"#),
    (
        "tools/call",
        r#"{"name":"hello","arguments":{"text":"a\nb é","n":[1,2.5,-3,{"deep":{"x":null}}]},
            "_meta":{"progressToken":"p","hooks-sdk/session":"s"}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"hello","state":{"a":1},"checkpoint":"c","scope":{"b":[2]},
            "inputResponses":{"k":{"x":1}},"requestState":"s","unknown":{"a":[1]}}"#,
    ),
    ("tools/list", r#"{"cursor":"c"}"#),
    ("tools/list", r#"{"_meta":{"progressToken":7}}"#),
    ("tools/list", ""),
    ("ping", ""),
    ("ping", r#"{"_meta":{"a":1},"x":2}"#),
    (
        "initialize",
        r#"{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true},"sampling":{},
            "elicitation":{"form":{}},"experimental":{"mcpl":{"version":"0.4"}},"extensions":{"a/b":{}}},
            "clientInfo":{"name":"n","version":"1","icons":[{"src":"s","theme":"dark"}],"x":{"y":1}}}"#,
    ),
    (
        "server/discover",
        r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientCapabilities":{"experimental":{"hooks":{}},"extensions":{}}}}"#,
    ),
    ("prompts/get", r#"{"name":"n","arguments":{"a":"b"}}"#),
    ("prompts/list", r#"{"cursor":"c"}"#),
    (
        "resources/read",
        r#"{"uri":"file:///a","requestState":"s"}"#,
    ),
    ("resources/list", "{}"),
    ("resources/templates/list", r#"{"cursor":"c"}"#),
    (
        "resources/directory/read",
        r#"{"uri":"file:///a","cursor":"c"}"#,
    ),
    ("resources/subscribe", r#"{"uri":"file:///a"}"#),
    ("resources/unsubscribe", r#"{"uri":"file:///a"}"#),
    (
        "subscriptions/listen",
        r#"{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a"],"x":1}}"#,
    ),
    (
        "completion/complete",
        r#"{"ref":{"type":"ref/prompt","name":"n"},"argument":{"name":"a","value":"v","x":1},
            "context":{"arguments":{"a":"b"}}}"#,
    ),
    (
        "completion/complete",
        r#"{"ref":{"type":"ref/resource","uri":"u"},"argument":{"name":"a","value":"v"}}"#,
    ),
    ("logging/setLevel", r#"{"level":"info"}"#),
    ("tasks/get", r#"{"taskId":"t"}"#),
    (
        "tasks/update",
        r#"{"taskId":"t","inputResponses":{"a":{"action":"accept"}}}"#,
    ),
    ("tasks/cancel", r#"{"taskId":"t"}"#),
    ("skills/list", r#"{"cursor":"c"}"#),
    ("skills/get", r#"{"uri":"skill://a"}"#),
    ("notifications/initialized", ""),
    ("notifications/initialized", r#"{"_meta":{"a":1}}"#),
    ("notifications/cancelled", r#"{"requestId":7,"reason":"r"}"#),
    (
        "notifications/progress",
        r#"{"progressToken":"p","progress":0.5,"total":10,"message":"m","_meta":{"a":1}}"#,
    ),
    ("notifications/roots/list_changed", ""),
    (
        "acme/custom",
        r#"{"_meta":{"a":1},"x":{"y":[1,2]},"z":"t"}"#,
    ),
    ("acme/custom", "{}"),
    ("acme/custom", ""),
    ("notifications/acme", r#"{"x":1}"#),
    ("", r#"{"roots":[{"uri":"file:///a","name":"n"}]}"#),
    (
        "",
        r#"{"role":"assistant","model":"m","content":{"type":"text","text":"t"}}"#,
    ),
    ("", r#"{"action":"accept","content":{"a":1}}"#),
    ("", "{}"),
    ("", r#"{"featureSets":{"a.b":{"x":1}}}"#),
    ("", "null"),
];

pub(super) const COUNT: usize = MESSAGES.len();

/// In how many orders the members are given.
pub(super) const ORDERS: usize = 24;

/// The message of this number, with its members in this order.
pub(super) fn message(at: usize, order: usize) -> Json {
    let (method, payload) = MESSAGES[at];
    let told = method.starts_with("notifications/");
    let mut members = vec![("\"jsonrpc\"".to_owned(), Json::Token("\"2.0\"".to_owned()))];
    if !told {
        members.push(("\"id\"".to_owned(), Json::Token("1".to_owned())));
    }
    if !method.is_empty() {
        members.push(("\"method\"".to_owned(), Json::Token(format!("{method:?}"))));
    }
    if !payload.is_empty() {
        let name = if method.is_empty() {
            "\"result\""
        } else {
            "\"params\""
        };
        let value: Value = serde_json::from_str(payload).unwrap();
        members.push((name.to_owned(), Json::of(&value)));
    }
    let mut left = order;
    for at in (1..members.len()).rev() {
        members.swap(at, left % (at + 1));
        left /= at + 1;
    }
    Json::Object(members)
}
