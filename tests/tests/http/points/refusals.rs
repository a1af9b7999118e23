//! What a client receives when a hook stops an HTTP request or its response.

use std::convert::Infallible;

use hooks_sdk::{
    Policy,
    core::{HookError, Verdict, Violation},
    plugin::{
        ForwardedResponse, HttpResponse, PluginContext, PluginHook, PluginPoint, Question, point,
    },
};
use serde_json::{Value, json};

use super::rig::{self, Serving, desk, serve_hooked};

fn violation() -> Violation {
    let mut violation = Violation::new("only from the office");
    violation.code = "OUTSIDE".to_owned();
    violation.description = "use the VPN".to_owned();
    violation.details.insert("zone".to_owned(), json!(3));
    violation
}

fn denies<P: PluginPoint>(point: P) -> PluginHook {
    PluginHook::answering_any("fence", point, |_: &P::Payload, _: &mut PluginContext| {
        Box::pin(async { Verdict::<Infallible>::Deny(violation()) })
    })
}

/// Calls the tool in each generation and form. Returns the status and the violation.
async fn refused(hook: PluginHook, policy: Policy) -> (u16, Value) {
    let mut all = Vec::new();
    for serving in [Serving::Events, Serving::Json] {
        let desk = desk();
        let address = serve_hooked(&desk, serving, [hook.clone()], policy.clone()).await;
        // A handshake would be refused as well.
        let client = rig::stateless(address);
        for client in [client, rig::legacy(address, Serving::Json).await] {
            let answer = rig::call(&client).await;
            assert_eq!(
                answer.header("content-type"),
                Some("application/json"),
                "{answer:?}"
            );
            all.push((answer.status.as_u16(), answer.message()));
        }
    }
    assert!(all.iter().all(|each| *each == all[0]), "{all:?}");
    all.swap_remove(0)
}

#[tokio::test]
async fn a_refused_request_is_403_and_a_refused_response_is_502() {
    let expected = json!({
        "code": "OUTSIDE",
        "reason": "only from the office",
        "description": "use the VPN",
        "details": {"zone": 3},
    });
    for hook in [
        denies(point::http_pre_request),
        denies(point::http_pre_forwarding_call),
    ] {
        let (status, violation) = refused(hook, Policy::new()).await;
        assert_eq!((status, violation), (403, expected.clone()));
    }
    for hook in [
        denies(point::http_post_forwarding_call),
        denies(point::http_post_request),
    ] {
        let (status, violation) = refused(hook, Policy::new()).await;
        assert_eq!((status, violation), (502, expected.clone()));
    }
    let (_, named) = refused(
        denies(point::http_pre_request),
        Policy::new().expose_plugin_names(),
    )
    .await;
    assert_eq!(named["plugin_name"], "fence");
}

#[tokio::test]
async fn a_refused_request_reaches_neither_the_server_nor_later_hooks() {
    let desk = desk();
    let late = PluginHook::answering_any(
        "late",
        point::http_post_request,
        |_: &HttpResponse, _: &mut PluginContext| {
            Box::pin(async { Verdict::<Infallible>::Deny(Violation::new("too late")) })
        },
    );
    let hooks = [denies(point::http_pre_request), late];
    let address = serve_hooked(&desk, Serving::Json, hooks, Policy::new()).await;
    let answer = rig::call(&rig::stateless(address)).await;
    assert_eq!(answer.status, 403);
    assert_eq!(desk.ran().len(), 0);
}

#[tokio::test]
async fn a_failure_after_the_server_withholds_the_answer() {
    let hook = PluginHook::answering_any(
        "broken",
        point::http_post_forwarding_call,
        |_: &ForwardedResponse, _: &mut PluginContext| {
            Box::pin(async { Err::<(), _>(HookError::new("no reason for clients")) })
        },
    );
    let (status, violation) = refused(hook, Policy::new()).await;
    assert_eq!(status, 502);
    assert_eq!(violation["code"], "plugin_error");
    assert!(!violation.to_string().contains("no reason"));
}

#[tokio::test]
async fn a_question_is_a_refusal() {
    fn asks<P: PluginPoint>(point: P) -> PluginHook {
        PluginHook::answering_any("curious", point, |_: &P::Payload, _: &mut PluginContext| {
            Box::pin(async { Verdict::<Infallible, Question>::Ask(Question::confirm("Really?")) })
        })
    }
    for (hook, expected) in [
        (asks(point::http_pre_request), 403),
        (asks(point::http_post_request), 502),
    ] {
        let (status, violation) = refused(hook, Policy::new()).await;
        assert_eq!(
            (status, &violation["code"]),
            (expected, &json!("elicitation_unsupported"))
        );
    }
}

#[tokio::test]
async fn a_rule_without_a_body_sees_what_other_hooks_left() {
    let rule = PluginHook::deny("no_debug", point::http_pre_request, "no debugging here")
        .items(&["/mcp"])
        .when(
            hooks_sdk::core::condition::Condition::parse("content_type = \"application/json\"")
                .unwrap(),
        )
        .code("NO_DEBUG");
    let (status, violation) = refused(rule, Policy::new()).await;
    assert_eq!((status, &violation["code"]), (403, &json!("NO_DEBUG")));
}
