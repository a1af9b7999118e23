//! A guardian's change reaches every copy of what it changed, or the answer is withheld.

use hooks_sdk::{
    aos::{Posture, Unseen},
    testing::McplHost,
};
use serde_json::{Value, json};

use super::{
    KNOWLEDGE, REQUEST, RESULT, RETRIEVAL, Rig, changes, client_of,
    desk::{Desk, stateful},
    redact, soon,
};
use crate::observed::stand_in::{Act, Question, StandIn};

fn fewer(params: &mut Value) {
    let memory = params["memory"].as_array_mut().expect("texts");
    memory.retain(|text| !text.as_str().is_some_and(|text| text.contains("sk-secret")));
}

#[tokio::test]
async fn a_change_of_memory_leaves_no_copy_in_the_result() {
    for tool in [
        "recall",
        "recall_typed",
        "recall_copies",
        "recall_twice",
        "recall_beside_an_image",
    ] {
        for change in [redact, fewer] {
            for kinds in [&[][..], Unseen::ALL] {
                let rig = Rig::with(changes(RETRIEVAL, change), |client| {
                    let client = client.pass_unseen(kinds.iter().copied());
                    client.posture(Posture::Deny)
                })
                .await;
                let answer = rig.call(tool, json!({})).await;
                let sent = answer.as_value().to_string();
                assert!(!sent.contains("sk-secret"), "{tool}: {sent}");
                // The rest is there, unless the result is withheld.
                assert_eq!(answer.is_error(), tool == "recall_twice", "{tool}: {sent}");
                if !answer.is_error() {
                    assert!(sent.contains("blue"), "{tool}: {sent}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_change_of_a_result_drops_the_meta_of_every_block() {
    let rig = Rig::new(changes(RESULT, redact)).await;
    let answer = rig.call("with_meta", json!({})).await;
    let sent = answer.as_value().to_string();
    assert!(
        sent.contains("kept") && !sent.contains("sk-secret"),
        "{sent}"
    );
    let rig = Rig::new(|question| question.allow()).await;
    let answer = rig.call("with_meta", json!({})).await;
    assert_eq!(answer.as_value()["content"][1]["_meta"]["raw"], "sk-secret");
}

#[tokio::test]
async fn a_change_of_a_resource_drops_the_meta_of_every_content() {
    let read = async |rig: &Rig| {
        let read = rig
            .host
            .request("resources/read", json!({"uri": "note://meta"}));
        soon(read).await.expect("contents").to_string()
    };
    let sent = read(&Rig::new(changes(KNOWLEDGE, redact)).await).await;
    assert!(
        sent.contains("kept") && !sent.contains("sk-secret"),
        "{sent}"
    );
    let left_out = |params: &mut Value| {
        let results = &mut params["knowledgeStep"]["results"];
        results.as_array_mut().expect("results").remove(0);
    };
    let sent = read(&Rig::new(changes(KNOWLEDGE, left_out)).await).await;
    assert!(
        sent.contains("kept") && !sent.contains("sk-secret"),
        "{sent}"
    );
    let sent = read(&Rig::new(|question| question.allow()).await).await;
    assert_eq!(sent.matches("sk-secret").count(), 3, "{sent}");
}

#[tokio::test]
async fn the_state_of_a_call_survives_a_change_of_its_result() {
    let guardian = StandIn::start(changes(RESULT, redact)).await;
    let client = client_of(&guardian).posture(Posture::Deny);
    let desk = Desk::default();
    let server = desk.collected([stateful()]).guardian(client);
    let server = server.wrap(desk).expect("a server");
    let host = soon(McplHost::connect(server)).await.expect("a host");
    let call = host.request("tools/call", json!({"name": "stateful", "arguments": {}}));
    let answer = soon(call).await.expect("an answer");
    assert_eq!(answer["state"]["checkpoint"], "c1", "{answer}");
    assert_eq!(answer["content"][0]["text"], "***");
    assert!(!answer.to_string().contains("sk-secret"), "{answer}");
}

/// The answers to a call with this state, of a server whose guardian does this.
async fn with_state(
    script: impl Fn(&Question) -> Act + Send + Sync + 'static,
) -> (Value, Vec<Question>) {
    let guardian = StandIn::start(script).await;
    let client = client_of(&guardian).posture(Posture::Deny);
    let server = Desk::default().collected([stateful()]).guardian(client);
    let server = server.wrap(Desk::default()).expect("a server");
    let host = soon(McplHost::connect(server)).await.expect("a host");
    let call = json!({
        "name": "stateful", "arguments": {"state": "of the tool"}, "state": {"checkpoint": "c0"},
    });
    let answer = soon(host.request("tools/call", call))
        .await
        .expect("an answer");
    (answer, guardian.questions())
}

#[tokio::test]
async fn a_guardian_sees_the_state_that_a_host_brings_and_the_state_that_leaves() {
    let (answer, questions) = with_state(Question::allow).await;
    assert_eq!(answer["state"]["checkpoint"], "c1", "{answer}");
    let inputs = &questions[0].body["params"]["toolCallRequest"]["inputs"];
    let brought = json!({"name": "_state", "value": {"checkpoint": "c0"}});
    let inputs = inputs.as_array().expect("inputs");
    assert!(inputs.contains(&brought), "{inputs:?}");
    let outputs = &questions[1].body["params"]["toolCallResult"]["result"]["outputs"];
    let outputs = outputs.as_array().expect("texts");
    let left = outputs.last().expect("a text")["text"]
        .as_str()
        .expect("a text");
    let left: Value = serde_json::from_str(left).expect("JSON");
    assert_eq!(left, answer["state"]);
}

#[tokio::test]
async fn a_guardian_does_not_change_a_state() {
    let (answer, questions) = with_state(changes(REQUEST, |params| {
        let inputs = params["toolCallRequest"]["inputs"].as_array_mut();
        let mut inputs = inputs.expect("inputs").iter_mut();
        let brought = inputs.find(|input| input["name"] == "_state");
        brought.expect("the state")["value"]["checkpoint"] = "c9".into();
    }))
    .await;
    assert_eq!(answer["isError"], true, "{answer}");
    assert_eq!(questions.len(), 1);
    let outputs = "/toolCallResult/result/outputs";
    let rewrite = move |params: &mut Value| {
        let outputs = params.pointer_mut(outputs).expect("texts").as_array_mut();
        outputs.expect("texts").last_mut().expect("a text")["text"] = "{}".into();
    };
    let leave_out = move |params: &mut Value| {
        let outputs = params.pointer_mut(outputs).expect("texts").as_array_mut();
        outputs.expect("texts").pop();
    };
    for (answer, _) in [
        with_state(changes(RESULT, rewrite)).await,
        with_state(changes(RESULT, leave_out)).await,
    ] {
        assert_eq!(answer["isError"], true, "{answer}");
        assert!(answer.get("state").is_none(), "{answer}");
        assert!(!answer.to_string().contains("sk-secret"), "{answer}");
    }
}
