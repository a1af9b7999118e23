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

use std::convert::Infallible;

use hooks_sdk::{
    aos::{A2aMessage, Memory, Reply},
    core::Verdict,
    prelude::*,
};

/// A policy.
#[derive(Debug, Default)]
pub struct Policy {
    forbidden: String,
}

/// Watches.
#[aos::hook(memory_store, priority = 5, deadline = "100ms", tags("a", "b"))]
pub async fn watch(memory: &Memory, cx: &StepInfo) -> Reply<Memory> {
    std::future::ready(()).await;
    let _ = (memory, cx);
    Reply::allow()
}

#[aos::hook(tasks_cancel)]
async fn everywhere() -> Verdict<Infallible> {
    std::future::ready(Verdict::Allow).await
}

#[hooks_sdk::hooks]
impl Policy {
    #[aos::hook(tool_call_request, id = "forbidden")]
    async fn check(
        &self,
        call: &ToolCallRequest,
        cx: &StepInfo,
    ) -> Result<Verdict<ToolCallRequest>, std::fmt::Error> {
        std::future::ready(()).await;
        let _ = (&self.forbidden, call, cx);
        Ok(Verdict::Allow)
    }

    /// Documented and public.
    #[aos::hook(message_send)]
    pub async fn log(&self, message: &A2aMessage) -> Verdict<A2aMessage> {
        let _: &str = std::future::ready(&self.forbidden).await;
        Verdict::Modify(message.clone())
    }
}
