//! Hooks that replace the secret in every result that they see.

use hooks_sdk::{
    core::Verdict,
    plugin::{CompletionResult, PluginHook, PromptResult, ResourceResult, ToolResult, point},
};
use serde_json::Value;

use crate::desk::SECRET;

/// Replaces the secret wherever it stands.
fn clean(value: &Value) -> Option<Value> {
    let text = value.to_string();
    let clean = text.replace(SECRET, "[clean]");
    (clean != text).then(|| serde_json::from_str(&clean).unwrap())
}

/// Hooks that replace the secret in every result that they see.
pub(crate) fn cleaners() -> [PluginHook; 4] {
    [
        PluginHook::answering_any::<_, Verdict<ToolResult>>(
            "tools",
            point::tool_post_invoke,
            |answer, _| {
                let name = answer.name.clone();
                let changed = clean(&answer.result).map(|result| ToolResult::new(name, result));
                Box::pin(async move { changed.map_or(Verdict::Allow, Verdict::Modify) })
            },
        ),
        PluginHook::answering_any::<_, Verdict<PromptResult>>(
            "prompts",
            point::prompt_post_fetch,
            |answer, _| {
                let id = answer.prompt_id.clone();
                let changed = clean(&answer.result).map(|result| PromptResult::new(id, result));
                Box::pin(async move { changed.map_or(Verdict::Allow, Verdict::Modify) })
            },
        ),
        PluginHook::answering_any::<_, Verdict<ResourceResult>>(
            "resources",
            point::resource_post_fetch,
            |answer, _| {
                let uri = answer.uri.clone();
                let changed =
                    clean(&answer.content).map(|content| ResourceResult::new(uri, content));
                Box::pin(async move { changed.map_or(Verdict::Allow, Verdict::Modify) })
            },
        ),
        PluginHook::answering_any::<_, Verdict<CompletionResult>>(
            "completions",
            point::completion_post_fetch,
            |answer, _| {
                let changed = clean(&answer.result).map(|result| {
                    let mut changed = answer.clone();
                    changed.result = result;
                    changed
                });
                Box::pin(async move { changed.map_or(Verdict::Allow, Verdict::Modify) })
            },
        ),
    ]
}
