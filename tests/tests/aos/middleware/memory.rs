//! Tools that store and retrieve: their own steps beside those of the call.

use hooks_sdk::{Collected, aos::ToolStep, core::Registry};
use serde_json::{Value, json};

use super::{
    KNOWLEDGE, REQUEST, RESULT, RETRIEVAL, Rig, STORE, changes, denies, desk::Desk, redact, same,
};

#[tokio::test]
async fn a_store_is_asked_about_after_the_call_and_before_the_tool() {
    let rig = Rig::new(|question| question.allow()).await;
    rig.call("save", json!({"text": "a"})).await;
    rig.call("save", json!({"text": {"deep": [1, null]}})).await;
    rig.call("save", json!({})).await;
    rig.call("save_all", json!({"notes": ["a", "b"]})).await;
    assert_eq!(rig.methods()[..3], [REQUEST, STORE, RESULT]);
    let asked = rig.asked(STORE);
    let memory: Vec<&Value> = asked.iter().map(|params| &params["memory"]).collect();
    assert_eq!(
        json!(memory),
        json!([["a"], [r#"{"deep":[1,null]}"#], [], ["a", "b"]])
    );
    let (call, store) = (&rig.asked(REQUEST)[0], &asked[0]);
    assert_eq!(call["context"]["turnId"], store["context"]["turnId"]);
    assert_ne!(call["context"]["stepId"], store["context"]["stepId"]);
}

#[tokio::test]
async fn a_denied_store_refuses_the_call() {
    let rig = Rig::new(denies(STORE)).await;
    let answer = rig.call("save", json!({"text": "a"})).await;
    assert!(answer.is_error());
    assert_eq!(answer.text(), "no text messages at night [QUIET_HOURS]");
    assert_eq!((rig.desk.ran(), rig.methods().len()), (0, 2));
}

#[tokio::test]
async fn a_changed_store_is_written_to_the_argument() {
    for (tool, given, memory, expected) in [
        (
            "save",
            json!({"text": "a"}),
            json!(["b"]),
            json!({"text": "b"}),
        ),
        (
            "save",
            json!({"text": 5, "more": 1}),
            json!(["6"]),
            json!({"text": 6, "more": 1}),
        ),
        (
            "save",
            json!({"text": 5}),
            json!(["six"]),
            json!({"text": "six"}),
        ),
        (
            "save_all",
            json!({"notes": ["a", "b"]}),
            json!(["b"]),
            json!({"notes": ["b"]}),
        ),
        (
            "save_all",
            json!({"notes": ["a"]}),
            json!(["5", "c"]),
            json!({"notes": ["5", "c"]}),
        ),
    ] {
        let rig = Rig::new(changes(STORE, move |params| {
            params["memory"] = memory.clone()
        }))
        .await;
        let answer = rig.call(tool, given).await;
        let said: Value = serde_json::from_str(&answer.text()).expect("JSON");
        assert_eq!(said["args"], expected);
    }
}

#[tokio::test]
async fn a_change_that_cannot_be_stored_refuses_the_call_with_a_code() {
    for (tool, given, memory, wrong) in [
        (
            "save",
            json!({"text": "a"}),
            json!(["a", "b"]),
            "the memory to store, and the change cannot be used: there are 2 texts for 1 places",
        ),
        (
            "save",
            json!({}),
            json!(["a"]),
            "the memory to store, and the change cannot be used: there are 1 texts for 0 places",
        ),
        (
            "save_number",
            json!({"number": 5}),
            json!(["six"]),
            "the arguments of `save_number`, and the change cannot be used: ",
        ),
    ] {
        let change = changes(STORE, move |params| params["memory"] = memory.clone());
        let rig = Rig::new(change).await;
        let answer = rig.call(tool, given).await;
        let text = answer.text();
        assert!(answer.is_error() && text.contains(wrong), "{text}");
        assert!(text.ends_with(" [guardian_change_unusable]"), "{text}");
        let violation = &answer.as_value()["_meta"]["hooks-sdk/violation"];
        assert_eq!(violation["code"], "guardian_change_unusable");
        assert_eq!(rig.methods(), [REQUEST, STORE]);
        assert_eq!(rig.desk.ran(), 0, "{text}");
    }
}

#[test]
fn a_store_of_all_arguments_is_an_error_at_start_up() {
    // Otherwise a change of the guardian could leave no object.
    let step = ToolStep::memory_store::<Desk>("save", "args");
    let registry = Registry::builder().add(step.into()).build();
    let collected = Collected::<Desk>::of(registry.expect("a registry"));
    let problems = collected.map(drop).expect_err("a problem").to_string();
    assert!(
        problems.contains("the path leads to all arguments"),
        "{problems}"
    );
}

#[tokio::test]
async fn a_retrieval_is_asked_about_before_the_result() {
    let rig = Rig::new(changes(RETRIEVAL, redact)).await;
    let answer = rig.call("recall", json!({})).await;
    assert_eq!(rig.methods(), [REQUEST, RETRIEVAL, RESULT]);
    assert_eq!(answer.text(), "the key is ***\nthe sky is blue");
    let result = &rig.asked(RESULT)[0]["toolCallResult"]["result"];
    assert_eq!(result["outputs"][0]["text"], "the key is ***");

    let rig = Rig::new(denies(RETRIEVAL)).await;
    let answer = rig.call("recall", json!({})).await;
    assert_eq!(
        answer.text(),
        "Blocked: no text messages at night [QUIET_HOURS]"
    );
    assert_eq!(rig.methods(), [REQUEST, RETRIEVAL]);
}

#[tokio::test]
async fn a_change_of_structured_content_changes_the_texts_that_repeat_it() {
    let rig = Rig::new(changes(RETRIEVAL, redact)).await;
    let answer = rig.call("recall_typed", json!({})).await;
    assert_eq!(
        rig.asked(RETRIEVAL)[0]["memory"],
        json!(["sk-secret", "blue"])
    );
    let structured = json!({"notes": ["***", "blue"]});
    same(
        &answer,
        json!({
            "content": [{"type": "text", "text": structured.to_string()}],
            "structuredContent": structured,
            "isError": false,
        }),
    );
    let fewer = changes(RETRIEVAL, |params| params["memory"] = json!(["blue"]));
    let rig = Rig::new(fewer).await;
    let answer = rig.call("recall_typed", json!({})).await;
    assert_eq!(
        answer.as_value()["structuredContent"],
        json!({"notes": ["blue"]})
    );
}

#[tokio::test]
async fn knowledge_has_the_query_and_the_keywords() {
    let rig = Rig::new(|question| question.allow()).await;
    let arguments = json!({"q": "which colour", "words": ["sky", "sea"]});
    rig.call("search", arguments).await;
    assert_eq!(rig.methods(), [REQUEST, KNOWLEDGE, RESULT]);
    assert_eq!(
        rig.asked(KNOWLEDGE)[0]["knowledgeStep"],
        json!({
            "query": "which colour",
            "keywords": ["sky", "sea"],
            "results": [{"id": "content/0", "content": "the sky is blue"}],
        })
    );
    let change = changes(KNOWLEDGE, |params| {
        params["knowledgeStep"]["results"][0]["content"] = json!("the sky is grey");
    });
    let rig = Rig::new(change).await;
    let answer = rig.call("search", json!({"q": "a"})).await;
    assert_eq!(answer.text(), "the sky is grey");
    let foreign = changes(KNOWLEDGE, |params| {
        params["knowledgeStep"]["results"][0]["id"] = json!("another");
    });
    let rig = Rig::new(foreign).await;
    let answer = rig.call("search", json!({"q": "a"})).await;
    assert!(
        answer.is_error() && !answer.text().contains("sky"),
        "{answer:?}"
    );
}

#[tokio::test]
async fn a_tool_asks_about_what_it_stores_itself() {
    let rig = Rig::new(changes(STORE, |params| params["memory"] = json!(["less"]))).await;
    let answer = rig.call("remembers", json!({})).await;
    assert_eq!(answer.text(), "less");
    assert_eq!(rig.methods(), [REQUEST, STORE, RESULT]);
    let (call, store) = (&rig.asked(REQUEST)[0], &rig.asked(STORE)[0]);
    assert_eq!(store["memory"], json!(["from the tool"]));
    assert_eq!(call["context"]["turnId"], store["context"]["turnId"]);

    let rig = Rig::new(denies(STORE)).await;
    let answer = rig.call("remembers", json!({})).await;
    assert_eq!(answer.text(), "Blocked: no text messages at night");
}
