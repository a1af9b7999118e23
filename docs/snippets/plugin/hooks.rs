//! Plugin hooks that keep state, a plugin with a configuration, and list hooks.

use std::{
    convert::Infallible,
    sync::atomic::{AtomicU64, Ordering},
};

use hooks_sdk::{
    Policy,
    core::{HookError, Verdict, Violation},
    plugin::{Instance, Listed, ListedItem, Plugin, PluginHooks, point},
    prelude::*,
    testing::TestHost,
};
use rmcp::{
    ServerHandler, handler::server::wrapper::Parameters, schemars, tool, tool_handler, tool_router,
};
use serde_json::{Value, json};

pub(crate) struct Library;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Search {
    limit: u64,
}

#[tool_router]
impl Library {
    #[tool]
    async fn search(&self, Parameters(search): Parameters<Search>) -> String {
        format!("{} books", search.limit)
    }

    #[tool]
    async fn delete_book(&self) -> String {
        "deleted".to_owned()
    }

    #[tool]
    async fn admin_reindex(&self) -> String {
        "indexed".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Library {}

// ANCHOR: state
#[hooks_sdk::hooks]
impl Library {
    /// Nobody searches for more than 50 books at once.
    #[plugin::hook(tool_pre_invoke, tool = "search", writable(args), id = "paging")]
    async fn cap(&self, call: &ToolCall, cx: &mut PluginContext) -> Verdict<ToolCall> {
        match call.args.get("limit").and_then(Value::as_u64) {
            Some(asked) if asked > 50 => {
                cx.set_state("asked", asked);
                Verdict::Modify(call.with("limit", 50))
            }
            _ => Verdict::Allow,
        }
    }

    /// The agent learns that its limit was changed.
    #[plugin::hook(tool_post_invoke, tool = "search", id = "paging")]
    async fn tell(&self, found: &ToolResult, cx: &mut PluginContext) -> Verdict<ToolResult> {
        let Some(asked) = cx.get_state("asked") else {
            return Verdict::Allow;
        };
        let mut found = found.clone();
        let text = format!("You asked for {asked} books; at most 50 are returned.");
        if let Some(Value::Array(blocks)) = found.result.get_mut("content") {
            blocks.push(json!({"type": "text", "text": text}));
        }
        Verdict::Modify(found)
    }
}
// ANCHOR_END: state

// ANCHOR: audit
/// Reports large searches as the client sent them, and changes nothing.
#[plugin::hook(tool_pre_invoke, tool = "search", when(args.limit = 1000..), mode = audit, priority = 1)]
async fn large_searches(_library: &Library) -> Verdict<Infallible> {
    Verdict::Deny(Violation::new("the search is very large"))
}
// ANCHOR_END: audit

// ANCHOR: plugin
#[derive(serde::Deserialize)]
struct BudgetConfig {
    calls: u64,
}

/// Refuses calls after the first so many.
struct Budget {
    calls: u64,
    seen: AtomicU64,
}

#[plugin(kind = "budget")]
impl Plugin for Budget {
    type Config = BudgetConfig;

    fn new(config: BudgetConfig) -> Result<Budget, HookError> {
        if config.calls == 0 {
            return Err(HookError::new("`calls` is 0, so no tool could run"));
        }
        Ok(Budget {
            calls: config.calls,
            seen: AtomicU64::new(0),
        })
    }

    fn hooks() -> PluginHooks<Budget> {
        PluginHooks::new().on(point::tool_pre_invoke, |budget: &Budget, _call, _cx| {
            Box::pin(async move {
                if budget.seen.fetch_add(1, Ordering::Relaxed) < budget.calls {
                    return Verdict::<Infallible>::Allow;
                }
                Verdict::Deny(Violation::new("the budget of calls is spent"))
            })
        })
    }
}
// ANCHOR_END: plugin

// ANCHOR: instances
fn policy() -> Result<Policy, HookError> {
    let searches = Budget::new(BudgetConfig { calls: 100 })?;
    let deletions = Budget::new(BudgetConfig { calls: 1 })?;
    Ok(Policy::new()
        .with(Instance::of(searches).named("searches").items(&["search"]))
        .with(
            Instance::of(deletions)
                .named("deletions")
                .items(&["delete_*"])
                .priority(10),
        ))
}
// ANCHOR_END: instances

// ANCHOR: lists
/// Tools for administrators are not listed, and cannot be called.
#[plugin::list(tools, tool = "admin_*", server = Library)]
fn hide_administration(_tool: &ListedItem) -> Listed {
    Listed::Hidden
}

#[plugin::list(tools, server = Library)]
fn mark_deletions(tool: &ListedItem) -> Listed {
    if !tool.name().starts_with("delete_") {
        return Listed::Shown;
    }
    Listed::As(tool.clone().annotated("destructiveHint", true))
}
// ANCHOR_END: lists

#[tokio::test]
async fn what_the_page_says_holds() {
    let server = Library.with_hooks().unwrap().policy(policy().unwrap());
    let host = TestHost::connect(server).await.unwrap();
    let found = host.call_tool("search", json!({"limit": 2000})).await;
    assert_eq!(
        found.unwrap().text(),
        "50 books\nYou asked for 2000 books; at most 50 are returned."
    );
    let deleted = async || host.call_tool("delete_book", json!({})).await.unwrap();
    assert_eq!(deleted().await.text(), "deleted");
    assert_eq!(
        deleted().await.text(),
        "the budget of calls is spent [plugin_deny]"
    );
    let hidden = host.call_tool("admin_reindex", json!({})).await.unwrap();
    assert_eq!(
        hidden.text(),
        "there is no tool `admin_reindex` [unknown_item]"
    );
    let listed = host.list_tools().await.unwrap();
    let named = |name: &str| listed.iter().find(|tool| tool["name"] == name);
    assert!(named("admin_reindex").is_none());
    let marked = named("delete_book").unwrap();
    assert_eq!(marked["annotations"]["destructiveHint"], true);
}
