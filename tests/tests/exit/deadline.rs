//! The deadline of a call.

use std::time::Duration;

use futures::join;
use hooks_sdk::{
    CallDeadline, Collected, Hooked,
    core::{Registry, Verdict},
    plugin::{PluginHook, ToolResult, point},
};
use hooks_tests::{clock::passes, toy_server::one};
use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use serde_json::{Value, json};
use tokio::{select, task::JoinHandle, time::Instant};

use crate::{
    completions::completion,
    desk::{Desk, cleaned, with},
    peer::{Kind, Peer},
};

/// Longer than any machine takes for what the clock is not moved for.
const DEADLINE: Duration = Duration::from_secs(60);

/// How long a call may clean up after its deadline.
const GRACE: Duration = Duration::from_secs(1);

/// Moves the clock to the end of a call that hangs, and of its clean-up.
async fn stops(desk: &Desk) {
    one(&desk.begun).await;
    passes(DEADLINE).await;
    passes(GRACE).await;
}

async fn peer(kind: Kind, hooked: Hooked<Desk>) -> Peer {
    Peer::of(kind, hooked).await.without_patience()
}

#[tokio::test]
async fn a_call_that_hangs_is_answered_at_its_deadline_and_dropped() {
    for kind in Kind::ALL {
        for is_hooked in [true, false] {
            let desk = Desk::default();
            let hooked = if is_hooked {
                cleaned(&desk)
            } else {
                with(&desk, [])
            };
            let mut peer = peer(kind, hooked.call_deadline(DEADLINE)).await;
            let began = Instant::now();
            let (answer, ()) = join!(peer.call("hang"), async {
                one(&desk.begun).await;
                passes(DEADLINE / 2).await;
                passes(DEADLINE / 2).await;
                passes(GRACE / 2).await;
                passes(GRACE / 2).await;
            });
            let cancelled = desk.cancelled.get().expect("a cancelled token");
            assert!(*cancelled >= began + DEADLINE, "{kind:?}");
            let dropped = desk.dropped.get().expect("a dropped future");
            assert!(*dropped >= began + DEADLINE + GRACE, "{kind:?}");
            assert_eq!(answer["result"]["isError"], true, "{kind:?} {answer}");
            let text = answer["result"]["content"][0]["text"].as_str().unwrap();
            assert!(text.contains("did not end within 60 s"), "{text}");
            for (method, params) in [
                ("prompts/get", json!({"name": "slow"})),
                ("resources/read", json!({"uri": "x:slow"})),
                ("completion/complete", completion("hang")),
            ] {
                let (answer, ()) = join!(peer.answer(method, params), stops(&desk));
                assert_eq!(answer["error"]["code"], -32603, "{kind:?} {answer}");
            }
        }
    }
}

#[tokio::test]
async fn hooks_after_the_server_see_and_replace_the_answer_at_the_deadline() {
    for kind in Kind::ALL {
        let desk = Desk::default();
        let hook = PluginHook::answering_any::<_, Verdict<ToolResult>>(
            "words",
            point::tool_post_invoke,
            |answer, _| {
                let is_late = answer.result.to_string().contains("did not end within");
                let result =
                    json!({"content": [{"type": "text", "text": "too slow"}], "isError": true});
                let changed = is_late.then(|| ToolResult::new(answer.name.clone(), result));
                Box::pin(async move { changed.map_or(Verdict::Allow, Verdict::Modify) })
            },
        );
        let mut peer = peer(kind, with(&desk, [hook]).call_deadline(DEADLINE)).await;
        let (answer, ()) = join!(peer.call("hang"), stops(&desk));
        assert_eq!(
            answer["result"]["content"][0]["text"], "too slow",
            "{kind:?}"
        );
        assert_eq!(answer["result"]["isError"], true, "{kind:?} {answer}");
    }
}

