//! A server that is a guardian: the methods of AOS as requests of MCP.

use std::convert::Infallible;

use futures::future::BoxFuture;
use hooks_sdk::{
    Collected, Hooked,
    aos::{AosHook, McpMessage, Memory, Reply, StepInfo, ToolCallRequest, point},
    core::{HookError, Registry, Verdict},
    rmcp::ServerHandler,
};
use hooks_tests::client::peer::{Kind, Peer};
use serde_json::{Value, json};

/// The policy and the server at once.
#[derive(Clone)]
struct Office {
    forbidden: &'static str,
}

impl ServerHandler for Office {}

fn decide<'a>(
    office: &'a Office,
    call: &'a ToolCallRequest,
    asked: &'a StepInfo,
) -> BoxFuture<'a, Reply<ToolCallRequest>> {
    let reply = match &*call.tool_id {
        tool if tool == office.forbidden => Reply::deny("not here").reason_code("RULE"),
        "redact" => {
            let mut call = call.clone();
            call.inputs[0].value = "[redacted]".into();
            Reply::modify(call)
        }
        _ => Reply::allow().message(asked.trace_parent().unwrap_or_default()),
    };
    Box::pin(async { reply })
}

fn look<'a>(
    _: &'a Office,
    message: &'a McpMessage,
    _: &'a StepInfo,
) -> BoxFuture<'a, Reply<McpMessage>> {
    let reply = match message.message.contains_key("_meta") {
        true => Reply::deny("the message has a member that it had not"),
        false => Reply::modify(message.clone()),
    };
    Box::pin(async { reply })
}

fn fail<'a>(
    _: &'a Office,
    _: &'a Memory,
    _: &'a StepInfo,
) -> BoxFuture<'a, Result<Verdict<Infallible>, HookError>> {
    Box::pin(async { Err(HookError::new("no disk")) })
}

fn registry() -> Registry {
    let registry = Registry::builder()
        .add(AosHook::answering::<Office, _, _>("call", point::tool_call_request, decide).into())
        .add(AosHook::answering::<Office, _, _>("mcp", point::mcp, look).into())
        .add(AosHook::answering::<Office, _, _>("memory", point::memory_store, fail).into());
    registry.build().expect("sound hooks")
}

fn hooked(registry: Registry) -> Hooked<Office> {
    let collected = Collected::of(registry).expect("sound hooks");
    collected
        .wrap(Office { forbidden: "shell" })
        .expect("a server")
}

fn context() -> Value {
    json!({
        "agent": {
            "id": "a", "name": "A", "instructions": "", "version": "1",
            "provider": {"name": "Example", "url": "https://example.com"},
        },
        "session": {"id": "s"}, "turnId": "t", "stepId": "1", "timestamp": "2026-01-01T00:00:00Z",
    })
}

fn call(tool: &str) -> Value {
    json!({"context": context(), "toolCallRequest": {
        "executionId": "e", "toolId": tool, "inputs": [{"name": "text", "value": "secret"}],
    }})
}

/// The questions, each with its outcome: a decision, or the code of an error.
fn questions() -> Vec<(&'static str, Value, Value)> {
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {}});
    vec![
        ("aos/steps/toolCallRequest", call("read"), json!("allow")),
        ("aos/steps/toolCallRequest", call("shell"), json!("deny")),
        ("aos/steps/toolCallRequest", call("redact"), json!("modify")),
        ("aos/protocols/MCP", message.clone(), json!("modify")),
        (
            "aos/protocols/MCP",
            json!({"message": message, "reasoning": "why"}),
            json!("modify"),
        ),
        ("aos/steps/toolCallRequest", json!({}), json!(-32602)),
        (
            "aos/steps/memoryStore",
            json!({"context": context(), "memory": ["a"]}),
            json!(-32603),
        ),
        (
            "aos/steps/knowledgeRetrieval",
            json!({"context": context(), "knowledgeStep": {"results": []}}),
            json!(-32601),
        ),
        (
            "aos/tasks/get",
            json!({"payload": {"jsonrpc": "2.0", "id": 1, "method": "tasks/get"}}),
            json!(-32601),
        ),
        ("aos/message/send", json!({}), json!(-32602)),
        ("aos/steps/unknown", json!({}), json!(-32601)),
        ("steps/toolCallRequest", call("read"), json!(-32601)),
    ]
}

fn check(method: &str, expected: &Value, answer: &Value) {
    let outcome = match answer.get("error") {
        Some(error) => &error["code"],
        None => &answer["result"]["decision"],
    };
    assert_eq!(outcome, expected, "{method}: {answer}");
    let result = &answer["result"];
    match expected.as_str() {
        Some("deny") => {
            assert_eq!(result["message"], "not here");
            assert_eq!(result["reasonCode"], json!(["RULE"]));
        }
        Some("modify") => {
            let modified = &result["modifiedRequest"];
            assert_eq!(modified["method"], method.trim_start_matches("aos/"));
            let params = &modified["params"];
            if method.ends_with("MCP") {
                let message = params.get("message").unwrap_or(params);
                assert_eq!(message["method"], "tools/list", "{answer}");
            } else {
                assert_eq!(
                    params["toolCallRequest"]["inputs"][0]["value"],
                    "[redacted]"
                );
            }
        }
        _ => {}
    }
}

#[tokio::test]
async fn each_kind_of_client_asks_about_steps() {
    for kind in Kind::ALL {
        let mut peer = Peer::of(kind, hooked(registry())).await;
        for (method, params, expected) in questions() {
            let answer = peer.answer(method, params).await;
            check(method, &expected, &answer);
        }
        let mut traced = call("read");
        traced["_meta"] = json!({"traceparent": "00-1-1-01"});
        let answer = peer.answer("aos/steps/toolCallRequest", traced).await;
        assert_eq!(answer["result"]["message"], "00-1-1-01", "{kind:?}");
        let ping = json!({"timestamp": "2026-01-01T00:00:00Z", "timeout": 10});
        let pong = peer.answer("aos/ping", ping).await;
        assert_eq!(pong["result"]["status"], "connected", "{pong}");
    }
}

#[tokio::test]
async fn a_server_without_hooks_of_its_own_is_no_guardian() {
    let any = AosHook::answering_any("any", point::tool_call_request, |_, _| {
        Box::pin(async { Verdict::<Infallible>::Allow })
    });
    for registry in [Registry::builder(), Registry::builder().add(any.into())] {
        let hooked = hooked(registry.build().expect("sound hooks"));
        let mut peer = Peer::of(Kind::StreamLegacy, hooked).await;
        let answer = peer.answer("aos/steps/toolCallRequest", call("read")).await;
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
}
