//! The gate of a trial of `cargo hooks prove`, in the place of the program's own.

use std::{thread, time::Duration};

use crate::{
    clients::{
        GateTrial,
        trial::{Gated, Inside},
    },
    core::{Verdict, Violation},
    plugin::{AgentToolCall, Chain, PluginHook, point, posture},
};

/// Returns the gate of a trial, if this process runs in one. It goes the way of every other gate, unless the whole program
/// fails.
pub(super) fn chain(input: &[u8]) -> Option<Chain> {
    let inside = Inside::here()?;
    if let Some(call) = Gated::named_in(&String::from_utf8_lossy(input))
        && let Some(disturbance) = call.disturbance()
    {
        inside.asked(call);
        disturbance.happen();
    }
    let gate = PluginHook::answering_any::<point::agent_tool_pre_invoke, _>(
        "the_gate_of_a_trial",
        point::agent_tool_pre_invoke,
        |call, _| Box::pin(std::future::ready(decided(call))),
    );
    Some(Chain::new([gate.without_commands().posture(posture::deny)]))
}

fn decided(call: &AgentToolCall) -> Verdict<std::convert::Infallible> {
    let args = serde_json::to_string(&call.args).unwrap_or_default();
    let Some(gated) = Gated::named_in(&args) else {
        return Verdict::Allow;
    };
    if let Some(inside) = Inside::here() {
        inside.asked(gated);
    }
    if !gated.is_refused {
        return Verdict::Allow;
    }
    match gated.trial {
        GateTrial::Late => thread::sleep(Duration::from_secs(30)),
        GateTrial::Panic => panic!("a rule of a trial panics"),
        _ => {}
    }
    Verdict::Deny(Violation::new("the gate of the trial refuses this call"))
}
