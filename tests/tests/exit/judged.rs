//! Answers that are no plain results, before hooks after the server: errors, questions, and tasks that begin.

use serde_json::{Value, json};

use crate::{
    desk::{Desk, SECRET, cleaned},
    peer::{Kind, Peer},
};

const ITEMS: [(&str, &str); 3] = [
    ("tools/call", r#"{"name": "a", "arguments": {}}"#),
    ("prompts/get", r#"{"name": "a"}"#),
    ("resources/read", r#"{"uri": "x:a"}"#),
];

const COMPLETION: (&str, &str) = (
    "completion/complete",
    r#"{"ref": {"type": "ref/prompt", "name": "a"}, "argument": {"name": "a", "value": "b"}}"#,
);

fn params(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn hooks_see_the_message_and_the_data_of_an_error() {
    for kind in Kind::ALL {
        let desk = Desk::default();
        let mut peer = Peer::of(kind, cleaned(&desk)).await;
        for (method, text) in ITEMS.into_iter().chain([COMPLETION]) {
            for error in [
                json!({"code": -32000, "message": SECRET}),
                json!({"code": -32000, "message": "m", "data": {"token": SECRET}}),
                json!({"code": -32000, "message": "m", "data": [[SECRET]]}),
            ] {
                desk.relays(json!({"error": error}));
                let answer = peer.answer(method, params(text)).await.to_string();
                assert!(!answer.contains(SECRET), "{kind:?} {method} {answer}");
                assert!(answer.contains("[clean]"), "{kind:?} {method} {answer}");
            }
            let error = json!({"code": -32000, "message": "m", "data": {"a": 1}});
            desk.relays(json!({"error": error}));
            let answer = peer.answer(method, params(text)).await;
            assert_eq!(answer["error"], error, "{kind:?} {method}");
        }
    }
}

#[tokio::test]
async fn hooks_see_every_member_of_a_question() {
    let prompt = |text: &str| {
        json!({"method": "sampling/createMessage", "params": {
            "messages": [{"role": "user", "content": {"type": "text", "text": text}}], "maxTokens": 9,
        }})
    };
    for kind in [Kind::StreamStateless, Kind::HttpStateless] {
        let desk = Desk::default();
        let mut peer = Peer::of(kind, cleaned(&desk)).await;
        for (method, text) in ITEMS {
            for question in [
                json!({"inputRequests": {"a": prompt("well?")}, "_meta": {"token": SECRET}}),
                json!({"inputRequests": {"a": prompt(SECRET)}}),
                json!({"requestState": SECRET}),
            ] {
                let mut question = question;
                question["resultType"] = "input_required".into();
                desk.relays(question.clone());
                let answer = peer.answer(method, params(text)).await;
                assert!(
                    !answer.to_string().contains(SECRET),
                    "{kind:?} {method} {answer}"
                );
                // The client brings the state back, so it is never rewritten.
                if question.get("requestState").is_some() {
                    assert!(answer["result"].get("requestState").is_none(), "{answer}");
                } else {
                    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
                }
            }
            let question = json!({"resultType": "input_required", "inputRequests": {"a": prompt("well?")}, "requestState": "s"});
            desk.relays(question.clone());
            let answer = peer.answer(method, params(text)).await;
            assert_eq!(answer["result"], question, "{kind:?} {method}");
        }
    }
}

#[tokio::test]
async fn hooks_see_the_words_of_a_task_that_begins() {
    for kind in [Kind::StreamStateless, Kind::HttpStateless] {
        let desk = Desk::default();
        let mut peer = Peer::of(kind, cleaned(&desk)).await;
        for (name, value) in [
            ("statusMessage", json!(SECRET)),
            ("_meta", json!({"a": SECRET})),
        ] {
            let mut task = json!({
                "resultType": "task", "taskId": "1", "status": "working", "createdAt": "2026-01-01T00:00:00Z",
                "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttlMs": null,
            });
            task[name] = value;
            desk.relays(task);
            let answer = peer.call("task").await;
            assert!(!answer.to_string().contains(SECRET), "{kind:?} {answer}");
            assert_eq!(answer["result"]["taskId"], "1", "{kind:?} {answer}");
        }
    }
}
