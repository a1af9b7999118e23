//! Hooks that run after their answer, where the answer is the result of a task.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use hooks_sdk::{
    Hooked,
    aos::{Agent, AosHook, CompletedToolCall, Guardian, GuardianClient, Posture, point as steps},
    core::{Registry, Verdict, Violation},
    log::DecisionLog,
    plugin::{PluginHook, PluginMode, ToolResult, point},
};
use hooks_tests::client::PATIENCE;
use serde_json::{Value, json};

use crate::{
    cleaners::cleaners,
    desk::{Desk, SECRET, with},
    peer::{Kind, Peer},
};

/// The texts of the results that the hook saw.
type Seen = Arc<Mutex<Vec<String>>>;

const BOTH: [Kind; 2] = [Kind::StreamStateless, Kind::HttpStateless];

fn watching(seen: &Seen) -> PluginHook {
    let seen = seen.clone();
    let watching = PluginHook::answering_any(
        "watching",
        point::tool_post_invoke,
        move |answer: &ToolResult, _| {
            let text = &answer.result["content"][0]["text"];
            seen.lock()
                .unwrap()
                .push(text.as_str().unwrap_or_default().to_owned());
            Box::pin(async {})
        },
    );
    watching.mode(PluginMode::FireAndForget).priority(0)
}

/// Waits for the hook of one more call. The hooks of the answers before it have begun earlier.
async fn settled(desk: &Desk, peer: &mut Peer, seen: &Seen) -> Vec<String> {
    desk.relays(json!({"content": [{"type": "text", "text": "last"}]}));
    peer.call("quick").await;
    let until = Instant::now() + PATIENCE;
    while seen
        .lock()
        .unwrap()
        .last()
        .is_none_or(|text| text != "last")
    {
        assert!(Instant::now() < until, "{seen:?}");
        tokio::task::yield_now().await;
    }
    let mut seen = seen.lock().unwrap();
    seen.pop();
    seen.clone()
}

fn task(status: &str, members: Value) -> Value {
    let mut task = json!({
        "taskId": "1", "status": status, "createdAt": "2026-01-01T00:00:00Z",
        "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttlMs": null,
    });
    let members = members.as_object().unwrap().clone();
    task.as_object_mut().unwrap().extend(members);
    task
}

fn said(text: &str) -> Value {
    let content = json!([{"type": "text", "text": text}]);
    task("completed", json!({"result": {"content": content}}))
}

/// A guardian that decides about results.
fn guardian(
    decide: impl Fn(CompletedToolCall) -> Verdict<CompletedToolCall> + Send + Sync + 'static,
) -> GuardianClient {
    let result = AosHook::answering_any(
        "result",
        steps::tool_call_result,
        move |call: &CompletedToolCall, _| {
            let verdict = decide(call.clone());
            Box::pin(async move { verdict })
        },
    );
    let request = AosHook::answering_any("request", steps::tool_call_request, |_, _| {
        Box::pin(async { Verdict::<Infallible>::Allow })
    });
    let registry = Registry::builder().add(result.into()).add(request.into());
    let registry = registry.build().expect("sound hooks");
    let agent = Agent::new("desk", "Desk").provider("Desk", "https://desk.example");
    let client = Guardian::local_with(Guardian::with((), registry)).agent(agent);
    client.posture(Posture::Proceed)
}

async fn begun(desk: &Desk, kind: Kind, hooked: Hooked<Desk>) -> Peer {
    let mut peer = Peer::of(kind, hooked).await;
    desk.relays(task("working", json!({"resultType": "task"})));
    let answer = peer.call("task").await;
    assert_eq!(answer["result"]["taskId"], "1", "{kind:?} {answer}");
    peer
}

async fn fetched(desk: &Desk, peer: &mut Peer, answer: Value) -> Value {
    desk.relays(answer);
    peer.answer("tasks/get", json!({"taskId": "1"})).await
}

#[tokio::test]
async fn it_runs_once_for_a_task_however_often_the_end_is_fetched() {
    for kind in BOTH {
        let (desk, seen) = (Desk::default(), Seen::default());
        let hooks = cleaners().into_iter().chain([watching(&seen)]);
        let mut peer = begun(&desk, kind, with(&desk, hooks)).await;
        for _ in 0..3 {
            fetched(&desk, &mut peer, said(SECRET)).await;
        }
        assert_eq!(
            settled(&desk, &mut peer, &seen).await,
            ["[clean]"],
            "{kind:?}"
        );
    }
}

