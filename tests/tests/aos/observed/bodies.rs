//! Answers that are no decision: each fails in its class, under both postures.

use std::{fs, path::Path};

use hooks_sdk::aos::{FailureClass, Posture, StepOutcome};
use serde_json::{Value, json};

use super::{
    SHORT, ask, call, client_of, fails,
    stand_in::{Act, Question, StandIn},
};

/// A script's answer to every question fails in this class.
async fn all_fail(class: FailureClass, script: impl Fn(&Question) -> Act + Send + Sync + 'static) {
    let guardian = StandIn::start(script).await;
    fails(client_of(&guardian.url()), class).await;
    assert_eq!(guardian.questions().len(), 2);
}

/// An allowing answer, changed.
fn changed(question: &Question, change: impl FnOnce(&mut Value)) -> Act {
    let mut answer = json!({
        "jsonrpc": "2.0",
        "id": question.body["id"],
        "result": { "decision": "allow", "message": "fine" },
    });
    change(&mut answer);
    Act::json(answer.to_string())
}

#[tokio::test]
async fn every_recorded_malformed_answer_is_no_decision() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/aos/malformed-responses.json");
    let recorded: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let vectors = recorded["vectors"].as_array().unwrap();
    assert!(vectors.len() >= 8);
    for vector in vectors {
        let id = vector["id"].as_str().unwrap();
        let body = vector["body"].as_str().unwrap().to_owned();
        let theirs = "13fa8d6f-8f9f-4d01-ba6b-db99d84d77de";
        let guardian = StandIn::start(move |question| {
            let ours = question.body["id"].as_str().unwrap();
            Act::json(body.replace(theirs, ours))
        })
        .await;
        let url = guardian.url();
        let strict = ask(&client_of(&url).posture(Posture::Deny)).await;
        assert!(
            matches!(&strict, StepOutcome::Denied(denied) if denied.failure.is_some()),
            "{id}: {strict:?}"
        );
        let bypassed = ask(&client_of(&url).posture(Posture::Proceed)).await;
        assert!(
            matches!(bypassed, StepOutcome::Bypassed(_)),
            "{id}: {bypassed:?}"
        );
        let lenient = ask(&client_of(&url).lenient().posture(Posture::Deny)).await;
        match vector["expect"]["lenient"].as_str().unwrap() {
            "failure" | "modify" => {
                // A modify of the recorded step is about another call than ours.
                assert!(
                    matches!(&lenient, StepOutcome::Denied(denied) if denied.failure.is_some()),
                    "{id}: {lenient:?}"
                );
            }
            "allow" => assert_eq!(lenient, StepOutcome::Allowed, "{id}"),
            other => panic!("{id}: {other}"),
        }
    }
}

#[tokio::test]
async fn an_answer_about_something_else_is_malformed() {
    let class = FailureClass::MalformedResponse;
    all_fail(class, |question| {
        changed(question, |answer| answer["id"] = json!("another"))
    })
    .await;
    all_fail(class, |question| {
        changed(question, |answer| answer["id"] = json!(7))
    })
    .await;
    all_fail(class, |question| {
        changed(question, |answer| *answer = json!([answer]))
    })
    .await;
    all_fail(class, |_| Act::json("")).await;
    all_fail(class, |_| Act::json("{")).await;
    all_fail(class, |_| Act::json("null")).await;
    all_fail(class, |_| Act::json([0xff, 0xfe])).await;
    let deep = "[".repeat(100_000);
    all_fail(class, move |_| Act::json(&deep)).await;
}

