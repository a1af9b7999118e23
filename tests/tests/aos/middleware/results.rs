//! The step after a tool ran: contents that the guardian sees, and contents that it cannot see.

use hooks_sdk::aos::{Posture, Unseen};
use serde_json::{Value, json};

use super::{
    RESULT, Rig, changes, denies,
    desk::{DIGEST, HELLO},
    redact, same,
};

fn outputs(rig: &Rig) -> Vec<String> {
    let result = rig.asked(RESULT)[0]["toolCallResult"]["result"].clone();
    let outputs = result["outputs"].as_array().expect("outputs");
    let texts = outputs.iter().filter_map(|part| part["text"].as_str());
    texts.map(str::to_owned).collect()
}

#[tokio::test]
async fn a_denied_result_is_replaced_by_a_text_that_says_so() {
    let rig = Rig::with(denies(RESULT), |client| {
        let client = client.blocked_text("The answer was blocked.");
        client.posture(Posture::Deny)
    })
    .await;
    let answer = rig.call("recall", json!({})).await;
    same(
        &answer,
        json!({
            "content": [{"type": "text", "text": "The answer was blocked. no text messages at night [QUIET_HOURS]"}],
            "isError": true,
        }),
    );
    assert_eq!(rig.desk.ran(), 1);
}

#[tokio::test]
async fn what_the_guardian_cannot_see_does_not_pass() {
    let rig = Rig::new(|question| question.allow()).await;
    let answer = rig.call("rich", json!({})).await;
    let seen = outputs(&rig);
    assert_eq!(seen[0], "before");
    assert_eq!(
        seen[1],
        format!("[image, image/png, 5 bytes, sha256 {DIGEST}]")
    );
    assert_eq!(
        seen[2],
        format!("[audio, audio/wav, 5 bytes, sha256 {DIGEST}]")
    );
    assert_eq!(
        seen[3],
        format!("[resource, text/plain, 5 bytes, sha256 {DIGEST}]")
    );
    assert!(seen[4].starts_with("[link, sha256 "), "{}", seen[4]);
    assert_eq!(seen[5], "after");
    let content = answer.as_value()["content"].as_array().unwrap().clone();
    for (at, withheld) in [false, true, true, true, true, false]
        .into_iter()
        .enumerate()
    {
        assert_eq!(content[at]["type"], "text");
        let text = content[at]["text"].as_str().unwrap();
        assert_eq!(text.starts_with("[withheld, because"), withheld, "{text}");
    }
    assert!(!answer.as_value().to_string().contains(HELLO));
}

#[tokio::test]
async fn kinds_that_may_pass_unseen_pass_also_beside_changed_texts() {
    let change = changes(RESULT, |params| {
        params["toolCallResult"]["result"]["outputs"][0]["text"] = json!("changed");
    });
    let rig = Rig::with(change, |client| {
        let client = client.pass_unseen([Unseen::Image, Unseen::Link]);
        client.posture(Posture::Deny)
    })
    .await;
    let answer = rig.call("rich", json!({})).await;
    let content = answer.as_value()["content"].as_array().unwrap();
    let kinds: Vec<&str> = content
        .iter()
        .filter_map(|block| block["type"].as_str())
        .collect();
    assert_eq!(
        kinds,
        ["text", "image", "text", "text", "resource_link", "text"]
    );
    assert_eq!(content[0]["text"], "changed");
    assert_eq!(content[1]["data"], HELLO);
}

#[tokio::test]
async fn a_change_may_take_texts_and_contents_away() {
    let change = changes(RESULT, |params| {
        params["toolCallResult"]["result"]["outputs"] = json!([{"kind": "text", "text": "short"}]);
        params["toolCallResult"]["result"]["isError"] = json!(true);
    });
    let rig = Rig::with(change, |client| {
        client
            .pass_unseen(Unseen::ALL.iter().copied())
            .posture(Posture::Deny)
    })
    .await;
    let answer = rig.call("rich", json!({})).await;
    let expected = json!({"content": [{"type": "text", "text": "short"}], "isError": true});
    same(&answer, expected);
}

