//! The engine's rules: the order, the first deny, the chain of changes, failures, and the words.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::{FutureExt, future::pending};
use serde_json::{Value, json};

use super::*;
use crate::{AosHook, Memory, Reply, StepInfo, ToolCallRequest, ToolInput, point};
use hooks_core::{HookError, Registry, Verdict, Violation};

type Seen = Arc<Mutex<Vec<String>>>;

fn guardian(hooks: impl IntoIterator<Item = AosHook>) -> Guardian {
    let add = |registry: hooks_core::RegistryBuilder, hook: AosHook| registry.add(hook.into());
    let registry = hooks.into_iter().fold(Registry::builder(), add);
    Guardian::with((), registry.build().unwrap())
}

/// A hook that adds its id to each memory, and says that it ran.
fn adds(id: &'static str, seen: &Seen) -> AosHook {
    let seen = Arc::clone(seen);
    AosHook::answering_any(id, point::memory_store, move |memory: &Memory, _| {
        seen.lock().unwrap().push(id.to_owned());
        let changed = memory.memory.iter().map(|text| format!("{text}{id}"));
        let reply = Reply::modify(Memory::new(changed)).message(format!("added {id}"));
        async move { reply }.boxed()
    })
}

fn says(id: &'static str, answer: impl Fn() -> Reply<Memory> + Send + Sync + 'static) -> AosHook {
    AosHook::answering_any(id, point::memory_store, move |_, _| {
        let reply = answer();
        async move { reply }.boxed()
    })
}

async fn decide(guardian: &Guardian) -> Result<Reply<Memory>, GuardianFailure> {
    let asked = StepInfo::new(crate::AosAt::MemoryStore);
    let memory = Memory::new(["a"]);
    guardian
        .decide::<point::memory_store>(&memory, &asked)
        .await
}

async fn failure(hook: AosHook) -> GuardianFailure {
    // Neither the allow before it nor the one behind it counts.
    let allow = |id| says(id, Reply::allow);
    let guardian = guardian([allow("before"), hook, allow("behind")]);
    decide(&guardian).await.unwrap_err()
}

fn context() -> Value {
    json!({
        "agent": {
            "id": "a", "name": "n", "instructions": "i", "version": "1", "x-agent": [1.0],
            "provider": {"name": "p", "url": "https://p"}, "metadata": null
        },
        "session": {"id": "s"}, "turnId": "t", "stepId": "e", "timestamp": "2025-01-24T15:30:45Z"
    })
}

async fn answer(guardian: &Guardian, body: &Value) -> Value {
    let body = body.to_string();
    let answer = guardian
        .answer(body.as_bytes(), Transported::default())
        .await;
    serde_json::from_slice(&answer).unwrap()
}

#[tokio::test]
async fn hooks_run_by_priority_and_each_sees_the_changes_before_it() {
    let seen = Seen::default();
    let guardian = guardian([
        adds("b", &seen),
        adds("c", &seen).priority(200),
        adds("d", &seen),
        adds("e", &seen).priority(-1),
    ]);
    let reply = decide(&guardian).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), ["e", "b", "d", "c"]);
    assert_eq!(reply.verdict, Verdict::Modify(Memory::new(["aebdc"])));
    assert_eq!(reply.words().message, "added c");
}

#[tokio::test]
async fn the_first_deny_is_final() {
    let seen = Seen::default();
    let deny = says("no", || Reply::deny("not kept").reason_code("PCI"));
    let guardian = guardian([adds("b", &seen), deny, adds("c", &seen)]);
    let reply = decide(&guardian).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), ["b"]);
    assert!(matches!(reply.verdict, Verdict::Deny(_)));
    assert_eq!(reply.words().message, "not kept");
    assert_eq!(reply.words().reason_codes, ["PCI"]);
}

#[tokio::test]
async fn the_words_are_those_of_the_hook_that_decided() {
    let seen = Seen::default();
    let spoken = || says("spoken", || Reply::allow().message("fine by me"));
    let silent = |id| says(id, Reply::allow);
    let reply = decide(&guardian([silent("a"), spoken(), silent("b")])).await;
    assert_eq!(reply.unwrap().words().message, "fine by me");
    let reply = decide(&guardian([adds("b", &seen), spoken()]))
        .await
        .unwrap();
    assert_eq!(reply.words().message, "added b");
    let reply = decide(&guardian([silent("a")])).await.unwrap();
    assert_eq!(reply.words().message, "allowed");
}

#[tokio::test]
async fn a_hook_that_fails_panics_or_is_late_is_never_an_allow() {
    let failing = AosHook::answering_any("fails", point::memory_store, |_, _| {
        async { Err::<Verdict<Infallible>, _>(HookError::new("no disk")) }.boxed()
    });
    let failing = failure(failing).await;
    assert_eq!(
        failing.to_string(),
        "the hook `aos:memory_store:fails` failed: no disk"
    );
    assert_eq!(failing.to_error().code, -32603);
    let panicking = failure(says("panics", || panic!("the secret is 42"))).await;
    let error = panicking.to_error();
    assert_eq!(error.code, -32603);
    assert!(!error.to_string().contains("42"), "{error}");
    let late = AosHook::answering_any("late", point::memory_store, |_, _| {
        pending::<Verdict<Infallible>>().boxed()
    });
    let late = failure(late.deadline(Duration::from_millis(1))).await;
    assert!(
        late.to_string().ends_with("took longer than 1 ms"),
        "{late}"
    );
    assert_eq!(late.to_error().code, -32603);
}