#[tokio::test]
async fn hooks_that_were_collected_may_have_a_deadline_for_each_server() {
    let desk = Desk::default();
    let collected = Collected::of(Registry::builder().build().unwrap()).unwrap();
    let collected = collected.call_deadline(DEADLINE);
    let hooked = collected.wrap(desk.clone()).unwrap();
    let mut peer = peer(Kind::StreamLegacy, hooked).await;
    let (answer, ()) = join!(peer.call("hang"), stops(&desk));
    let answer = answer.to_string();
    assert!(answer.contains("did not end within 60 s"), "{answer}");
}

/// How long a server over HTTP waits for a call, unless set otherwise.
const OVER_HTTP: Duration = Duration::from_secs(120);

/// Begins a call that hangs. Returns what returns its answer.
async fn hanging(kind: Kind, desk: &Desk, hooked: Hooked<Desk>) -> JoinHandle<Value> {
    let mut peer = peer(kind, hooked).await;
    let calling = tokio::spawn(async move { peer.call("hang").await });
    one(&desk.begun).await;
    calling
}

#[tokio::test]
async fn a_call_over_http_has_120_seconds_and_one_on_a_stream_has_no_deadline_unless_set() {
    for kind in Kind::ALL {
        let desk = Desk::default();
        let began = Instant::now();
        let calling = hanging(kind, &desk, with(&desk, [])).await;
        passes(OVER_HTTP - Duration::from_secs(5)).await;
        passes(Duration::from_secs(5)).await;
        if matches!(kind, Kind::StreamLegacy | Kind::StreamStateless) {
            passes(OVER_HTTP * 100).await;
            assert_eq!(desk.cancelled.get(), None, "{kind:?}");
            assert!(!calling.is_finished(), "{kind:?}");
            continue;
        }
        passes(GRACE).await;
        let answer = calling.await.unwrap();
        let text = answer["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{kind:?} {answer}"));
        assert!(text.contains("did not end within 120 s"), "{text}");
        let cancelled = desk.cancelled.get().expect("a cancelled token");
        assert!(*cancelled >= began + OVER_HTTP, "{kind:?}");
        assert!(desk.dropped.get().is_some(), "{kind:?}");
    }
}

#[tokio::test]
async fn a_call_without_a_deadline_is_waited_for_wherever_it_came_from() {
    for kind in Kind::ALL {
        let desk = Desk::default();
        let hooked = cleaned(&desk).call_deadline(CallDeadline::none());
        let calling = hanging(kind, &desk, hooked).await;
        passes(OVER_HTTP * 2).await;
        assert_eq!(desk.cancelled.get(), None, "{kind:?}");
        assert!(!calling.is_finished(), "{kind:?}");
    }
}

#[tokio::test]
async fn each_call_that_is_stopped_at_its_deadline_is_counted_by_its_method() {
    let recorder = DebuggingRecorder::new();
    let counted = recorder.snapshotter();
    let _guard = metrics::set_default_local_recorder(&recorder);
    for kind in Kind::ALL {
        let desk = Desk::default();
        let mut peer = peer(kind, with(&desk, []).call_deadline(DEADLINE)).await;
        desk.relays(json!({"content": []}));
        peer.call("quick").await;
        join!(peer.call("hang"), stops(&desk));
        for (method, params) in [
            ("prompts/get", json!({"name": "slow"})),
            ("resources/read", json!({"uri": "x:slow"})),
        ] {
            join!(peer.answer(method, params), stops(&desk));
        }
        let counted = counted.snapshot().into_vec().into_iter();
        let deadlines = counted.filter(|(key, ..)| key.key().name() == "mcp.server.call.deadlines");
        let mut counts: Vec<(String, DebugValue)> = deadlines
            .map(|(key, _, _, count)| {
                let method = key.key().labels().map(|label| label.value().to_owned());
                (method.collect(), count)
            })
            .collect();
        counts.sort_by(|one, other| one.0.cmp(&other.0));
        let expected = ["prompts/get", "resources/read", "tools/call"];
        let expected = expected.map(|method| (method.to_owned(), DebugValue::Counter(1)));
        assert_eq!(counts, expected, "{kind:?}");
    }
}

