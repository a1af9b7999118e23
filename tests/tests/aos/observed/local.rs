//! A guardian in the same process: the same rulings without JSON, and the same posture.

use std::{convert::Infallible, future::pending};

use hooks_sdk::{
    aos::{
        AosHook, FailureClass, Guardian, GuardianClient, Memory, Posture, StepIds, StepOutcome,
        User, point,
    },
    core::{HookError, Registry, Verdict, Violation},
};

use super::{SHORT, agent, ask, denied, fails};

fn client_with(hook: AosHook) -> GuardianClient<()> {
    let registry = Registry::builder().add(hook.into()).build().unwrap();
    let client = Guardian::local_with(Guardian::with((), registry)).agent(agent());
    client.check().unwrap();
    client
}

#[tokio::test]
async fn a_hook_sees_who_asks_and_where() {
    let hook = AosHook::answering_any("look", point::memory_store, |memory: &Memory, asked| {
        let context = asked.context().expect("a context");
        let seen = [
            memory.memory[0].as_str(),
            &context.agent.name,
            &context.session.id,
            &context.turn_id,
            &context.user.as_ref().expect("a user").id,
            asked.reasoning().expect("reasoning"),
            asked.trace_parent().expect("a trace"),
        ]
        .join(" ");
        Box::pin(async move { Verdict::<Infallible>::Deny(Violation::new(seen)) })
    });
    let client = client_with(hook).posture(Posture::Deny);
    let step = client
        .at(StepIds::in_turn("session", "turn"))
        .user(User::new("ann"))
        .reasoning("why")
        .trace_parent("trace");
    let denied = denied(step.ask(point::memory_store, Memory::new(["fact"])).await);
    assert_eq!(denied.message, "fact Notes session turn ann why trace");
}

#[tokio::test]
async fn an_error_a_panic_and_a_deadline_are_no_decision() {
    let failing = AosHook::answering_any("fails", point::tool_call_request, |_call, _asked| {
        Box::pin(async { Err::<Verdict<Infallible>, _>(HookError::new("no disk")) })
    });
    fails(client_with(failing), FailureClass::GuardianError).await;
    let panics = AosHook::answering_any("panics", point::tool_call_request, |step, _asked| {
        Box::pin(async move {
            assert!(step.inputs.is_empty(), "boom");
            Verdict::<Infallible>::Allow
        })
    });
    fails(client_with(panics), FailureClass::GuardianError).await;
    let hangs = || {
        AosHook::answering_any("hangs", point::tool_call_request, |_call, _asked| {
            Box::pin(pending::<Verdict<Infallible>>())
        })
    };
    fails(
        client_with(hangs().deadline(SHORT)),
        FailureClass::GuardianError,
    )
    .await;
    // The client's own timeout is shorter than the hook's deadline.
    fails(client_with(hangs()).timeout(SHORT), FailureClass::Timeout).await;
}

#[test]
fn what_is_wrong_with_a_policy_is_said_at_start_up() {
    struct Empty;
    let message = Guardian::local(Empty).check().unwrap_err().to_string();
    assert!(message.contains("which agent it guards"), "{message}");
    assert!(message.contains("hook"), "{message}");
}

#[tokio::test]
async fn a_record_that_panics_stops_nothing() {
    let hook = AosHook::answering_any("other", point::memory_store, |_memory, _asked| {
        Box::pin(async { Verdict::<Infallible>::Allow })
    });
    let client = client_with(hook).on_bypass(|_| panic!("no disk"));
    let client = client.posture(Posture::Proceed);
    assert_eq!(
        ask(&client).await,
        StepOutcome::Bypassed(FailureClass::GuardianError)
    );
    client.ping().await.unwrap();
}
