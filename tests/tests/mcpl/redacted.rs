//! `redact` around an MCPL server: what it sends by itself and what it answers has no secret, and its ids stay.

use hooks_sdk::{
    Policy,
    plugin::ready::Redact,
    testing::{McplHost, McplHostBuilder, mcpl::Turn},
};
use serde_json::{Value, json};

use super::rig::{fixture, of_server, tool};

const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

async fn connect(builder: McplHostBuilder) -> McplHost {
    let redacting = fixture().policy(Policy::new().with(Redact::new()));
    builder.infers("well").connect(redacting).await.unwrap()
}

/// The messages of the server with this method.
fn sent(host: &McplHost, method: &str) -> Vec<Value> {
    let mut messages = of_server(host);
    messages.retain(|message| message["method"] == method);
    messages
}

#[tokio::test]
async fn what_an_mcpl_server_sends_has_no_secret() {
    for version in ["0.4", "0.5"] {
        let host = connect(McplHost::builder().version(version)).await;
        let nested = json!({"log": format!("x\n{TOKEN}")}).to_string();
        for text in [format!("the key is {TOKEN}"), nested] {
            let pushed =
                json!({"text": text, "event_id": "kim@example.org", "eventId": "kim@example.org"});
            tool(&host, "acc_push", pushed).await;
            tool(&host, "acc_infer", json!({"prompt": text})).await;
            tool(&host, "acc_infer", json!({"prompt": text, "stream": true})).await;
            let turn = Turn::new("kim@example.org").user(&text).assistant(&text);
            host.before_inference(&turn).await;
            host.after_inference(&turn).await;
        }
        for method in ["push/event", "inference/request"] {
            let messages = sent(&host, method);
            assert!(messages.len() >= 2, "{version} {method}");
            for message in messages {
                let text = message.to_string();
                assert!(text.contains("[REDACTED]"), "{version} {message}");
            }
        }
        for push in sent(&host, "push/event") {
            assert_eq!(push["params"]["eventId"], "kim@example.org", "{push}");
        }
        let all: Vec<Value> = of_server(&host);
        let injected = |message: &&Value| message["result"]["contextInjections"].is_array();
        let injections: Vec<&Value> = all.iter().filter(injected).collect();
        assert_eq!(injections.len(), 2, "{version}");
        for message in &injections {
            assert!(message.to_string().contains("[REDACTED]"), "{message}");
            // The conversation's id is text here, and no member of the protocol.
            assert!(
                !message.to_string().contains("kim@example.org"),
                "{message}"
            );
        }
        for message in &all {
            assert!(!message.to_string().contains(TOKEN), "{version} {message}");
        }
    }
}

#[tokio::test]
async fn without_a_secret_each_message_is_the_same() {
    for version in ["0.4", "0.5"] {
        let builder = || McplHost::builder().version(version);
        let redacted = connect(builder()).await;
        let plain = builder().infers("well").connect(fixture()).await.unwrap();
        let mut seen = Vec::new();
        for host in [&redacted, &plain] {
            let pushed = json!({"text": "hello", "event_id": "e1", "eventId": "e1"});
            tool(host, "acc_push", pushed).await;
            tool(host, "acc_infer", json!({"prompt": "hello"})).await;
            tool(host, "acc_chan_register", json!({})).await;
            tool(host, "acc_incoming", json!({"n": 2})).await;
            tool(host, "acc_note_add", json!({"text": "hello"})).await;
            let mut own: Vec<Value> = of_server(host);
            own.retain(|message| message["method"].is_string());
            for message in &mut own {
                message["id"].take();
                for at in [
                    "/params/timestamp",
                    "/params/messages/0/timestamp",
                    "/params/messages/1/timestamp",
                ] {
                    message.pointer_mut(at).map(Value::take);
                }
            }
            seen.push(own);
        }
        assert!(seen[0].len() >= 4, "{version} {seen:?}");
        assert_eq!(seen[0], seen[1], "{version}");
    }
}
