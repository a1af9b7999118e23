//! The form of a message on its way to a guardian over HTTP, and of the change that comes back.

use std::sync::{Arc, Mutex};

use axum::{Json, Router, routing::post};
use hooks_sdk::aos::{Guardian, Messages, Posture};
use hooks_tests::client::{peer::Stream, text};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{agent, desk::Desk, hooked, policy::MASK};

#[tokio::test]
async fn a_message_is_bare_or_wrapped_and_a_change_is_read_in_the_same_form() {
    let seen = Arc::new(Mutex::new(Vec::<Value>::new()));
    let record = seen.clone();
    let decide = post(async move |Json(question): Json<Value>| {
        record.lock().unwrap().push(question.clone());
        let mut result = json!({"decision": "allow", "message": "fine"});
        if question.to_string().contains(MASK) {
            let changed = question.to_string().replace(MASK, "[masked]");
            let changed: Value = serde_json::from_str(&changed).expect("JSON");
            result = json!({"decision": "modify", "message": "masked", "modifiedRequest": changed});
        }
        Json(json!({"jsonrpc": "2.0", "id": question["id"], "result": result}))
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/aos", listener.local_addr().expect("an address"));
    let served = axum::serve(listener, Router::new().route("/aos", decide));
    tokio::spawn(served.into_future());

    let client = Guardian::http(&url)
        .agent(agent())
        .messages(Messages::Inbound);
    let desk = Desk::default();
    let client = client.with_tool_steps().posture(Posture::Deny);
    let mut stream = Stream::stateless(hooked(&desk, client));
    let mut params = json!({"name": "say", "arguments": {"words": [MASK]}});
    for is_wrapped in [false, true] {
        if is_wrapped {
            params["_meta"] = json!({"hooks-sdk/reasoning": "the user asked"});
        }
        let answer = stream.answer("tools/call", params.clone()).await;
        assert_eq!(text(&answer["result"]), "[masked]", "{answer}");
        let mut seen = std::mem::take(&mut *seen.lock().unwrap());
        seen.retain(|question| question["method"] == "protocols/MCP");
        let [question] = &seen[..] else {
            panic!("{seen:?}");
        };
        let given = &question["params"];
        let (message, reasoning) = match is_wrapped {
            true => (&given["message"], json!("the user asked")),
            false => (given, Value::Null),
        };
        assert_eq!(message["method"], "tools/call", "{given}");
        assert_eq!(message["params"]["arguments"]["words"][0], MASK);
        assert_eq!(given["reasoning"], reasoning);
        assert!(given.get("context").is_none(), "{given}");
    }
    assert_eq!(desk.ran(), ["[masked]", "[masked]"]);
}
