//! The decision log of a server: two lines for each call, however it ended, and one for each other stop.

mod faulty;
mod invariant;
mod stops;
mod told;

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use hooks_sdk::{
    Hooked, Policy,
    aos::{Agent, AosHook, CompletedToolCall, Guardian, Reply, ToolCallRequest, point as step},
    core::{HookError, Posture, Registry, Verdict},
    log::{DecisionLog, LogVerifier},
    plugin::{Outcome, PluginAt, PluginHook, Question, ToolCall, point},
    server::Sessions,
    session::Machine,
    testing::TestHost,
};
use serde_json::{Value, json};
use tracing::{
    Subscriber,
    field::{Field, Visit},
    span,
};
use tracing_subscriber::{Layer, layer::Context, layer::SubscriberExt, registry::LookupSpan};

use crate::server::{Files, hooked_with, host};

fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Closes a log, and returns its lines of a kind.
pub(crate) fn closed(log: &DecisionLog, kind: &str) -> Vec<Value> {
    assert!(log.close(Duration::from_secs(30)));
    let mut verifier = LogVerifier::new(Vec::new());
    let text = fs::read_to_string(log.file()).unwrap();
    text.lines().for_each(|line| verifier.line(line.as_bytes()));
    assert!(verifier.end().is_whole(), "{text}");
    let lines = lines(log.file()).into_iter();
    lines.filter(|line| line["kind"] == kind).collect()
}

/// Hooks of a guardian that allow the steps about which a test says nothing.
fn allowing() -> [AosHook; 2] {
    [
        AosHook::answering_any("allows_results", step::tool_call_result, |_, _| {
            Box::pin(async { Reply::<CompletedToolCall>::allow() })
        }),
        AosHook::answering_any("allows_readings", step::knowledge_retrieval, |_, _| {
            Box::pin(async { Verdict::<std::convert::Infallible>::Allow })
        }),
    ]
}

fn log(folder: &tempfile::TempDir, posture: Posture) -> DecisionLog {
    DecisionLog::to(folder.path().join("log.jsonl"), posture)
}

#[tokio::test]
async fn each_call_has_two_lines_whoever_refused_it() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(&folder, Posture::Deny);
    let files = Files::default();
    let rule = PluginHook::deny("keep", point::tool_pre_invoke, "nothing is deleted")
        .items(&["delete_*"])
        .code("KEEP");
    let flaky = PluginHook::answering_any::<_, Result<Verdict<ToolCall>, HookError>>(
        "flaky",
        point::tool_pre_invoke,
        |_, _| Box::pin(async { Err(HookError::new("no disk")) }),
    )
    .posture(Posture::Proceed);
    let policy = Policy::new().user(|_| Some("ann".to_owned()));
    let machine = Machine::standard().only("internal_sync").build().unwrap();
    let sessions = Some(Sessions::on(machine));
    let server = hooked_with(&files, [rule, flaky], [], policy, sessions);
    let host = host(server.log(log.clone())).await;
    let mut refused = Vec::new();
    for tool in ["read_file", "delete_file", "internal_sync", "fail"] {
        let params = json!({"name": tool, "arguments": {"path": "secret"}});
        if let Ok(answer) = host.request("tools/call", params).await {
            let id = &answer["_meta"]["hooks-sdk/violation"]["decision_id"];
            refused.extend(id.as_str().map(str::to_owned));
        }
    }
    let params = json!({"name": "greet"});
    host.request("prompts/get", params).await.unwrap();
    let ended = closed(&log, "decision");
    let first: Vec<Value> = lines(log.file());
    let first: Vec<_> = first.iter().filter(|line| line["kind"] == "call").collect();
    let told = |line: &Value| {
        json!([
            line["method"],
            line["item"],
            line["decision"],
            line["ended"],
            line["middleware"],
            line["rule"],
            line["code"],
            line["user"]
        ])
    };
    assert_eq!(
        ended.iter().map(told).collect::<Vec<_>>(),
        [
            json!([
                "tools/call",
                "read_file",
                "bypassed",
                "answered",
                null,
                null,
                null,
                "ann"
            ]),
            json!([
                "tools/call",
                "delete_file",
                "denied",
                "refused",
                "plugin",
                "keep",
                "KEEP",
                "ann"
            ]),
            json!([
                "tools/call",
                "internal_sync",
                "denied",
                "refused",
                "session",
                "gate",
                "session_refused",
                "ann"
            ]),
            json!([
                "tools/call",
                "fail",
                "bypassed",
                "error",
                null,
                null,
                null,
                "ann"
            ]),
            json!([
                "prompts/get",
                "greet",
                "allowed",
                "answered",
                null,
                null,
                null,
                "ann"
            ]),
        ]
    );
    assert_eq!(ended[0]["bypassed"][0]["rule"], "flaky");
    assert_eq!(ended[1]["posture"], "deny");
    for (first, last) in first.iter().zip(&ended) {
        assert_eq!(first["decision_id"], last["decision_id"]);
    }
    assert_eq!(
        refused,
        [&ended[1], &ended[2]].map(|line| line["decision_id"].clone())
    );
    assert!(!fs::read_to_string(log.file()).unwrap().contains("secret"));
}

