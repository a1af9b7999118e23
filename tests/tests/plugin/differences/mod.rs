//! One test for each question on which the implementations of plugin hooks disagree; the book's page
//! `docs/project/plugin-differences.md` has a row for each.

mod blocked;
mod conditions;
mod contexts;
mod failures;
mod http;
mod identity;
mod later;
mod lifetime;
mod modes;
mod redaction;
mod size;

use std::sync::{Arc, Mutex};

use hooks_sdk::{
    core::{HookError, Violation},
    plugin::{
        Chain, Contexts, Decision, Denial, End, GlobalContext, Outcome, PluginContext, PluginHook,
        Ran, ToolCall, point,
    },
};
use serde_json::{Map, Value};

/// What a hook of these tests answers.
type Answer = Result<Outcome<ToolCall>, HookError>;

/// A hook before a tool whose function is ready at once.
fn hook(
    id: &'static str,
    answer: impl Fn(&ToolCall, &mut PluginContext) -> Answer + Send + Sync + 'static,
) -> PluginHook {
    PluginHook::answering_any(id, point::tool_pre_invoke, move |call, cx| {
        let answer = answer(call, cx);
        Box::pin(async move { answer })
    })
}

/// A hook that adds its id to the argument `trace`.
fn tracing(id: &'static str) -> PluginHook {
    hook(id, move |call, _| Ok(Outcome::modify(traced(call, id))))
}

fn traced(call: &ToolCall, id: &str) -> ToolCall {
    let before = call.args.get("trace").and_then(Value::as_str);
    call.with("trace", format!("{}{id}", before.unwrap_or_default()))
}

/// A hook that stops every call.
fn denying(id: &'static str) -> PluginHook {
    hook(id, |_, _| Ok(Outcome::deny(Violation::new("no"))))
}

/// A hook that writes its id into the state that hooks share, and fails.
fn failing(id: &'static str) -> PluginHook {
    hook(id, move |_, cx| {
        cx.global.state.insert(id.into(), true.into());
        Err(HookError::new("the backend is down"))
    })
}

/// A hook that never ends.
fn hanging(id: &'static str) -> PluginHook {
    PluginHook::answering_any(id, point::tool_pre_invoke, |_, _| {
        Box::pin(std::future::pending::<()>())
    })
}

/// A call that went through a chain.
struct Went {
    ran: Ran,
    call: ToolCall,
    contexts: Contexts,
    chain: Chain,
}

async fn go(hooks: impl IntoIterator<Item = PluginHook>) -> Went {
    go_with(Chain::new(hooks), Contexts::new(GlobalContext::new("1"))).await
}

async fn go_with(chain: Chain, contexts: Contexts) -> Went {
    let mut contexts = contexts.recording();
    let mut call = ToolCall::new("echo", Map::new());
    let ran = chain
        .run(point::tool_pre_invoke, &mut call, &mut contexts)
        .await;
    Went {
        ran,
        call,
        contexts,
        chain,
    }
}

impl Went {
    #[track_caller]
    fn allowed(&self) {
        assert!(matches!(self.ran.end, End::Allowed), "{:?}", self.ran.end);
    }

    #[track_caller]
    fn blocked(&self) -> &Denial {
        match &self.ran.end {
            End::Blocked(blocked) => blocked,
            other => panic!("{other:?}"),
        }
    }

    fn trace(&self) -> &str {
        let trace = self.call.args.get("trace").and_then(Value::as_str);
        trace.unwrap_or_default()
    }

    /// What a hook did, in order.
    fn decisions(&self, hook: &str) -> Vec<Decision> {
        let steps = self.contexts.record().steps.iter();
        steps
            .filter(|step| *step.hook == *hook)
            .map(|step| step.decision)
            .collect()
    }
}

/// What hooks saw, for those whose answer nobody waits for.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn see(&self, what: impl Into<String>) {
        self.0.lock().expect("no panic").push(what.into());
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().expect("no panic").clone()
    }
}