#[tokio::test]
async fn structured_content_follows_the_texts() {
    for (tool, shown, content, structured) in [
        (
            "typed",
            json!([r#"{"secret":"sk-secret"}"#]),
            json!([{"type": "text", "text": r#"{"secret":"***"}"#}]),
            Some(json!({"secret": "***"})),
        ),
        (
            "only_structured",
            json!([r#"{"secret":"sk-secret"}"#]),
            json!([]),
            Some(json!({"secret": "***"})),
        ),
        (
            "apart",
            json!(["found", r#"{"secret":"sk-secret"}"#]),
            json!([{"type": "text", "text": "found"}]),
            Some(json!({"secret": "***"})),
        ),
        // No schema says what it may be.
        (
            "loose",
            json!(["found", r#"{"secret":"sk-secret"}"#]),
            json!([{"type": "text", "text": "found"}, {"type": "text", "text": r#"{"secret":"***"}"#}]),
            None,
        ),
    ] {
        let rig = Rig::new(changes(RESULT, redact)).await;
        let answer = rig.call(tool, json!({})).await;
        assert_eq!(json!(outputs(&rig)), shown, "{tool}");
        assert_eq!(answer.as_value()["content"], content, "{tool}");
        assert_eq!(
            answer.as_value().get("structuredContent"),
            structured.as_ref(),
            "{tool}"
        );
        assert!(!answer.as_value().to_string().contains("sk-secret"));
    }
}

#[tokio::test]
async fn allowed_structured_content_stays_as_it_is() {
    let rig = Rig::new(|question| question.allow()).await;
    let answer = rig.call("apart", json!({})).await;
    assert_eq!(
        answer.as_value()["structuredContent"],
        json!({"secret": "sk-secret"})
    );
}

#[tokio::test]
async fn a_changed_text_that_does_not_fit_the_schema_is_withheld() {
    for text in [
        "no JSON",
        r#"{"secret": 5}"#,
        r#"{"secret": "longer than ten"}"#,
        "[]",
    ] {
        let change = changes(RESULT, move |params| {
            params["toolCallResult"]["result"]["outputs"][0]["text"] = json!(text);
        });
        let rig = Rig::new(change).await;
        let answer = rig.call("typed", json!({})).await;
        assert!(answer.is_error(), "{text}");
        assert!(answer.text().contains("outputSchema"), "{answer:?}");
        assert!(!answer.as_value().to_string().contains(text), "{answer:?}");
    }
}

#[tokio::test]
async fn an_error_of_the_protocol_and_a_panic_are_results_too() {
    let rig = Rig::new(|question| question.allow()).await;
    let failed = rig.host.call_tool("fails", json!({})).await;
    assert!(failed.unwrap_err().to_string().contains("the disk is gone"));
    let result = &rig.asked(RESULT)[0]["toolCallResult"]["result"];
    assert_eq!(result["isError"], true);
    assert_eq!(
        outputs(&rig),
        ["the disk is gone: sk-secret", r#"{"key":"sk-data"}"#]
    );
    let panicked = rig.host.call_tool("panics", json!({})).await;
    assert!(panicked.is_err());
    assert_eq!(rig.asked(RESULT).len(), 2);

    let rig = Rig::new(changes(RESULT, redact)).await;
    let answer = rig.call("fails", json!({})).await;
    assert!(answer.is_error());
    assert_eq!(
        answer.text(),
        "the disk is gone: ***\n{\"key\":\"sk-data\"}"
    );

    let rig = Rig::new(denies(RESULT)).await;
    let answer = rig.call("fails", json!({})).await;
    assert!(
        answer.is_error() && !answer.text().contains("disk"),
        "{answer:?}"
    );
}

#[tokio::test]
async fn an_unchanged_change_changes_nothing() {
    let rig = Rig::new(changes(RESULT, |_: &mut Value| {})).await;
    let answer = rig.call("loose", json!({})).await;
    assert_eq!(
        answer.as_value()["structuredContent"],
        json!({"secret": "sk-secret"})
    );
}
