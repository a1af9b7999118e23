//! The start-up check of hooks, which also covers hooks that were built by hand.

use super::{GuidanceHook, rule, skill};
use crate::{BuildError, Registry, findings::Findings};

/// Returns every problem of the registry's guidance hooks, and of its skills, by the rules that the attribute checks.
pub fn problems(registry: &Registry) -> Vec<BuildError> {
    let mut found = Findings::default();
    for (entry, hook) in registry.details::<GuidanceHook>() {
        if !hook.faults().is_empty() {
            found.extend(hook.faults().iter().cloned());
            continue;
        }
        let (origin, id) = (entry.origin(), entry.id());
        for (key, problem) in hook.input().broken() {
            found.rule(
                origin,
                format_args!("the hook `{id}`: {key}"),
                Some(problem),
            );
        }
        let text = hook.input().text.as_deref().and_then(rule::text);
        found.rule(origin, format_args!("the hook `{id}`"), text);
    }
    found.extend(skill::problems(registry));
    found.all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guidance::{HookInput, HookType, Lifecycle, RequirementLevel};

    #[test]
    fn each_broken_rule_has_its_own_help() {
        let input = |hook_type, tag: &'static str, name: &'static str| {
            HookInput::new(
                hook_type,
                Lifecycle::Start,
                tag,
                name,
                RequirementLevel::May,
            )
            .text("A text.")
        };
        for (input, message, help) in [
            (
                input(HookType::Config, "a_b", "A"),
                "tag: a tag is kebab-case: `a` to `z`, `0` to `9` and `-`",
                "write it in kebab-case, as in `init-required`",
            ),
            (
                input(HookType::Config, "a", ""),
                "name: the name is empty",
                "write a name for people, as in `name = \"Welcome\"`",
            ),
            (
                input(HookType::Config, "a", "A").app(""),
                "app: the app is empty",
                "leave it out to take the server's",
            ),
            (
                input(HookType::Session, "a", "A").tool("save_*"),
                "tool: `tool` applies only to `action` hooks",
                "remove it, or make the type `action`",
            ),
            (
                input(HookType::Action, "a", "A").tool("[a"),
                "tool: the pattern has a `[` without its `]`",
                "add the `]`",
            ),
        ] {
            let hook = GuidanceHook::new(input);
            let registry = Registry::builder().add(hook.into()).build().unwrap();
            let found = problems(&registry);
            assert_eq!(found.len(), 1, "{message}");
            assert!(found[0].message.ends_with(message), "{}", found[0]);
            assert_eq!(found[0].help, help);
        }
    }
}
