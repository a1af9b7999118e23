//! `composer` and `composer_transparency`: exact texts, accounts and notices.

use std::sync::Arc;

use hooks_sdk::guidance::{
    Composer, FailedHook, HookSummary, LoadError, ResolvedHook, SkippedHook,
};
use serde_json::{Value, json};

use super::{Ran, compare, list, ok, text};

pub(super) fn run(vector: &Value) -> Ran {
    let input = &vector["input"];
    let hooks: Vec<_> = list(&input["hooks"])
        .iter()
        .map(|hook| (summary(hook), text(&hook["content"])))
        .collect();
    let resolved: Vec<_> = hooks
        .iter()
        .map(|(hook, content)| ResolvedHook::new(hook, *content))
        .collect();
    let skipped = list(&input["skipped"]).iter();
    let skipped =
        skipped.map(|one| SkippedHook::conditions(&summary(&one["hook"]), text(&one["reason"])));
    let failed = list(&input["failed"]).iter().map(|one| {
        FailedHook::new(
            &summary(&one["hook"]),
            LoadError::Failed(text(&one["error"]).into()),
        )
    });
    let composer = composer(&input["options"]);
    let result = composer.compose_with_transparency(&resolved, skipped.collect(), failed.collect());
    compare::same(&vector["output"], &ok(json!(result)))
}

/// A composer with recorded options.
pub(super) fn composer(options: &Value) -> Composer {
    let mut composer = Composer::new();
    if let Some(include) = options["includePreambles"].as_bool() {
        composer = composer.include_preambles(include);
    }
    if let Some(include) = options["includeRfc2119Reference"].as_bool() {
        composer = composer.include_rfc2119_reference(include);
    }
    if let Some(separator) = options["separator"].as_str() {
        composer = composer.separator(separator);
    }
    composer
}

fn summary(hook: &Value) -> Arc<HookSummary> {
    let level = text(&hook["requirementLevel"])
        .parse()
        .expect("a requirement level");
    let priority = hook["priority"].as_i64().expect("an integer");
    Arc::new(HookSummary::new(
        text(&hook["id"]),
        text(&hook["name"]),
        level,
        priority,
    ))
}
