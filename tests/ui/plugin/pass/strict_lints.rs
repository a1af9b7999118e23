//! An author's strictest crate.

#![forbid(unsafe_code, missing_docs)]
#![deny(
    warnings,
    unused,
    nonstandard_style,
    rust_2018_idioms,
    unreachable_pub,
    missing_debug_implementations,
    missing_copy_implementations
)]
#![deny(
    unused_qualifications,
    unused_results,
    single_use_lifetimes,
    let_underscore_drop
)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery)]

use hooks_sdk::{
    core::{HookError, Verdict},
    plugin::{Listed, ListedItem, Plugin, PluginHooks, point},
    prelude::*,
};

/// A server.
#[derive(Debug, Default)]
pub struct Files {
    root: String,
}

/// Only data.
#[plugin::hook(
    tool_pre_invoke,
    tool = ["read_*", "write_*"],
    unless(args.path = inside("/srv/data")),
    deny = "only files under /srv/data",
    code = "OUTSIDE",
    description = "Use a path under /srv/data.",
    priority = 5,
    tags("files")
)]
#[derive(Clone, Copy, Debug)]
pub struct OnlyData;

#[plugin::hook(prompt_pre_fetch, deny = "no prompts", server = Files)]
struct NoPrompts;

/// Watches.
#[plugin::hook(tool_post_invoke, mode = audit, deadline = "100ms", tags("a", "b"))]
pub async fn watch(answer: &ToolResult, cx: &mut PluginContext) {
    cx.set_state("name", &*answer.name);
    std::future::ready(()).await;
}

#[plugin::hook(resource_pre_fetch)]
async fn everywhere() {
    std::future::ready(()).await;
}

#[hooks_sdk::hooks]
impl Files {
    #[plugin::hook(tool_pre_invoke, tool = "delete_*", when(args.path = "/etc/**"), posture = deny, writable(args))]
    async fn check(
        &self,
        call: &ToolCall,
        cx: &mut PluginContext,
    ) -> Result<Verdict<ToolCall, Question>, std::fmt::Error> {
        std::future::ready(()).await;
        let _ = (&self.root, call, cx);
        Ok(Verdict::Allow)
    }

    /// Documented and public.
    #[plugin::hook(tool_pre_invoke)]
    pub async fn log(&self) {
        let _: &str = std::future::ready(&self.root).await;
    }
}

/// Hides.
#[plugin::list(tools, tool = "admin_*")]
#[must_use]
pub const fn hide(_tool: &ListedItem) -> Listed {
    Listed::Hidden
}

/// Nothing.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

#[plugin(kind = "nothing")]
impl Plugin for Nothing {
    type Config = ();

    fn new((): ()) -> Result<Self, HookError> {
        Ok(Self)
    }

    fn hooks() -> PluginHooks<Self> {
        PluginHooks::new().on(point::tool_pre_invoke, |_: &Self, _, _| Box::pin(async {}))
    }
}