#[tokio::test]
async fn it_runs_for_the_end_of_a_task_and_not_for_what_comes_before() {
    for kind in BOTH {
        let (desk, seen) = (Desk::default(), Seen::default());
        let mut peer = begun(&desk, kind, with(&desk, [watching(&seen)])).await;
        let working = task("working", json!({"statusMessage": "half of it"}));
        fetched(&desk, &mut peer, working).await;
        let error = json!({"error": {"code": -32603, "message": "no store"}});
        fetched(&desk, &mut peer, error).await;
        assert_eq!(settled(&desk, &mut peer, &seen).await, [""; 0], "{kind:?}");
        let failed = json!({"error": {"code": -32000, "message": "it broke"}});
        fetched(&desk, &mut peer, task("failed", failed)).await;
        assert_eq!(
            settled(&desk, &mut peer, &seen).await,
            ["it broke"],
            "{kind:?}"
        );
    }
}

#[tokio::test]
async fn it_does_not_run_for_an_end_that_a_hook_withholds() {
    let stops = PluginHook::answering_any::<_, Verdict<ToolResult>>(
        "stops",
        point::tool_post_invoke,
        |answer, _| {
            let is_secret = answer.result.to_string().contains(SECRET);
            Box::pin(async move {
                match is_secret {
                    true => Verdict::Deny(Violation::new("no")),
                    false => Verdict::Allow,
                }
            })
        },
    );
    for kind in BOTH {
        let (desk, seen) = (Desk::default(), Seen::default());
        let hooks = [watching(&seen), stops.clone().priority(10)];
        let mut peer = begun(&desk, kind, with(&desk, hooks)).await;
        let answer = fetched(&desk, &mut peer, said(SECRET)).await;
        assert!(!answer.to_string().contains(SECRET), "{kind:?} {answer}");
        assert_eq!(settled(&desk, &mut peer, &seen).await, [""; 0], "{kind:?}");
        // The server may answer with something else at the next fetch.
        fetched(&desk, &mut peer, said("done")).await;
        assert_eq!(settled(&desk, &mut peer, &seen).await, ["done"], "{kind:?}");
    }
}

#[tokio::test]
async fn it_never_runs_for_an_end_that_the_guardian_denies() {
    for kind in BOTH {
        let (desk, seen) = (Desk::default(), Seen::default());
        let denies = guardian(|call| match call.result.outputs[0].text.contains(SECRET) {
            true => Verdict::Deny(Violation::new("no secrets")),
            false => Verdict::Allow,
        });
        let hooked = with(&desk, [watching(&seen)]).guardian(denies);
        let mut peer = begun(&desk, kind, hooked).await;
        for _ in 0..2 {
            let answer = fetched(&desk, &mut peer, said(SECRET)).await;
            assert!(answer.to_string().contains("no secrets"), "{answer}");
        }
        assert_eq!(settled(&desk, &mut peer, &seen).await, [""; 0], "{kind:?}");
        fetched(&desk, &mut peer, said("done")).await;
        assert_eq!(settled(&desk, &mut peer, &seen).await, ["done"], "{kind:?}");
    }
}

#[tokio::test]
async fn it_sees_the_text_that_the_guardian_wrote() {
    for kind in BOTH {
        let (desk, seen) = (Desk::default(), Seen::default());
        let changes = guardian(|mut call| {
            for output in &mut call.result.outputs {
                output.text = output.text.replace(SECRET, "***");
            }
            Verdict::Modify(call)
        });
        let hooked = with(&desk, [watching(&seen)]).guardian(changes);
        let mut peer = begun(&desk, kind, hooked).await;
        for _ in 0..2 {
            fetched(&desk, &mut peer, said(SECRET)).await;
        }
        assert_eq!(settled(&desk, &mut peer, &seen).await, ["***"], "{kind:?}");
    }
}

#[tokio::test]
async fn an_end_that_the_guardian_denies_is_a_line_of_the_decision_log_at_each_fetch() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    let desk = Desk::default();
    let denies = guardian(|_| Verdict::Deny(Violation::new("no secrets")));
    let log = DecisionLog::to(&file, Posture::Deny);
    let hooked = with(&desk, []).guardian(denies).log(log);
    let mut peer = begun(&desk, Kind::StreamStateless, hooked).await;
    for fetches in 1..3 {
        fetched(&desk, &mut peer, said(SECRET)).await;
        let until = Instant::now() + PATIENCE;
        let withheld = loop {
            let text = std::fs::read_to_string(&file).unwrap();
            let lines = text
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok());
            let withheld: Vec<Value> = lines
                .filter(|line: &Value| line["method"] == "tasks/get")
                .collect();
            if withheld.len() >= fetches || Instant::now() > until {
                break withheld;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        assert_eq!(withheld.len(), fetches, "{withheld:?}");
        assert_eq!(withheld[0]["middleware"], "guardian", "{withheld:?}");
    }
}
