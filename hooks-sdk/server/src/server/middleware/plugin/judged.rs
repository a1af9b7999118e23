//! The hooks beside the author's tools: a condition with a path that no schema has does not fit.

use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::Ordering},
};

use rmcp::model::{JsonObject, ListToolsResult, Tool};
use serde_json::Value;

use super::built::Built;
use crate::server::{lock, pipeline::Author};
use hooks_core::{BuildError, glob, internal::json_schema};
use hooks_plugin::{
    Family, PluginHook,
    internal::{TypedTool, misfits},
};

/// How many tools of the author's list are compared with the hooks. A longer list is not compared.
const MOST_TOOLS: usize = 10_000;

impl Built {
    /// Returns the hooks that do not fit the author's tools.
    ///
    /// rmcp has no list of a server's tools before a client asks. So this checks the hooks that name their tools in
    /// full, and [`judge`](Built::judge) all of them when a client has read the list.
    pub(crate) fn misfits(&self, author: &dyn Author) -> Vec<BuildError> {
        let policy = self.now();
        let in_full = |hook: &&PluginHook| {
            hook.at().family() == Family::Tool
                && hook.its_items().next().is_some()
                && hook.its_items().all(glob::is_name)
        };
        let hooks: Vec<&PluginHook> = policy.chain.hooks().filter(in_full).collect();
        let names: BTreeSet<&str> = hooks.iter().flat_map(|hook| hook.its_items()).collect();
        let tools = names.into_iter().filter_map(|name| author.tool(name));
        logged_misfits(hooks, &tools.collect::<Vec<_>>())
    }

    /// Returns whether the hooks, as they are now, were not compared with the author's tools yet.
    pub(super) fn is_unjudged(&self) -> bool {
        self.judged.load(Ordering::Relaxed) != Arc::as_ptr(&self.now().chain).addr()
    }

    /// Logs the hooks that do not fit the author's tools, when the last page of their list is seen.
    pub(super) fn judge(&self, listed: &ListToolsResult, is_first: bool) {
        let mut pages = lock(&self.pages);
        if is_first {
            *pages = Some(Vec::new());
        }
        let Some(seen) = &mut *pages else {
            return;
        };
        if seen.len() + listed.tools.len() > MOST_TOOLS {
            *pages = None;
            return;
        }
        seen.extend(listed.tools.iter().cloned());
        if listed.next_cursor.is_some() {
            return;
        }
        let tools = pages.take().unwrap_or_default();
        drop(pages);
        let chain = self.now().chain.clone();
        self.judged
            .store(Arc::as_ptr(&chain).addr(), Ordering::Relaxed);
        for BuildError { message, help, .. } in logged_misfits(chain.hooks(), &tools) {
            error!(%help, "{message}");
        }
    }
}

/// Returns the hooks that do not fit these tools, and logs those that fit only some of them.
fn logged_misfits<'h>(
    hooks: impl IntoIterator<Item = &'h PluginHook>,
    tools: &[Tool],
) -> Vec<BuildError> {
    let typed = tools.iter().map(|tool| TypedTool {
        name: &tool.name,
        input: Some(&*tool.input_schema),
        output: tool.output_schema.as_deref(),
        is_destructive: tool.annotations.as_ref().and_then(|it| it.destructive_hint) == Some(true),
    });
    let misfits = misfits(hooks, &typed.collect::<Vec<_>>());
    for tool in tools {
        // A schema that cannot be read lets no changed call through, so its author has to know.
        let own = Value::Object(JsonObject::clone(&tool.input_schema));
        if let Err(wrong) = json_schema::compiled(&own) {
            let tool = &*tool.name;
            warn!(
                tool,
                "the arguments of a tool cannot be checked, so a hook's change of them is refused: {wrong}. Patterns \
                 may have no look-around and no back-reference"
            );
        }
    }
    for warning in misfits.warnings {
        warn!("{warning}");
    }
    misfits.problems
}
