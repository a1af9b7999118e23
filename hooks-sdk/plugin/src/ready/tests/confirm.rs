//! `confirm`.

use serde_json::{from_value, json};

use super::*;
use crate::{Action, ElicitationResponse, Pending, ready::Confirm};

async fn asked(
    chain: &Chain,
    call: &mut ToolCall,
    contexts: &mut Contexts,
) -> Option<Box<Pending>> {
    match chain.run(point::tool_pre_invoke, call, contexts).await.end {
        End::Asks(pending) => Some(pending),
        End::Allowed | End::Blocked(_) => None,
    }
}

async fn told(chain: &Chain, answer: ElicitationResponse) -> Ran {
    let mut contexts = contexts();
    let mut call = ToolCall::new("delete_memory", object(json!({"id": "42"})));
    let pending = asked(chain, &mut call, &mut contexts).await.unwrap();
    let nobody: std::sync::Arc<dyn std::any::Any + Send + Sync> = std::sync::Arc::new(());
    chain
        .resume(
            point::tool_pre_invoke,
            &nobody,
            *pending,
            answer,
            &mut call,
            &mut contexts,
        )
        .await
}

#[tokio::test]
async fn the_user_decides() {
    let chain = chain([Confirm::new().tool("delete_*").into()]);
    let yes = ElicitationResponse::accept(object(json!({"confirm": true})));
    assert_eq!(violation(told(&chain, yes).await), None);
    for (answer, says) in [
        (
            ElicitationResponse::accept(object(json!({"confirm": false}))),
            "the user said no",
        ),
        (
            ElicitationResponse::new(Action::Decline),
            "the user said no",
        ),
        (
            ElicitationResponse::new(Action::Cancel),
            "the user closed the question",
        ),
    ] {
        let violation = violation(told(&chain, answer).await).unwrap();
        assert_eq!(violation.code, "not_confirmed");
        assert!(violation.reason.starts_with(says), "{}", violation.reason);
    }
}

#[tokio::test]
async fn destructive_tools_are_known_by_their_annotation() {
    let definition =
        |hint: Value| json!({"name": "wipe", "annotations": {"destructiveHint": hint}});
    for (plugin, definition, asks) in [
        (Confirm::new(), definition(json!(true)), true),
        (Confirm::new(), definition(json!(false)), false),
        (Confirm::new(), json!({"name": "wipe"}), false),
        (
            Confirm::new().destructive(false),
            definition(json!(true)),
            false,
        ),
        (
            from_value(json!({"tools": "wi*"})).unwrap(),
            json!({}),
            true,
        ),
    ] {
        let chain = chain([plugin.into()]);
        let mut call = ToolCall::new("wipe", Map::new());
        let pending = asked(&chain, &mut call, &mut defined(definition.clone())).await;
        assert_eq!(pending.is_some(), asks, "{definition}");
    }
}

#[tokio::test]
async fn the_question_names_the_tool_and_bounds_the_arguments() {
    let chain = chain([Confirm::new().tool("*").into()]);
    let args = json!({"a": "x\"\n\u{202e}y", "b": 5, "c": "z".repeat(500), "d": {"e": [1, 2]}});
    let mut call = ToolCall::new("delete", object(args));
    let pending = asked(&chain, &mut call, &mut contexts()).await.unwrap();
    let message = &pending.question.message;
    assert!(
        message.starts_with(r#"Run `delete` with a = "x\"\n\u{202e}y", b = 5, c = "zzz"#),
        "{message}"
    );
    assert!(
        message.ends_with("zzz…\", d = {\\\"e\\\":[1,2]}?"),
        "{message}"
    );
    assert_eq!(
        pending.question.schema,
        json!({"confirm": {"type": "boolean"}})
    );

    let many = (0..100)
        .map(|at| (format!("argument{at:03}"), json!("v".repeat(1000))))
        .collect();
    let pending = asked(&chain, &mut ToolCall::new("delete", many), &mut contexts())
        .await
        .unwrap();
    assert!(pending.question.message.chars().count() < 2000);
    assert!(pending.question.message.ends_with(", and 90 more?"));
}

#[tokio::test]
async fn a_yes_holds_for_what_was_asked_only() {
    let chain = chain([Confirm::new().tool("*").into()]);
    let mut contexts = contexts();
    let mut call = ToolCall::new("delete", object(json!({"id": 1})));
    let pending = asked(&chain, &mut call, &mut contexts).await.unwrap();
    let nobody: std::sync::Arc<dyn std::any::Any + Send + Sync> = std::sync::Arc::new(());
    let yes = ElicitationResponse::accept(object(json!({"confirm": true})));
    let mut other = ToolCall::new("delete_all", object(json!({"id": 1})));
    let ran = chain
        .resume(
            point::tool_pre_invoke,
            &nobody,
            *pending,
            yes,
            &mut other,
            &mut contexts,
        )
        .await;
    assert!(matches!(ran.end, End::Asks(_)), "{ran:?}");
}