#[tokio::test]
async fn a_decision_has_a_message_that_is_a_text() {
    for message in [Value::Null, json!(5), json!(["fine"]), json!({})] {
        for decision in ["allow", "deny"] {
            let message = message.clone();
            let guardian = StandIn::start(move |question| {
                changed(question, |answer| {
                    answer["result"] = json!({"decision": decision, "message": message});
                })
            })
            .await;
            let url = guardian.url();
            if decision == "allow" {
                fails(client_of(&url), FailureClass::MalformedResponse).await;
            } else {
                // What is no text does not turn a deny into a bypass.
                let client = client_of(&url).posture(Posture::Proceed);
                assert_eq!(super::denied(ask(&client).await).failure, None);
            }
            let lenient = ask(&client_of(&url).lenient().posture(Posture::Deny)).await;
            match decision {
                "allow" => assert_eq!(lenient, StepOutcome::Allowed),
                _ => assert_eq!(super::denied(lenient).failure, None),
            }
        }
    }
}

#[tokio::test]
async fn a_wrong_secret_is_named_in_the_reason() {
    let guardian =
        StandIn::start(|_| Act::http("401 Unauthorized", "content-type: text/plain\r\n", "no"))
            .await;
    let client = client_of(&guardian.url()).posture(Posture::Deny);
    let denied = super::denied(ask(&client).await);
    assert_eq!(denied.failure, Some(FailureClass::Rejected));
    assert!(denied.message.ends_with("HTTP status 401"), "{denied:?}");
    let undecided = client.ping().await.unwrap_err();
    assert_eq!(undecided.status, Some(401));
    assert!(
        undecided.to_string().contains("bearer secret"),
        "{undecided}"
    );
}

#[tokio::test]
async fn nothing_of_an_answer_is_in_the_cause() {
    for answer in [
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": "sk-secret"}}),
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": "sk-secret"}}),
    ] {
        let guardian = StandIn::start(move |_| Act::json(answer.to_string())).await;
        let undecided = client_of(&guardian.url()).ping().await.unwrap_err();
        assert!(!undecided.to_string().contains("sk-secret"), "{undecided}");
    }
}

#[tokio::test]
async fn a_modified_request_has_to_be_this_one() {
    let class = FailureClass::MalformedResponse;
    let changes: [fn(&mut Value); 7] = [
        |request| request["method"] = json!("steps/memoryStore"),
        |request| request["id"] = json!("another"),
        |request| request["params"]["context"]["turnId"] = json!("another"),
        |request| request["params"]["toolCallRequest"]["toolId"] = json!("another"),
        |request| request["params"]["toolCallRequest"]["executionId"] = json!("another"),
        |request| {
            let input = request["params"]["toolCallRequest"]["inputs"][0].clone();
            let inputs = &mut request["params"]["toolCallRequest"]["inputs"];
            inputs.as_array_mut().unwrap().push(input);
        },
        |request| *request = Value::Null,
    ];
    for change in changes {
        all_fail(class, move |question| question.modify(change)).await;
    }
}

#[tokio::test]
async fn an_error_of_the_guardian_is_no_decision() {
    for code in [-32601, -32603, -32000, 1] {
        all_fail(FailureClass::GuardianError, move |question| {
            changed(question, |answer| {
                answer.as_object_mut().unwrap().remove("result");
                answer["error"] = json!({ "code": code, "message": "no" });
            })
        })
        .await;
    }
}

