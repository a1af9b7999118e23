//! A guardian that answers at every point what it is told to.

use std::sync::Arc;

use futures::{FutureExt, executor::block_on};
use hooks_sdk::{
    aos::{
        AosDecision, AosHook, AosPoint, AosResponse, Guardian, Reply, StepPayload, Transported,
        point,
    },
    core::{HookError, Registry, Verdict, Violation},
};
use serde_json::Value;

/// Makes a guardian with a hook at every point. Each hook answers with what is decided.
pub(super) fn guardian(decided: AosResponse) -> Guardian {
    let decided = Arc::new(decided);
    let mut registry = Registry::builder();
    macro_rules! hooks {
        ($($reply:ident: $($point:ident)+;)+) => {$($({
            let decided = Arc::clone(&decided);
            let hook = AosHook::answering_any("scripted", point::$point, move |_, _| {
                type Changed = <point::$point as AosPoint>::Changed;
                let reply: Result<Reply<Changed>, HookError> = $reply(&decided);
                async move { reply }.boxed()
            });
            registry = registry.add(hook.into());
        })+)+};
    }
    hooks! {
        changing: agent_trigger tool_call_request tool_call_result user_message agent_response
            system_message memory_context_retrieval memory_store knowledge_retrieval mcp a2a
            message_send message_stream tasks_get tasks_push_notification_config_set;
        keeping: tasks_cancel tasks_resubscribe tasks_push_notification_config_get;
    }
    let registry = registry.build().expect("ids of their own");
    Guardian::with((), registry)
}

fn changing<T: StepPayload>(decided: &AosResponse) -> Result<Reply<T>, HookError> {
    let modified = || T::of(decided.modified_request()?.payload.clone());
    match decided.decision() {
        AosDecision::Modify => {
            let payload = modified().ok_or_else(|| HookError::new("it is another payload"))?;
            Ok(words(Reply::modify(payload), decided))
        }
        _ => keeping(decided),
    }
}

fn keeping<T>(decided: &AosResponse) -> Result<Reply<T>, HookError> {
    let reply = match decided.decision() {
        AosDecision::Allow => Reply::allow(),
        AosDecision::Deny => Verdict::Deny(Violation::new("")).into(),
        AosDecision::Modify => return Err(HookError::new("this point allows no change")),
    };
    Ok(words(reply, decided))
}

fn words<T>(mut reply: Reply<T>, decided: &AosResponse) -> Reply<T> {
    reply = reply.message(&*decided.message);
    if let Some(reasoning) = &decided.reasoning {
        reply = reply.reasoning(reasoning);
    }
    for code in decided.reason_code.iter().flatten() {
        reply = reply.reason_code(code);
    }
    for (name, value) in decided.data.iter().flatten() {
        reply = reply.data(name, value.clone());
    }
    reply
}

/// What the guardian answers to a body.
pub(super) fn answer(guardian: &Guardian, body: &[u8]) -> Value {
    let answer = block_on(guardian.answer(body, Transported::default()));
    serde_json::from_slice(&answer).expect("an answer is JSON")
}