#[tokio::test]
async fn a_point_without_a_hook_is_no_method_and_a_guardian_without_hooks_no_guardian() {
    let empty = guardian([]);
    let failure = decide(&empty).await.unwrap_err();
    assert_eq!(failure.to_error().code, -32601);
    let problems = empty.check().unwrap_err().to_string();
    assert!(problems.contains("has no hooks"), "{problems}");
    let request = json!({
        "jsonrpc": "2.0", "id": 7, "method": "steps/memoryStore",
        "params": {"memory": ["a"], "context": context()}
    });
    let answered = answer(&empty, &request).await;
    assert_eq!(answered["error"]["code"], -32601);
    assert_eq!(answered["error"]["message"], "Method not found");
    assert_eq!(answered["id"], 7);
    let ping = json!({
        "jsonrpc": "2.0", "id": "p", "method": "ping", "params": {"timestamp": "2025-01-24T15:30:45Z"}
    });
    assert_eq!(answer(&empty, &ping).await["result"]["status"], "connected");
}

#[tokio::test]
async fn a_response_has_the_words_of_the_violation() {
    let deny = says("no", || {
        let mut violation = Violation::new("no cards");
        violation.description = "it is one of 16 digits".to_owned();
        violation.code = "PCI".to_owned();
        violation.details.insert("digits".to_owned(), json!(16));
        Verdict::Deny(violation).into()
    });
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "steps/memoryStore",
        "params": {"memory": ["a"], "context": context()}
    });
    let expected = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "decision": "deny", "message": "no cards", "reasoning": "it is one of 16 digits",
        "reasonCode": ["PCI"], "data": {"digits": 16}
    }});
    assert_eq!(answer(&guardian([deny]), &request).await, expected);
    let silent = answer(&guardian([says("yes", Reply::allow)]), &request).await;
    assert_eq!(
        silent["result"],
        json!({"decision": "allow", "message": "allowed"})
    );
}

#[tokio::test]
async fn a_modified_request_is_the_request_with_another_payload() {
    let redacts = AosHook::answering_any("redacts", point::tool_call_result, |call, _| {
        let mut call = crate::CompletedToolCall::clone(call);
        call.result.outputs[0].text = "-".to_owned();
        async move { Verdict::Modify(call) }.boxed()
    });
    let guardian = guardian([redacts]);
    let part = |text: &str| json!({"kind": "text", "text": text, "x-part": 1, "metadata": null});
    // The document's form and the flat one, with members that nobody knows.
    for nested in [true, false] {
        let request = |text: &str| {
            let call = json!({"executionId": "x", "result": {
                "outputs": [part(text)], "isError": false, "x-result": {"a": null}
            }});
            let mut params = match nested {
                true => json!({"toolCallResult": call}),
                false => call,
            };
            params["context"] = context();
            params["reasoning"] = json!("r");
            params["x-params"] = json!([1, 2.5]);
            json!({
                "jsonrpc": "2.0", "id": "1", "method": "steps/toolCallResult", "params": params,
                "x-request": true
            })
        };
        let answered = answer(&guardian, &request("secret")).await;
        assert_eq!(answered["result"]["message"], "modified");
        assert_eq!(answered["result"]["modifiedRequest"], request("-"));
    }
}

#[tokio::test]
async fn a_change_stays_about_the_same_call_and_names_each_input_once() {
    type Change = fn(&mut ToolCallRequest);
    let input = || ToolInput::new("a", json!(2));
    let changes: [(Change, &str); 3] = [
        (|call| call.tool_id = "rm".to_owned(), "toolId"),
        (|call| call.execution_id = "y".to_owned(), "executionId"),
        (
            |call| call.inputs.push(call.inputs[0].clone()),
            "an input twice",
        ),
    ];
    let asked = StepInfo::new(crate::AosAt::ToolCallRequest);
    let call = ToolCallRequest::new("x", "ls", vec![input()]);
    for (change, expected) in changes {
        let hook = AosHook::answering_any("changes", point::tool_call_request, move |call, _| {
            let mut call = ToolCallRequest::clone(call);
            change(&mut call);
            async move { Verdict::Modify(call) }.boxed()
        });
        let guardian = guardian([hook]);
        let decided = guardian.decide::<point::tool_call_request>(&call, &asked);
        let failure = decided.await.unwrap_err().to_string();
        assert!(failure.contains(expected), "{failure}");
    }
}

#[tokio::test]
async fn observers_see_each_step_and_change_nothing() {
    let seen = Seen::default();
    let told = Arc::clone(&seen);
    let guardian = guardian([says("no", || Reply::deny("not kept").reason_code("PCI"))])
        .on_decided(|_| panic!("no audit"))
        .on_decided(move |decided| {
            let line = format!(
                "{} {:?} {} {:?} {:?} {}",
                decided.method(),
                decided.decision(),
                decided.message(),
                decided.reason_codes(),
                decided.hook,
                decided.request()
            );
            told.lock().unwrap().push(line);
        });
    assert!(matches!(
        decide(&guardian).await.unwrap().verdict,
        Verdict::Deny(_)
    ));
    let expected = "steps/memoryStore Some(Deny) not kept [\"PCI\"] Some(\"aos:memory_store:no\") {\"memory\":[\"a\"]}";
    assert_eq!(*seen.lock().unwrap(), [expected]);
}

#[test]
fn answers_may_be_awaited_on_any_thread() {
    fn send<T: Send>(_: T) {}
    let guardian = guardian([]);
    send(guardian.answer(b"", Transported::default()));
}