#[tokio::test]
async fn only_json_with_the_status_200_is_read() {
    let json = "content-type: application/json\r\n";
    let status = |status: &'static str| {
        move |question: &Question| match question.allow() {
            Act::Answer(bytes) => {
                let text = String::from_utf8(bytes).unwrap();
                Act::Answer(text.replace("200 OK", status).into_bytes())
            }
            other => other,
        }
    };
    all_fail(
        FailureClass::GuardianError,
        status("500 Internal Server Error"),
    )
    .await;
    all_fail(FailureClass::Unreachable, status("503 Service Unavailable")).await;
    for other in [
        "401 Unauthorized",
        "403 Forbidden",
        "404 Not Found",
        "415 Unsupported Media Type",
    ] {
        all_fail(FailureClass::Rejected, status(other)).await;
    }
    all_fail(FailureClass::Timeout, status("408 Request Timeout")).await;
    all_fail(FailureClass::MalformedResponse, status("201 Created")).await;
    let malformed = FailureClass::MalformedResponse;
    let html = "content-type: text/html\r\n";
    all_fail(malformed, move |_| {
        Act::http("200 OK", html, "<html>allow</html>")
    })
    .await;
    all_fail(malformed, move |_| {
        Act::http("200 OK", json, "<html>allow</html>")
    })
    .await;
    let typed = |headers: &'static str| {
        move |question: &Question| {
            let Act::Answer(bytes) = question.allow() else {
                unreachable!("it answers at once")
            };
            let text = String::from_utf8(bytes).unwrap();
            Act::Answer(
                text.replace("content-type: application/json\r\n", headers)
                    .into_bytes(),
            )
        }
    };
    all_fail(malformed, typed("")).await;
    all_fail(malformed, typed("content-type: text/plain\r\n")).await;
    let guardian = StandIn::start(typed("Content-Type: Application/JSON; charset=UTF-8\r\n")).await;
    let client = client_of(&guardian.url()).posture(Posture::Deny);
    assert_eq!(ask(&client).await, StepOutcome::Allowed);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = StandIn::start(Question::allow).await;
    for status in [
        "301 Moved",
        "302 Found",
        "303 See Other",
        "307 Temporary",
        "308 Permanent",
    ] {
        let location = format!("location: {}\r\n", other.url());
        all_fail(FailureClass::MalformedResponse, move |_| {
            Act::http(status, &location, "")
        })
        .await;
    }
    assert!(other.questions().is_empty());
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn an_answer_is_at_most_as_long_as_it_may() {
    let malformed = FailureClass::MalformedResponse;
    // The announced length is believed: nothing of it is waited for.
    let announced =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 104857600\r\n\r\n";
    all_fail(malformed, move |_| Act::Hang(announced.into())).await;
    let chunked =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunk = [&b"10000\r\n"[..], &[b' '; 0x10000], b"\r\n"].concat();
    all_fail(malformed, move |_| {
        Act::Endless(chunked.into(), chunk.clone())
    })
    .await;

    // What the question itself takes is not counted.
    let padded = StandIn::start(|question| {
        changed(question, |answer| {
            answer["pad"] = json!("x".repeat(16 * 1024))
        })
    })
    .await;
    fails(client_of(&padded.url()).max_answer(40), malformed).await;
    let long = StandIn::start(|question| {
        question.modify(|request| {
            request["params"]["toolCallRequest"]["inputs"][0]["value"] =
                json!("x".repeat(1_000_000));
        })
    })
    .await;
    let client = client_of(&long.url()).posture(Posture::Deny);
    let modified = call(&"x".repeat(1_000_000));
    assert_eq!(ask(&client).await, StepOutcome::Modified(modified));
}

#[tokio::test]
async fn a_connection_that_ends_early_is_no_decision() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n";
    let start = format!("{head}{{\"jsonrpc\":\"2.0\"");
    for bytes in ["", "HTTP/1.1 200", head, &start, "\0\0\0\0\r\n\r\n"] {
        let bytes = bytes.as_bytes().to_vec();
        let guardian = StandIn::start(move |_| Act::Close(bytes.clone())).await;
        fails(client_of(&guardian.url()), FailureClass::Unreachable).await;
    }
    let guardian = StandIn::start(Question::allow).await;
    let url = guardian.url();
    drop(guardian);
    fails(client_of(&url), FailureClass::Unreachable).await;
}

#[tokio::test]
async fn a_guardian_that_takes_too_long_is_no_decision() {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n";
    for start in [&head[..0], &head[..40], head] {
        let guardian = StandIn::start(move |_| Act::Hang(start.into())).await;
        let client = client_of(&guardian.url()).timeout(SHORT);
        fails(client, FailureClass::Timeout).await;
    }
    // Byte after byte, for ever: each arrives in time, and the answer does not.
    let guardian = StandIn::start(|_| Act::Drip("HTTP/1.1 200 OK\r\nx-slow: ".into(), b'.')).await;
    fails(
        client_of(&guardian.url()).timeout(SHORT),
        FailureClass::Timeout,
    )
    .await;
}
