use std::convert::Infallible;

use hooks_sdk::{
    aos::{A2aMessage, Memory, Reply},
    core::{HookError, Verdict, Violation},
    prelude::*,
};

struct Policy;

#[aos::hook(tool_call_request)]
async fn verdict(_policy: &Policy, call: &ToolCallRequest) -> Verdict<ToolCallRequest> {
    Verdict::Modify(call.clone())
}

#[aos::hook(memory_store)]
async fn reply(_policy: &Policy, memory: &Memory) -> Reply<Memory> {
    Reply::modify(memory.clone())
        .message("shorter")
        .reason_code("LONG")
        .data("cut", 3)
}

#[aos::hook(memory_store)]
async fn changes_nothing(_policy: &Policy) -> Verdict<Infallible> {
    Verdict::Deny(Violation::new("no"))
}

#[aos::hook(memory_store)]
async fn says_more(_policy: &Policy) -> Reply<Infallible> {
    Reply::allow().reasoning("nothing in it")
}

#[aos::hook(tasks_cancel)]
async fn allows_or_denies(_policy: &Policy, _task: &A2aMessage) -> Verdict<Infallible> {
    Verdict::Allow
}

#[aos::hook(tasks_resubscribe)]
async fn allows_or_denies_with_words(_policy: &Policy) -> Reply<Infallible> {
    Reply::deny("not now")
}

#[aos::hook(mcp)]
async fn fails(_policy: &Policy) -> Result<Verdict<Infallible>, HookError> {
    Err(HookError::new("the list is locked"))
}

#[aos::hook(message_send)]
async fn may_fail(
    _policy: &Policy,
    message: &A2aMessage,
) -> Result<Reply<A2aMessage>, std::fmt::Error> {
    Ok(Reply::modify(message.clone()))
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Policy>(file!()).unwrap();
    assert_eq!(aos::problems(&registry), []);
    assert_eq!(registry.iter().len(), 8);
}
