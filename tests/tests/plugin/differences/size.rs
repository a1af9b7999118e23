//! The limit of 1,000,000 characters: at every point, and after every change.

use hooks_sdk::{
    core::Posture,
    plugin::{
        Chain, Contexts, End, HttpHeaders, HttpRequest, Outcome, PluginAt, PluginHook, PluginMode,
        PluginPoint, PromptFetch, ResourceResult, ToolCall, ToolResult, point,
    },
};
use serde_json::{Map, Value, json};

use super::hook;

const MOST: usize = 1_000_000;

fn text(characters: usize) -> String {
    // Of two bytes each, since characters are counted.
    "é".repeat(characters)
}

fn standing<P: PluginPoint>(point: P) -> PluginHook {
    PluginHook::answering_any("standing", point, |_, _| Box::pin(async {}))
}

async fn end<P: PluginPoint + Copy>(point: P, mut payload: P::Payload) -> Option<String> {
    let chain = Chain::new([standing(point)]);
    let mut contexts = Contexts::default();
    match chain.run(point, &mut payload, &mut contexts).await.end {
        End::Blocked(blocked) => Some(blocked.violation.code),
        _ => None,
    }
}

fn call(text: String) -> ToolCall {
    let mut args = Map::new();
    args.insert("list".into(), json!([{ "text": text }]));
    ToolCall::new("echo", args)
}

fn answer(result: Value) -> ToolResult {
    let mut answer = ToolResult::default();
    answer.result = result;
    answer
}

fn resource(content: Value) -> ResourceResult {
    let mut answer = ResourceResult::default();
    answer.content = content;
    answer
}

fn request(value: String) -> HttpRequest {
    let mut request = HttpRequest::default();
    request.headers = HttpHeaders::from_iter([("x-long", value)]);
    request
}

#[tokio::test]
async fn every_kind_of_payload_has_a_limit() {
    let refused = || Some("payload_too_large".to_owned());
    let long = |more: usize| text(MOST + more);
    let nested = |more: usize| json!([{ "text": long(more) }]);
    assert_eq!(end(point::tool_pre_invoke, call(long(0))).await, None);
    assert_eq!(end(point::tool_pre_invoke, call(long(1))).await, refused());
    assert_eq!(end(point::tool_post_invoke, answer(nested(0))).await, None);
    assert_eq!(
        end(point::tool_post_invoke, answer(nested(1))).await,
        refused()
    );
    assert_eq!(
        end(point::resource_post_fetch, resource(nested(1))).await,
        refused()
    );
    assert_eq!(
        end(point::http_pre_request, request(long(1))).await,
        refused()
    );
}

#[tokio::test]
async fn a_change_over_the_limit_is_refused_whatever_a_failure_of_the_hook_does() {
    let growing = || {
        hook("growing", |call, _| {
            Ok(Outcome::modify(call.with("more", text(MOST + 1))))
        })
    };
    for growing in [
        growing(),
        growing().posture(Posture::Proceed),
        growing().mode(PluginMode::Permissive),
        growing().mode(PluginMode::Transform),
    ] {
        let chain = Chain::new([growing]);
        let (mut call, mut contexts) = (ToolCall::new("echo", Map::new()), Contexts::default());
        let ran = chain.run(point::tool_pre_invoke, &mut call, &mut contexts);
        let End::Blocked(blocked) = ran.await.end else {
            panic!("it went on");
        };
        assert_eq!(blocked.violation.code, "payload_too_large");
        assert!(!blocked.failed && call.args.is_empty());
        let counts = chain.counts("growing");
        assert_eq!((counts.denied, counts.bypassed), (1, 0));
    }
}

#[tokio::test]
async fn the_limit_is_an_authors_choice_at_each_point() {
    let chain = Chain::new([standing(point::tool_pre_invoke)]);
    let chain = chain.limit(PluginAt::ToolPreInvoke, 10);
    let mut long = call(text(11));
    let ran = chain
        .run(point::tool_pre_invoke, &mut long, &mut Contexts::default())
        .await;
    assert!(matches!(ran.end, End::Blocked(_)));
}

#[tokio::test]
async fn names_and_numbers_have_the_same_limit_as_texts() {
    let refused = || Some("payload_too_large".to_owned());
    let mut long = ToolCall::new("echo", Map::new());
    long.args.insert(text(MOST + 100), json!(true));
    assert_eq!(end(point::tool_pre_invoke, long).await, refused());
    let named = ToolCall::new("x".repeat(MOST + 100), Map::new());
    assert_eq!(end(point::tool_pre_invoke, named).await, refused());
    let mut prompt = PromptFetch::default();
    prompt.prompt_id = text(MOST + 100);
    assert_eq!(end(point::prompt_pre_fetch, prompt).await, refused());
    let numbers = json!(vec![1_000_000; MOST / 7 + 20]);
    assert_eq!(
        end(point::tool_post_invoke, answer(numbers)).await,
        refused()
    );
}
