//! Serves answering hooks as tools, so that no author writes a tool only for a hook.

use std::{any::Any, sync::Arc};

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool};

use hooks_core::{
    BuildError, Hook, Registry,
    lifecycle::{self, Answering},
};

/// The hook tools, in registry order.
#[derive(Debug)]
pub(super) struct HookTools(Vec<(Hook, Tool)>);

impl HookTools {
    pub(super) fn of(registry: &Registry) -> HookTools {
        let hooks = registry.details::<lifecycle::LifecycleHook>();
        let tools = hooks.filter_map(|(hook, lifecycle)| {
            let served = lifecycle.served()?;
            let (name, about) = (hook.id().to_owned(), served.description().to_owned());
            let tool = Tool::new(name, about, Arc::new(served.input_schema()));
            Some((hook.clone(), tool))
        });
        HookTools(tools.collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Tool> {
        self.0.iter().map(|(_, tool)| tool)
    }

    /// Returns the hook that is served as the tool `name`.
    pub(super) fn answering(&self, name: &str) -> Option<&Answering> {
        let (hook, _) = self.0.iter().find(|(_, tool)| tool.name == name)?;
        hook.detail::<lifecycle::LifecycleHook>()?.served()
    }
}

/// Runs a hook. If the hook fails, returns a tool error that describes the failure.
pub(super) async fn call(
    hook: &Answering,
    arguments: JsonObject,
    server: &(dyn Any + Send + Sync),
) -> CallToolResult {
    match hook.answer(server, arguments).await {
        Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
        Err(failure) => CallToolResult::error(vec![ContentBlock::text(format!(
            "the hook `{}` gave no text: {}",
            hook.name(),
            failure.for_peer()
        ))]),
    }
}

/// Returns the problems between the hooks and the tools of their server.
pub(super) fn problems(
    registry: &Registry,
    get_tool: impl Fn(&str) -> Option<Tool>,
) -> Vec<BuildError> {
    let mut problems = Vec::new();
    for (hook, lifecycle) in registry.details::<lifecycle::LifecycleHook>() {
        if lifecycle.served().is_some() {
            if get_tool(hook.id()).is_some() {
                problems.push(BuildError::new(
                    hook.origin(),
                    format!("the hook `{0}` is served as a tool, and the server has a tool `{0}` of its own", hook.id()),
                    "rename one of them, or give the hook another `id = \"…\"`",
                ));
            }
        } else if let Some(name) = lifecycle.context_tool()
            && get_tool(name).is_none()
        {
            problems.push(BuildError::new(
                hook.origin(),
                format!("the context tool `{name}` of the hook `{}` is unknown to `get_tool` of this server", hook.id()),
                "name one of its tools; a handler written by hand must implement `get_tool`, which `#[tool_handler]` writes",
            ));
        }
    }
    problems
}
