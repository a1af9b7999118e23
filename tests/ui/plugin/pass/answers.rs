use std::convert::Infallible;

use hooks_sdk::{
    core::{HookError, Verdict, Violation},
    plugin::{ForwardedRequest, HttpHeaders, HttpRequest, Outcome, PromptFetch, ResourceResult},
    prelude::*,
};

struct Memory;

#[plugin::hook(tool_pre_invoke)]
async fn allows() {}

#[plugin::hook(tool_pre_invoke)]
async fn verdict(_memory: &Memory, call: &ToolCall) -> Verdict<ToolCall> {
    Verdict::Modify(call.clone())
}

#[plugin::hook(tool_pre_invoke)]
async fn may_ask(_memory: &Memory, _call: &ToolCall) -> Verdict<ToolCall, Question> {
    Verdict::Deny(Violation::new("no"))
}

#[plugin::hook(tool_pre_invoke)]
async fn outcome(_memory: &Memory, _call: &ToolCall) -> Outcome<ToolCall> {
    Outcome::allow().with("seen", true)
}

#[plugin::hook(tool_post_invoke)]
async fn fails(_memory: &Memory, _answer: &ToolResult) -> Result<Verdict<ToolResult>, HookError> {
    Err(HookError::new("the index is locked"))
}

#[plugin::hook(prompt_pre_fetch, mode = concurrent)]
async fn changes_nothing(_memory: &Memory, _fetch: &PromptFetch) -> Verdict<Infallible> {
    Verdict::Allow
}

#[plugin::hook(prompt_pre_fetch)]
async fn asks_only(_memory: &Memory, _fetch: &PromptFetch) -> Verdict<Infallible, Question> {
    Verdict::Allow
}

#[plugin::hook(resource_post_fetch, mode = audit)]
async fn watches(_memory: &Memory, _read: &ResourceResult) -> Result<(), std::fmt::Error> {
    Ok(())
}

#[plugin::hook(http_pre_request)]
async fn headers(_memory: &Memory, request: &HttpRequest) -> Verdict<HttpHeaders> {
    Verdict::Modify(request.headers.clone())
}

#[plugin::hook(http_pre_forwarding_call)]
async fn forwarded(_memory: &Memory, request: &ForwardedRequest) -> Outcome<HttpHeaders> {
    Outcome::modify(request.root.clone())
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(plugin::problems(&registry), []);
    assert_eq!(registry.iter().len(), 10);
}
