//! Something of every protocol of the SDK, none of which changes what the suite checks.

use std::{convert::Infallible, path::Path};

use hooks_sdk::{
    Collected, Policy,
    core::Verdict,
    log::{DecisionLog, Posture},
    plugin::{
        Instance,
        ready::{AllowList, RateLimit, Redact, SizeLimit},
    },
    prelude::*,
};

use crate::handler::Fixtures;

/// The hooks, the sessions and the policy around the fixtures.
pub(crate) fn all(folder: &Path) -> anyhow::Result<Collected<Fixtures>> {
    let policy = Policy::new()
        .with(Instance::of(AllowList::new().tool("*")))
        .with(Instance::of(RateLimit::new().per_second(1_000)))
        .with(Instance::of(Redact::new().arguments()))
        .with(Instance::of(SizeLimit::new().characters(1_000_000)));
    let guidance = Guidance::new().trigger_tool().register_tool();
    Ok(hooks_sdk::collect::<Fixtures>()?
        .session::<Stage>()
        .guidance(guidance)
        .policy(policy)
        .log(DecisionLog::to(folder.join("log.jsonl"), Posture::Deny)))
}

/// A session begins with any tool, and goes on after the first text.
#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, allow(any), next(test_simple_text => Begun))]
    New,
    #[stage(allow(any))]
    Begun,
}

#[lifecycle::hook(session_start, strength = important, text = "The tools are fixtures.", server = Fixtures)]
struct Start;

#[guidance::hook(
    session, start,
    requirement = SHOULD,
    name = "Fixtures",
    text = "Call each tool once.",
    server = Fixtures
)]
struct CallOnce;

#[guidance::hook(
    action, end,
    requirement = MAY,
    name = "After the logs",
    tool = "test_tool_with_logging",
    text = "Read the logs.",
    server = Fixtures
)]
struct ReadLogs;

// Beside the skills of the fixtures.
guidance::dir!("hooked-skills", skills, server = Fixtures);

/// What was computed
#[mcpl::feature_set("fixtures.context")]
struct Context;

#[hooks_sdk::hooks]
impl Fixtures {
    #[lifecycle::hook(post_tool_use, strength = suggestion)]
    async fn after_tool(&self, used: &PostToolUse) -> Option<String> {
        Some(format!("{} was used.", used.tool_name.as_deref()?))
    }

    #[mcpl::hook(before_inference, feature_set = Context, inject(before_user))]
    async fn context(&self, _turn: &BeforeInference) -> Option<Injection> {
        Some(Injection::new(
            "fixtures",
            Position::BeforeUser,
            "Fixtures.",
        ))
    }

    #[plugin::hook(tool_pre_invoke, tool = "*")]
    async fn before_call(&self, _call: &ToolCall, cx: &mut PluginContext) -> Verdict<Infallible> {
        cx.set_state("seen", true);
        Verdict::Allow
    }

    #[plugin::hook(tool_post_invoke, tool = "*")]
    async fn after_call(&self, _result: &ToolResult) -> Verdict<Infallible> {
        Verdict::Allow
    }

    #[plugin::hook(prompt_pre_fetch, prompt = "*")]
    async fn before_prompt(&self) -> Verdict<Infallible> {
        Verdict::Allow
    }

    #[plugin::hook(prompt_post_fetch, prompt = "*")]
    async fn after_prompt(&self) -> Verdict<Infallible> {
        Verdict::Allow
    }

    #[plugin::hook(resource_pre_fetch, resource = "*")]
    async fn before_resource(&self) -> Verdict<Infallible> {
        Verdict::Allow
    }

    #[plugin::hook(resource_post_fetch, resource = "*")]
    async fn after_resource(&self) -> Verdict<Infallible> {
        Verdict::Allow
    }

    #[plugin::hook(http_pre_request)]
    async fn before_request(&self) -> Verdict<Infallible> {
        Verdict::Allow
    }

    #[plugin::hook(http_pre_forwarding_call)]
    async fn before_forwarding(&self) -> Verdict<Infallible> {
        Verdict::Allow
    }

    #[plugin::hook(http_post_forwarding_call)]
    async fn after_forwarding(&self) -> Verdict<Infallible> {
        Verdict::Allow
    }

    #[plugin::hook(http_post_request)]
    async fn after_request(&self) -> Verdict<Infallible> {
        Verdict::Allow
    }
}