#[tokio::test]
async fn without_its_log_the_server_runs_no_tool_unless_the_author_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("missing").join("log.jsonl");
    for (posture, ran) in [(Posture::Deny, 0), (Posture::Proceed, 1)] {
        let files = Files::default();
        let log = DecisionLog::to(&nowhere, posture);
        let server = hooked_with(&files, [], [], Policy::new(), None).log(log.clone());
        let answer = host(server)
            .await
            .call_tool("read_file", json!({"path": "a"}))
            .await;
        let answer = answer.unwrap();
        assert_eq!(answer.is_error(), ran == 0, "{answer:?}");
        assert_eq!(files.ran(), ran);
        log.close(Duration::from_secs(30));
        assert_eq!(log.dropped(), 2, "both lines are counted");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_that_nobody_reads_refuses_in_time_or_stops_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for (posture, ran) in [(Posture::Deny, 0), (Posture::Proceed, 1)] {
        let files = Files::default();
        let log = DecisionLog::to(&pipe, posture).patience(Duration::from_millis(200));
        let server = hooked_with(&files, [], [], Policy::new(), None).log(log);
        let host = host(server).await;
        let beat = tokio::time::timeout(Duration::from_secs(30), async {
            let call = host.call_tool("read_file", json!({"path": "a"}));
            let ping = host.request("ping", json!({}));
            let (answer, ping) = futures::future::join(call, ping).await;
            (answer.unwrap(), ping.is_ok())
        });
        let (answer, pinged) = beat.await.unwrap();
        assert_eq!((answer.is_error(), pinged), (ran == 0, true), "{answer:?}");
        assert_eq!(files.ran(), ran);
    }
}

#[tokio::test]
async fn a_stop_by_the_chain_itself_has_its_code() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(&folder, Posture::Deny);
    let files = Files::default();
    let nothing =
        |point| PluginHook::answering_any("nothing", point, |_: &ToolCall, _| Box::pin(async {}));
    let after =
        PluginHook::answering_any("after", point::tool_post_invoke, |_, _| Box::pin(async {}));
    let policy = Policy::new()
        .limit(PluginAt::ToolPreInvoke, 100)
        .limit(PluginAt::ToolPostInvoke, 10);
    let hooks = [nothing(point::tool_pre_invoke), after];
    let server = hooked_with(&files, hooks, [], policy, None);
    let host = host(server.log(log.clone())).await;
    for path in ["x".repeat(101), "x".to_owned()] {
        _ = host.call_tool("read_file", json!({"path": path})).await;
    }
    let ended = closed(&log, "decision");
    let codes: Vec<_> = ended.iter().map(|line| line["code"].clone()).collect();
    assert_eq!(codes, ["payload_too_large", "payload_too_large"]);
    for line in &ended {
        assert_eq!(
            (&line["ended"], &line["middleware"]),
            (&json!("refused"), &json!("plugin"))
        );
        assert_eq!(
            line["steps"].as_array().unwrap().last().unwrap()["code"],
            line["code"]
        );
    }
    assert_eq!(files.ran(), 1);
}

#[tokio::test]
async fn a_question_that_nobody_answered_is_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(&folder, Posture::Deny);
    let ask =
        PluginHook::answering_any::<_, Outcome<ToolCall>>("ask", point::tool_pre_invoke, |_, _| {
            Box::pin(async { Outcome::ask(Question::confirm("Sure?")) })
        });
    let server = hooked_with(&Files::default(), [ask], [], Policy::new(), None);
    let host = TestHost::builder()
        .version("2026-07-28")
        .capabilities(json!({"elicitation": {}}));
    let host = host.connect(server.log(log.clone())).await.unwrap();
    let params = json!({"name": "read_file", "arguments": {"path": "a"}});
    host.request("tools/call", params.clone()).await.unwrap();
    let mut forged = params;
    forged["requestState"] = json!("hooks-sdk.forged");
    _ = host.request("tools/call", forged).await;
    let ended = closed(&log, "decision");
    assert_eq!(
        (&ended[0]["ended"], &ended[0]["decision"]),
        (&json!("question"), &json!("asked"))
    );
}

#[tokio::test]
async fn the_query_of_a_uri_is_not_in_it_without_contents() {
    let folder = tempfile::tempdir().unwrap();
    for contents in [false, true] {
        let mut log = log(&folder, Posture::Deny);
        if contents {
            log = DecisionLog::to(folder.path().join("all.jsonl"), Posture::Deny).contents();
        }
        let server = hooked_with(&Files::default(), [], [], Policy::new(), None);
        let host = host(server.log(log.clone())).await;
        let params = json!({"uri": "file:///notes?token=sk-secret#part"});
        host.request("resources/read", params).await.unwrap();
        let line = &closed(&log, "decision")[0];
        let item = match contents {
            false => "file:///notes",
            true => "file:///notes?token=sk-secret#part",
        };
        assert_eq!(line["item"], item);
        assert_eq!(line.get("answer").is_some(), contents);
    }
}

#[tokio::test]
async fn a_policy_file_sets_the_log() {
    let folder = tempfile::tempdir().unwrap();
    // An escape is the same key.
    for (at, key) in ["log", "\"\\x6cog\""].into_iter().enumerate() {
        let (file, log) = (
            folder.path().join("policy.yaml"),
            folder.path().join(format!("chain{at}.jsonl")),
        );
        let written = format!(
            "{key}:\n  file: {}\n  posture: deny\n  contents: true\n  masks: [arguments.path]\n",
            log.display()
        );
        fs::write(&file, written).unwrap();
        let policy = Policy::new().file(&file);
        let host = host(hooked_with(&Files::default(), [], [], policy, None)).await;
        let answer = host.call_tool("read_file", json!({"path": "s3cret"})).await;
        assert!(!answer.unwrap().is_error());
        let call = &lines(&log)[1];
        assert_eq!(call["arguments"], json!({"path": "[masked]"}));
    }
}
