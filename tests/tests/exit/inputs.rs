//! The user's answers to a question of the author's own code: rules, `redact` and the guardian judge them like arguments.

use hooks_sdk::{
    Collected, Hooked, Policy,
    aos::{
        Agent, AosHook, CompletedToolCall, Guardian, KnowledgeStep, Posture, Reply,
        ToolCallRequest, ToolInput, point as step,
    },
    core::{Registry, Verdict, condition::Condition},
    plugin::{
        PluginHook, ToolCall, point,
        ready::{Confirm, Redact},
    },
};
use serde_json::{Value, json};

use crate::{
    desk::{Desk, with},
    peer::{Kind, Peer},
};

const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

const KINDS: [Kind; 2] = [Kind::StreamStateless, Kind::HttpStateless];

/// A second request for each item, with the answer of its user.
fn retries(answer: &str) -> [(&'static str, Value); 3] {
    let responses = json!({"a": {"action": "accept", "content": {"path": answer}}});
    let with = |mut params: Value| {
        params["inputResponses"] = responses.clone();
        params["requestState"] = "of the author".into();
        params
    };
    [
        (
            "tools/call",
            with(json!({"name": "inputs", "arguments": {}})),
        ),
        ("prompts/get", with(json!({"name": "inputs"}))),
        ("resources/read", with(json!({"uri": "x:inputs"}))),
    ]
}

#[tokio::test]
async fn a_rule_refuses_an_answer_that_it_forbids() {
    let condition = || Condition::parse(r#"input_responses.a.content.path = inside("/etc")"#);
    let rules = [
        PluginHook::deny("tools", point::tool_pre_invoke, "no").when(condition().unwrap()),
        PluginHook::deny("prompts", point::prompt_pre_fetch, "no").when(condition().unwrap()),
        PluginHook::deny("resources", point::resource_pre_fetch, "no").when(condition().unwrap()),
    ];
    for kind in KINDS {
        let desk = Desk::default();
        let mut peer = Peer::of(kind, with(&desk, rules.clone())).await;
        for (method, params) in retries("/etc/passwd") {
            let answer = peer.answer(method, params).await;
            assert!(answer.to_string().contains("no"), "{kind:?} {answer}");
            assert!(desk.heard().is_null(), "{kind:?} {method}");
        }
        for (method, params) in retries("/srv/a") {
            let responses = params["inputResponses"].clone();
            peer.answer(method, params).await;
            assert_eq!(desk.heard(), responses, "{kind:?} {method}");
        }
    }
}

#[tokio::test]
async fn redact_replaces_secrets_in_the_answers_if_it_does_in_arguments() {
    for (redact, expected) in [
        (Redact::new(), TOKEN),
        (Redact::new().arguments(), "[REDACTED]"),
    ] {
        for kind in KINDS {
            let desk = Desk::default();
            let none = Registry::builder().build().unwrap();
            let collected = Collected::of(none).unwrap();
            let policy = Policy::new().with(redact.clone());
            let hooked = collected.policy(policy).wrap(desk.clone()).unwrap();
            let mut peer = Peer::of(kind, hooked).await;
            for (method, params) in retries(TOKEN) {
                peer.answer(method, params).await;
                let heard = desk.heard();
                assert_eq!(heard["a"]["content"]["path"], expected, "{kind:?} {method}");
            }
        }
    }
}

#[tokio::test]
async fn a_hook_that_makes_a_new_call_keeps_the_answers() {
    let rename = PluginHook::answering_any::<_, Verdict<ToolCall>>(
        "anew",
        point::tool_pre_invoke,
        |call, _| {
            let call = ToolCall::new(call.name.clone(), call.args.clone());
            Box::pin(async move { Verdict::Modify(call.with("more", 1)) })
        },
    );
    let desk = Desk::default();
    let mut peer = Peer::of(Kind::StreamStateless, with(&desk, [rename])).await;
    let [(method, params), ..] = retries("/srv/a");
    let responses = params["inputResponses"].clone();
    peer.answer(method, params).await;
    assert_eq!(desk.heard(), responses);
}

#[tokio::test]
async fn a_rule_judges_the_answers_behind_a_hook_that_asked_the_user_and_it_does_not_ask_again() {
    let rule = PluginHook::deny("rule", point::tool_pre_invoke, "not from there")
        .when(Condition::parse(r#"input_responses.a.content.path = inside("/etc")"#).unwrap());
    for (path, is_denied) in [("/etc/passwd", true), ("/srv/a", false)] {
        let desk = Desk::default();
        let registry = Registry::builder()
            .add(rule.clone().into())
            .build()
            .unwrap();
        let policy = Policy::new().with(Confirm::new().tool("inputs"));
        let collected = Collected::of(registry).unwrap().policy(policy);
        let hooked: Hooked<Desk> = collected.wrap(desk.clone()).unwrap();
        let mut peer = Peer::of(Kind::StreamStateless, hooked).await;
        let call = json!({"name": "inputs", "arguments": {}});
        let asked = peer.answer("tools/call", call.clone()).await;
        let questions = asked["result"]["inputRequests"].as_object().unwrap();
        let (name, _) = questions.iter().next().unwrap();
        let mut retry = call.clone();
        retry["requestState"] = asked["result"]["requestState"].clone();
        retry["inputResponses"] = json!({name: {"action": "accept", "content": {"confirm": true}}});
        // Now the tool asks.
        desk.relays(json!({"resultType": "input_required", "requestState": "of the author",
            "inputRequests": {"a": {"method": "elicitation/create", "params": {
                "mode": "form", "message": "Where?", "requestedSchema": {"type": "object", "properties": {}},
            }}}}));
        let asked = peer.answer("tools/call", retry).await;
        assert!(asked["result"]["inputRequests"]["a"].is_object(), "{asked}");
        desk.relays(json!({}));
        let mut retry = call;
        retry["requestState"] = asked["result"]["requestState"].clone();
        retry["inputResponses"] = json!({"a": {"action": "accept", "content": {"path": path}}});
        let responses = retry["inputResponses"].clone();
        let answer = peer.answer("tools/call", retry).await;
        assert!(answer["result"]["inputRequests"].is_null(), "{answer}");
        let text = answer.to_string();
        assert_eq!(text.contains("not from there"), is_denied, "{text}");
        let heard = if is_denied { Value::Null } else { responses };
        assert_eq!(desk.heard(), heard);
    }
}

/// A guardian that denies the path `no`, and changes the path `change` and the answers that are called `drop`.
fn guarded(desk: &Desk) -> Hooked<Desk> {
    let request = AosHook::answering_any(
        "request",
        step::tool_call_request,
        |call: &ToolCallRequest, _| {
            let mut call = call.clone();
            let at = call.inputs.iter().position(|input| {
                input.name.ends_with("inputResponses") && input.value.is_object()
            });
            let path = at.map(|at| call.inputs[at].value["a"]["content"]["path"].clone());
            let reply = match path.as_ref().and_then(Value::as_str) {
                Some("no") => Reply::deny("not this answer"),
                Some("change") => {
                    let at = at.unwrap();
                    call.inputs[at].value["a"]["content"]["path"] = "changed".into();
                    Reply::modify(call)
                }
                Some("drop") => {
                    call.inputs.remove(at.unwrap());
                    Reply::modify(call)
                }
                Some("break") => {
                    let at = at.unwrap();
                    let name = call.inputs[at].name.clone();
                    call.inputs[at] = ToolInput::new(name, json!(1));
                    Reply::modify(call)
                }
                _ => Reply::<ToolCallRequest>::allow(),
            };
            Box::pin(async move { reply })
        },
    );
    let result = AosHook::answering_any(
        "result",
        step::tool_call_result,
        |_: &CompletedToolCall, _| Box::pin(async { Reply::<CompletedToolCall>::allow() }),
    );
    let read = AosHook::answering_any("read", step::knowledge_retrieval, |_: &KnowledgeStep, _| {
        Box::pin(async { Reply::<KnowledgeStep>::allow() })
    });
    let mut hooks = Registry::builder();
    for hook in [request, result, read] {
        hooks = hooks.add(hook.into());
    }
    let client = Guardian::local_with(Guardian::with((), hooks.build().unwrap()))
        .agent(Agent::new("desk", "Desk").provider("Example", "https://example.com"))
        .posture(Posture::Deny);
    let none = Registry::builder().build().unwrap();
    let collected = Collected::of(none).unwrap().guardian(client);
    collected.wrap(desk.clone()).unwrap()
}

#[tokio::test]
async fn a_guardian_sees_the_answers_as_one_more_input_and_can_change_them() {
    let content = |path: &str| json!({"a": {"action": "accept", "content": {"path": path}}});
    for (path, heard) in [
        ("fine", content("fine")),
        ("no", Value::Null),
        ("change", content("changed")),
        ("drop", Value::Null),
        ("break", Value::Null),
    ] {
        for arguments in [json!({}), json!({"inputResponses": "of the tool"})] {
            let desk = Desk::default();
            let mut peer = Peer::of(Kind::StreamStateless, guarded(&desk)).await;
            let [(method, mut params), ..] = retries(path);
            params["arguments"] = arguments.clone();
            let answer = peer.answer(method, params).await;
            assert_eq!(desk.heard(), heard, "{path} {arguments} {answer}");
            let text = answer.to_string();
            assert_eq!(text.contains("not this answer"), path == "no", "{text}");
            assert_eq!(text.contains("cannot be used"), path == "break", "{text}");
        }
    }
}
