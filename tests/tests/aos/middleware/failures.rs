//! A guardian that gives no decision: each posture holds, and no request hangs.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use hooks_sdk::aos::{Bypass, GuardianClient, Posture};
use serde_json::json;

use super::{REQUEST, RESULT, Rig, soon};
use crate::observed::stand_in::{Act, Question};

/// Time enough for nothing.
const SHORT: Duration = Duration::from_millis(100);

type Script = fn(&Question) -> Act;

const FAILURES: &[(&str, Script)] = &[
    ("timeout", |_| Act::Hang(Vec::new())),
    ("malformed_response", |_| Act::json("{}")),
];

fn short(client: GuardianClient<()>, word: &str) -> GuardianClient<()> {
    match word {
        "timeout" => client.timeout(SHORT),
        _ => client,
    }
}

#[tokio::test]
async fn by_deny_no_tool_runs() {
    for (word, script) in FAILURES {
        let rig = Rig::with(script, |client| short(client, word).posture(Posture::Deny)).await;
        let answer = rig.call("echo", json!({"text": "a"})).await;
        assert!(answer.is_error());
        let expected = format!("[guardian_{word}]");
        assert!(answer.text().ends_with(&expected), "{answer:?}");
        let read = rig
            .host
            .request("resources/read", json!({"uri": "note://text"}));
        assert!(soon(read).await.is_err());
        // The reading itself is no tool.
        assert_eq!(rig.desk.ran(), 0);
    }
}

#[tokio::test]
async fn by_deny_a_result_without_a_decision_is_withheld() {
    for (word, script) in FAILURES {
        let script = *script;
        let script = move |question: &Question| match question.body["method"] == RESULT {
            true => script(question),
            false => question.allow(),
        };
        let rig = Rig::with(script, |client| short(client, word).posture(Posture::Deny)).await;
        let answer = rig.call("typed", json!({})).await;
        assert!(answer.is_error());
        assert!(answer.text().starts_with("Blocked: "), "{answer:?}");
        assert!(!answer.as_value().to_string().contains("sk-secret"));
        assert_eq!(rig.desk.ran(), 1);
    }
}

#[tokio::test]
async fn by_proceed_each_step_goes_on_and_is_recorded() {
    for (word, script) in FAILURES {
        let bypasses = Arc::new(Mutex::new(Vec::<Bypass>::new()));
        let record = bypasses.clone();
        let rig = Rig::with(script, |client| {
            short(client, word)
                .on_bypass(move |bypass| record.lock().unwrap().push(bypass.clone()))
                .posture(Posture::Proceed)
        })
        .await;
        let answer = rig.call("typed", json!({})).await;
        assert_eq!(
            answer.as_value()["structuredContent"],
            json!({"secret": "sk-secret"})
        );
        let bypasses = bypasses.lock().unwrap();
        let methods: Vec<&str> = bypasses
            .iter()
            .map(|bypass| bypass.method.as_str())
            .collect();
        assert_eq!(methods, [REQUEST, RESULT], "{word}");
        assert_eq!(bypasses[0].class.as_str(), *word);
        assert_eq!(bypasses[0].execution_id, bypasses[1].execution_id);
        assert_eq!(bypasses[0].step_id, bypasses[1].step_id);
    }
}

#[tokio::test]
async fn what_the_guardian_cannot_see_does_not_pass_by_a_bypass_either() {
    let rig = Rig::with(
        |_| Act::Close(Vec::new()),
        |client| client.posture(Posture::Proceed),
    )
    .await;
    let answer = rig.call("rich", json!({})).await;
    assert!(answer.text().contains("[withheld, because"), "{answer:?}");
}
