//! The start-up check of hooks, which also covers hooks that were built by hand.

use super::{Family, ListHook, PluginHook, rule};
use hooks_core::{BuildError, Origin, Registry, internal::Findings};

/// Returns every problem of the registry's plugin hooks and list hooks, by the rules that the attributes check.
pub fn problems(registry: &Registry) -> Vec<BuildError> {
    let mut found = Findings::default();
    for (entry, own) in registry.details::<PluginHook>() {
        hook(&mut found, entry.origin(), own);
    }
    for (entry, hook) in registry.details::<ListHook>() {
        let of = (entry.origin(), hook.id());
        found.id(of);
        items(&mut found, of, hook.its_items());
    }
    found.all()
}

/// Returns the problems of hooks that are in no registry: those of a policy's plugins.
#[doc(hidden)]
pub fn problems_of<'h>(hooks: impl IntoIterator<Item = &'h PluginHook>) -> Vec<BuildError> {
    let mut found = Findings::default();
    for own in hooks {
        hook(&mut found, own.origin(), own);
    }
    found.all()
}

fn hook(found: &mut Findings, origin: Origin, hook: &PluginHook) {
    let of = (origin, hook.id());
    found.id(of);
    items(found, of, hook.its_items());
    let (when, unless) = hook.its_conditions();
    for (key, condition) in [("when", when), ("unless", unless)] {
        let Some(condition) = condition else {
            continue;
        };
        if let Some(error) = condition.problem() {
            let message = format!(
                "`{key}` of the hook `{}`, column {}: {}",
                hook.id(),
                error.column,
                error.message
            );
            found.add(origin, message, error.help.clone());
        }
        condition.each_path(|path| found.key(of, key, rule::root(hook.at().as_str(), &path.root)));
    }
    found.deadline(of, hook.its_deadline());
    found.key(of, "mode", rule::asks(hook.its_mode(), hook.asks));
    gate(found, of, hook);
    for field in hook.writable.iter().flatten() {
        found.key(of, "writable", rule::writable(hook.at().as_str(), field));
    }
    if let Some(reason) = hook.reason() {
        found.key(of, "deny", rule::reason(reason));
    }
}

fn gate(found: &mut Findings, of: (Origin, &str), hook: &PluginHook) {
    let (at, point) = (hook.at(), hook.at().as_str());
    let given = hook.posture.is_some();
    found.key(of, "posture", rule::posture_at(point, given, false));
    found.key(of, "mode", rule::mode_at(point, hook.its_mode().as_str()));
    let deadline = rule::gate_deadline(point, hook.its_deadline());
    found.key(of, "deadline", deadline);
    found.key(of, "answer", rule::asks_at(at, hook.asks));
    for kind in hook.its_kinds() {
        let problem = rule::kinds(point).or(rule::holds(kind.as_str()));
        found.key(of, "kind", problem);
    }
    if hook.is_rule() {
        found.key(of, "deny", rule::denies(point));
    } else if at.family() == Family::AgentTool && hook.owner.name().is_some() {
        let message = format!(
            "the hook `{}` at `{point}` takes a server, and the process of a client's hook has none",
            hook.id(),
        );
        let help = "make it a function whose first argument is the call";
        found.add(of.0, message, help);
    }
}

fn items<'g>(found: &mut Findings, of: (Origin, &str), globs: impl Iterator<Item = &'g str>) {
    for glob in globs {
        found.key(of, "items", rule::glob(glob));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{ListOf, Listed, PluginMode, Question, ToolCall, point};
    use hooks_core::{Verdict, condition::Condition};

    #[test]
    fn hooks_by_hand_are_checked_by_the_same_rules() {
        let condition = |text| Condition::parse(text).unwrap();
        let broken = PluginHook::deny("A", point::tool_pre_invoke, " ")
            .items(&["[", "ok"])
            .when(Condition::written(r#"args.a = matches("(")"#))
            .unless(condition("result.isError, args.path"))
            .deadline(Duration::ZERO)
            .writable(&["args", "result"]);
        let asking = PluginHook::answering_any::<point::tool_pre_invoke, _>(
            "asking",
            point::tool_pre_invoke,
            |_call, _cx| Box::pin(async { Verdict::<ToolCall, Question>::Allow }),
        )
        .mode(PluginMode::Audit);
        let sound = PluginHook::deny("sound", point::tool_post_invoke, "no errors")
            .when(condition("result.isError = true, user"));
        let list = ListHook::new("b", ListOf::Tools, |_| Listed::Shown).items(&["[]"]);
        let hooks: [hooks_core::Hook; 4] =
            [broken.into(), asking.into(), sound.into(), list.into()];
        let mut registry = Registry::builder();
        for hook in hooks {
            registry = registry.add(hook);
        }
        let found = problems(&registry.build().unwrap());
        let messages: Vec<&str> = found.iter().map(|problem| &*problem.message).collect();
        assert_eq!(
            messages,
            [
                "`A` cannot be a hook's id",
                "`items` of the hook `A`: the pattern has a `[` without its `]`",
                "`when` of the hook `A`, column 1: `args.a`: this is no regular expression: unclosed group",
                "`unless` of the hook `A`: `result` exists only after a tool ran, a prompt was fetched or an argument was completed",
                "`deadline` of the hook `A`: the deadline is not between 1 ms and 10 minutes",
                "`writable` of the hook `A`: the payload has no such field",
                "`deny` of the hook `A`: the reason is empty",
                "`mode` of the hook `asking`: an `audit` hook cannot ask the user, and this answer can",
                "`items` of the hook `b`: the pattern has nothing between `[` and `]`",
            ]
        );
        assert!(found.iter().all(|problem| !problem.help.is_empty()));
    }
}
