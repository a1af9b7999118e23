//! `validate`.

use serde_json::json;

use super::*;
use crate::{PluginHook, ready::Validate};
use hooks_core::Verdict;

fn definition() -> Value {
    json!({
        "name": "search",
        "inputSchema": {"type": "object", "properties": {"limit": {"type": "integer", "maximum": 10}}, "required": ["limit"]},
        "outputSchema": {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]},
    })
}

#[tokio::test]
async fn arguments_fit_the_input_schema() {
    let chain = chain([Validate::new().into()]);
    assert_eq!(
        stopped(
            &chain,
            "search",
            json!({"limit": 5}),
            &mut defined(definition())
        )
        .await,
        None
    );
    for args in [json!({}), json!({"limit": "s3cr3t"}), json!({"limit": 11})] {
        let violation = stopped(&chain, "search", args.clone(), &mut defined(definition()))
            .await
            .unwrap();
        assert_eq!(violation.code, "invalid_arguments", "{args}");
        assert!(!violation.reason.contains("s3cr3t"), "{}", violation.reason);
    }
    let unknown = stopped(&chain, "search", json!({}), &mut contexts()).await;
    assert_eq!(unknown.unwrap().code, "unknown_definition");
    let chain = super::chain([Validate::new().arguments(false).into()]);
    assert_eq!(
        stopped(&chain, "search", json!({}), &mut defined(definition())).await,
        None
    );
}

#[tokio::test]
async fn structured_results_fit_the_output_schema() {
    let chain = chain([Validate::new().into()]);
    for (result, fits) in [
        (json!({"structuredContent": {"count": 1}}), true),
        (json!({"structuredContent": {"count": "1"}}), false),
        (json!({"structuredContent": {}}), false),
        (json!({"content": []}), false),
        (json!({"content": [], "isError": true}), true),
    ] {
        let (_, ran) = answered(&chain, result.clone(), &mut defined(definition())).await;
        let violation = violation(ran);
        assert_eq!(violation.is_none(), fits, "{result}");
        assert!(violation.is_none_or(|violation| violation.code == "invalid_result"));
    }
}

#[tokio::test]
async fn arguments_are_checked_again_as_they_are_used() {
    // Under another name, so that the chain itself does not check the change against the tool's schema.
    let renames =
        PluginHook::answering_any("renames", point::tool_pre_invoke, |call: &ToolCall, _| {
            let mut call = call.with("limit", 99);
            call.name = "search_all".into();
            Box::pin(async { Verdict::<ToolCall>::Modify(call) })
        });
    let validate = Instance::of(Validate::new()).priority(1);
    let chain = Chain::new(validate.hooks().iter().cloned().chain([renames]));
    let violation = stopped(
        &chain,
        "search",
        json!({"limit": 5}),
        &mut defined(definition()),
    )
    .await;
    assert_eq!(violation.unwrap().code, "invalid_arguments");
}
