//! Results that come late.

use hooks_sdk::aos::Posture;
use serde_json::{Value, json};

use super::{REQUEST, RESULT, Rig, changes, denies, redact, soon};

async fn fetch(rig: &Rig, task: &str) -> Value {
    let fetched = rig.host.request("tasks/get", json!({"taskId": task}));
    soon(fetched).await.expect("a task")
}

#[tokio::test]
async fn a_late_result_is_asked_about_under_the_ids_of_its_call() {
    let rig = Rig::new(changes(RESULT, redact)).await;
    rig.call("late", json!({})).await;
    assert_eq!(rig.methods(), [REQUEST]);
    for _ in 0..2 {
        let fetched = fetch(&rig, "one").await;
        assert_eq!(fetched["result"]["content"][0]["text"], "***", "{fetched}");
    }
    assert_eq!(rig.methods(), [REQUEST, RESULT, RESULT]);
    let (request, result) = (&rig.asked(REQUEST)[0], &rig.asked(RESULT)[0]);
    assert_eq!(
        request["toolCallRequest"]["executionId"],
        result["toolCallResult"]["executionId"]
    );
    assert_eq!(request["context"]["stepId"], result["context"]["stepId"]);
}

#[tokio::test]
async fn a_denied_late_result_is_withheld() {
    let rig = Rig::new(denies(RESULT)).await;
    rig.call("late", json!({})).await;
    let fetched = fetch(&rig, "one").await;
    assert_eq!(fetched["result"]["isError"], true, "{fetched}");
    assert!(!fetched.to_string().contains("sk-secret"), "{fetched}");
}

#[tokio::test]
async fn the_result_of_an_unknown_call_is_withheld_unless_the_posture_lets_it_be_asked_about() {
    let rig = Rig::new(changes(RESULT, redact)).await;
    for task in ["two", "broken"] {
        let fetched = fetch(&rig, task).await;
        assert_eq!(fetched["result"]["isError"], true, "{fetched}");
        assert!(!fetched.to_string().contains("sk-secret"), "{fetched}");
        assert!(fetched.to_string().contains("task_unknown"), "{fetched}");
    }
    assert_eq!(rig.methods(), [""; 0]);

    let rig = Rig::with(changes(RESULT, redact), |client| {
        client.posture(Posture::Proceed)
    })
    .await;
    let fetched = fetch(&rig, "two").await;
    assert!(!fetched.to_string().contains("sk-secret"), "{fetched}");
    assert_eq!(rig.methods(), [RESULT]);
}

#[tokio::test]
async fn what_a_task_and_a_question_say_is_asked_about_like_a_result() {
    for tool in ["says_late", "asks"] {
        let rig = Rig::new(|question| question.allow()).await;
        let answer = rig.call(tool, json!({})).await;
        assert!(!answer.is_error(), "{answer:?}");
        assert_eq!(rig.methods(), [REQUEST, RESULT], "{tool}");
        let outputs = rig.asked(RESULT)[0]["toolCallResult"]["result"]["outputs"].clone();
        assert!(outputs.to_string().contains("sk-secret"), "{outputs}");
        let denied = Rig::new(denies(RESULT)).await.call(tool, json!({})).await;
        assert!(denied.is_error(), "{denied:?}");
        let changed = Rig::new(changes(RESULT, redact)).await;
        let changed = changed.call(tool, json!({})).await;
        // A changed task leaves with the change. The state of a question is opaque, so a changed question is withheld.
        assert_eq!(changed.is_error(), tool == "asks", "{changed:?}");
        let said = changed.as_value().to_string();
        assert!(said.contains("***"), "{said}");
        if tool == "says_late" {
            assert_eq!(changed.as_value()["taskId"], "one", "{said}");
        }
        for answer in [denied, changed] {
            assert!(!answer.as_value().to_string().contains("sk-secret"));
        }
    }
    let rig = Rig::with(denies(RESULT), |client| client.posture(Posture::Proceed)).await;
    for task in ["working", "two"] {
        let fetched = fetch(&rig, task).await;
        assert!(!fetched.to_string().contains("sk-secret"), "{fetched}");
    }
}
