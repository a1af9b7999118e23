//! The start-up check of hooks, which also covers hooks that were built by hand.

use serde_json::Value;

use super::{Event, LifecycleHook, Matcher, Problem, hook::Action, problem, rule};
use crate::{
    AnyCallback, BuildError, Hook, Registry,
    json::{JsonPart, json_parts},
};

/// Returns every problem of the registry's lifecycle hooks, by the rules that the attribute checks.
pub fn problems(registry: &Registry) -> Vec<BuildError> {
    let mut found = Vec::new();
    for (entry, hook) in registry.details::<LifecycleHook>() {
        Findings {
            entry,
            found: &mut found,
        }
        .hook(hook);
    }
    found
}

struct Findings<'r> {
    entry: &'r Hook,
    found: &'r mut Vec<BuildError>,
}

impl Findings<'_> {
    fn hook(&mut self, hook: &LifecycleHook) {
        if let Some(problem) = rule::id(self.entry.id()) {
            self.found.push(BuildError::new(
                self.entry.origin(),
                format!("`{}` cannot be a hook's id", self.entry.id()),
                problem.help(),
            ));
        }
        let event = hook.event();
        if let Some(matcher) = &hook.matcher {
            self.matcher(event, matcher);
        }
        match &hook.action {
            Action::Text(text) => {
                self.note("context", rule::text(text));
                self.note("context", rule::variables(event.as_str(), text));
                self.note(
                    "context_tool_args",
                    hook.args.as_ref().and(Some(problem::ARGS_WITHOUT_TOOL)),
                );
            }
            Action::Tool(name) => {
                self.note("context_tool", rule::not_empty(name));
                for value in hook.args.iter().flat_map(|args| args.values()) {
                    self.argument(event, value);
                }
            }
            Action::Answer(answering) => {
                let deadline = answering.callback.guard().deadline;
                let ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
                self.note("deadline", rule::deadline_ms(ms));
                self.note(
                    "context_tool_args",
                    hook.args.as_ref().and(Some(problem::ARGS_OF_ANSWERING)),
                );
            }
        }
    }

    fn matcher(&mut self, event: Event, matcher: &Matcher) {
        self.note("matcher", rule::matcher(event.as_str()));
        self.note("matcher", rule::matcher_not_empty(matcher.conditions()));
        self.note(
            "tool_name",
            matcher.tool_name.as_deref().and_then(rule::glob),
        );
        self.note(
            "input_contains",
            matcher.input_contains.as_deref().and_then(rule::not_empty),
        );
        self.note(
            "tool_server",
            matcher.tool_server.as_deref().and_then(rule::not_empty),
        );
    }

    fn argument(&mut self, event: Event, value: &Value) {
        for (_, part) in json_parts(value) {
            if let JsonPart::Value(Value::String(text)) = part {
                self.note("context_tool_args", rule::variables(event.as_str(), text));
            }
        }
    }

    fn note(&mut self, part: &str, problem: Option<Problem>) {
        if let Some(problem) = problem {
            let message = format!("`{part}` of the hook `{}`: {problem}", self.entry.id());
            self.found.push(BuildError::new(
                self.entry.origin(),
                message,
                problem.help(),
            ));
        }
    }
}