#[tokio::test]
async fn time_spent_asking_the_user_does_not_count() {
    for kind in [Kind::StreamLegacy, Kind::HttpLegacy] {
        let desk = Desk::default();
        let peer = peer(kind, with(&desk, []).call_deadline(DEADLINE)).await;
        let params = json!({"name": "ask", "arguments": {}});
        let accept = json!({"action": "accept", "content": {}});
        let answer = match peer {
            Peer::Stream(mut stream) => {
                stream.send(Some(7), "tools/call", params).await;
                let question = stream.next().await;
                passes(DEADLINE * 4).await;
                let reply = json!({"jsonrpc": "2.0", "id": question["id"], "result": accept});
                stream.write(&reply).await;
                stream.next().await
            }
            Peer::Http(client) => {
                let mut asking = client.request("tools/call", params).await;
                let question = asking.until("elicitation/create").await;
                passes(DEADLINE * 4).await;
                client.respond(&question["id"], accept).await;
                asking.last().await
            }
        };
        assert_eq!(
            answer["result"]["content"][0]["text"], "answered",
            "{kind:?} {answer}"
        );
    }
}

#[tokio::test]
async fn the_time_of_a_question_of_a_spawned_task_does_not_count() {
    for tool in ["ask_beside", "ask_beside_for_the_call"] {
        let desk = Desk::default();
        let hooked = with(&desk, []).call_deadline(DEADLINE);
        let Peer::Stream(mut stream) = peer(Kind::StreamLegacy, hooked).await else {
            panic!("a stream");
        };
        let params = json!({"name": tool, "arguments": {}});
        stream.send(Some(7), "tools/call", params).await;
        let question = stream.next().await;
        assert_eq!(question["method"], "elicitation/create", "{question}");
        passes(DEADLINE * 4).await;
        let accept = json!({"action": "accept", "content": {}});
        let reply = json!({"jsonrpc": "2.0", "id": question["id"], "result": accept});
        stream.write(&reply).await;
        let answer = stream.next().await;
        let text = &answer["result"]["content"][0]["text"];
        let text = text.as_str().unwrap_or_default();
        assert!(text.contains("answered"), "{tool}: {answer}");
    }
}

#[tokio::test]
async fn progress_extends_a_deadline_only_if_set() {
    for kind in Kind::ALL {
        for (deadline, expected) in [
            (
                CallDeadline::after(DEADLINE).extended_by_progress(),
                "worked",
            ),
            (CallDeadline::after(DEADLINE), "did not end"),
        ] {
            let desk = Desk::default();
            let mut peer = peer(kind, with(&desk, []).call_deadline(deadline)).await;
            let params = json!({"name": "work", "arguments": {}, "_meta": {"progressToken": "p"}});
            let steps = async {
                loop {
                    one(&desk.begun).await;
                    passes(DEADLINE / 3).await;
                    desk.leave.add_permits(1);
                }
            };
            let answer = select! {
                answer = peer.answer("tools/call", params) => answer,
                () = steps => unreachable!("without an end"),
            };
            assert!(answer.to_string().contains(expected), "{kind:?} {answer}");
        }
    }
}

#[tokio::test]
async fn nor_does_it_count_in_the_120_seconds_of_a_call_over_http() {
    let desk = Desk::default();
    let Peer::Http(client) = peer(Kind::HttpLegacy, with(&desk, [])).await else {
        panic!("a client over HTTP");
    };
    let params = json!({"name": "ask", "arguments": {}});
    let mut asking = client.request("tools/call", params).await;
    let question = asking.until("elicitation/create").await;
    passes(OVER_HTTP * 2).await;
    let accept = json!({"action": "accept", "content": {}});
    client.respond(&question["id"], accept).await;
    let answer = asking.last().await;
    assert_eq!(
        answer["result"]["content"][0]["text"], "answered",
        "{answer}"
    );
}
