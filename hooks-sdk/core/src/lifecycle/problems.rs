//! The start-up check of hooks, which also covers hooks that were built by hand.

use serde_json::Value;

use super::{Event, LifecycleHook, Matcher, hook::Action, problem, rule};
use crate::{
    AnyCallback, BuildError, Origin, Registry,
    findings::Findings,
    json::{JsonPart, json_parts},
};

/// Returns every problem of the registry's lifecycle hooks, by the rules that the attribute checks.
pub fn problems(registry: &Registry) -> Vec<BuildError> {
    let mut found = Findings::default();
    for (entry, hook) in registry.details::<LifecycleHook>() {
        check(&mut found, (entry.origin(), entry.id()), hook);
    }
    found.all()
}

fn check(found: &mut Findings, of: (Origin, &str), hook: &LifecycleHook) {
    found.id(of);
    let event = hook.event();
    if let Some(own) = &hook.matcher {
        matcher(found, of, event, own);
    }
    match &hook.action {
        Action::Text(text) => {
            found.key(of, "context", rule::text(text));
            found.key(of, "context", rule::variables(event.as_str(), text));
            let args = hook.args.as_ref().and(Some(problem::ARGS_WITHOUT_TOOL));
            found.key(of, "context_tool_args", args);
        }
        Action::Tool(name) => {
            found.key(of, "context_tool", rule::not_empty(name));
            for value in hook.args.iter().flat_map(|args| args.values()) {
                for (_, part) in json_parts(value) {
                    if let JsonPart::Value(Value::String(text)) = part {
                        found.key(
                            of,
                            "context_tool_args",
                            rule::variables(event.as_str(), text),
                        );
                    }
                }
            }
        }
        Action::Answer(answering) => {
            found.deadline(of, answering.callback.guard().deadline);
            let args = hook.args.as_ref().and(Some(problem::ARGS_OF_ANSWERING));
            found.key(of, "context_tool_args", args);
        }
    }
}

fn matcher(found: &mut Findings, of: (Origin, &str), event: Event, matcher: &Matcher) {
    found.key(of, "matcher", rule::matcher(event.as_str()));
    found.key(of, "matcher", rule::matcher_not_empty(matcher.conditions()));
    let glob = matcher.tool_name.as_deref().and_then(rule::glob);
    found.key(of, "tool_name", glob);
    let input = matcher.input_contains.as_deref().and_then(rule::not_empty);
    found.key(of, "input_contains", input);
    let server = matcher.tool_server.as_deref().and_then(rule::not_empty);
    found.key(of, "tool_server", server);
}
