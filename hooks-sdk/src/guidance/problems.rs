//! The start-up check of hooks, which holds for those made by hand as well.

use super::Hook;
use crate::core::{
    BuildError, Registry,
    text::{self, MAX_TEXT, TextProblem},
};

/// Everything that is wrong with the registry's guidance hooks, by the rules that the attribute checks.
pub fn problems(registry: &Registry) -> Vec<BuildError> {
    let mut found = Vec::new();
    for (entry, hook) in registry.details::<Hook>() {
        if !hook.faults().is_empty() {
            found.extend_from_slice(hook.faults());
            continue;
        }
        let mut note = |problem: String, help: String| {
            let message = format!("the hook `{}`: {problem}", entry.id());
            found.push(BuildError::new(entry.origin(), message, help));
        };
        if let Err(invalid) = hook.input().check() {
            for issue in invalid.issues() {
                note(issue.to_string(), "write another value".to_owned());
            }
        }
        match hook.input().text.as_deref().and_then(text::problem) {
            Some(TextProblem::Empty) => note(
                "the text is empty".to_owned(),
                "write what the agent should read".to_owned(),
            ),
            Some(TextProblem::TooLong) => note(
                format!("the text is longer than {MAX_TEXT} bytes"),
                "shorten it, or make two hooks of it".to_owned(),
            ),
            None => {}
        }
    }
    found
}
