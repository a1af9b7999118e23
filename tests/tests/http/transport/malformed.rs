//! Messages that cannot be read get an error of JSON-RPC with status 400, and a body has a limit.

use hooks_tests::client::{Client, LEGACY, STATELESS};
use hyper::{StatusCode, header::CONTENT_TYPE};
use serde_json::{Value, json};

use super::desk::serve;

#[tokio::test]
async fn a_malformed_message_is_answered_with_its_id() {
    let (address, _) = serve().await;
    for version in [LEGACY, STATELESS] {
        let (client, _) = Client::of(version, address, json!({})).await;
        for (body, code, id) in [
            ("{", -32700, Value::Null),
            ("nothing", -32700, Value::Null),
            ("[]", -32600, Value::Null),
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}"#,
                -32602,
                json!(7),
            ),
            (
                r#"{"jsonrpc":"1.0","id":"x","method":"tools/list"}"#,
                -32600,
                json!("x"),
            ),
        ] {
            let mut answer = client.post(body).await;
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
            let kind = answer.headers[CONTENT_TYPE].clone();
            assert_eq!(kind, "application/json");
            let message = answer.last().await;
            assert_eq!(message["error"]["code"], code, "{body}: {message}");
            assert_eq!(message["id"], id, "{body}: {message}");
            assert_eq!(message["jsonrpc"], "2.0");
        }
        // No side answers a notification, even one that cannot be read.
        let answer = client
            .post(r#"{"jsonrpc":"2.0","method":"a/b","params":[1]}"#)
            .await;
        assert_eq!(answer.status, StatusCode::ACCEPTED);
        let answer = client.ask("tools/list", json!({})).await;
        assert!(answer["result"]["tools"].is_array(), "{answer}");
    }
}
#[tokio::test]
async fn a_known_method_of_a_wrong_shape_is_refused() {
    let (address, _) = serve().await;
    let client = Client::legacy(address).await;
    let answer = client.ask("tools/call", json!({"arguments": {}})).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let stranger = Client::stranger(address);
    let mut answer = stranger
        .request("initialize", json!({"capabilities": 1}))
        .await;
    let message = answer.last().await;
    assert_eq!(message["error"]["code"], -32602, "{message}");
    assert_eq!(
        (answer.status, &message["id"]),
        (StatusCode::BAD_REQUEST, &json!(answer.id))
    );
}
