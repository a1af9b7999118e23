//! The start-up check of hooks, which also covers hooks that were built by hand.

use std::borrow::Cow;

use super::{Family, ListHook, PluginHook, rule};
use hooks_core::{BuildError, Origin, Problem, Registry};

/// Returns every problem of the registry's plugin hooks and list hooks, by the rules that the attributes check.
pub fn problems(registry: &Registry) -> Vec<BuildError> {
    let mut findings = Findings(Vec::new());
    for (entry, hook) in registry.details::<PluginHook>() {
        findings.hook(entry.origin(), hook);
    }
    for (entry, hook) in registry.details::<ListHook>() {
        let at = (entry.origin(), hook.id());
        findings.id(at);
        findings.globs(at, hook.its_items());
    }
    findings.0
}

/// Returns the problems of hooks that are in no registry: those of a policy's plugins.
#[doc(hidden)]
pub fn problems_of<'h>(hooks: impl IntoIterator<Item = &'h PluginHook>) -> Vec<BuildError> {
    let mut findings = Findings(Vec::new());
    for hook in hooks {
        findings.hook(hook.origin(), hook);
    }
    findings.0
}

struct Findings(Vec<BuildError>);

/// Where a hook was written, and its id.
type At<'h> = (Origin, &'h str);

impl Findings {
    fn id(&mut self, at: At<'_>) {
        if let Some(problem) = rule::id(at.1) {
            let message = format!("`{}` cannot be a hook's id", at.1);
            self.push(at, message, problem.help());
        }
    }

    fn hook(&mut self, origin: Origin, hook: &PluginHook) {
        let at = (origin, hook.id());
        self.id(at);
        self.globs(at, hook.its_items());
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
                self.push(at, message, error.help.clone());
            }
            condition
                .each_path(|path| self.note(at, key, rule::root(hook.at().as_str(), &path.root)));
        }
        let ms = u64::try_from(hook.its_deadline().as_millis()).unwrap_or(u64::MAX);
        self.note(at, "deadline", rule::deadline_ms(ms));
        self.note(at, "mode", rule::asks(hook.its_mode(), hook.asks));
        self.gate(at, hook);
        for field in hook.writable.iter().flatten() {
            self.note(at, "writable", rule::writable(hook.at().as_str(), field));
        }
        if let Some(reason) = hook.reason() {
            self.note(at, "deny", rule::reason(reason));
        }
    }

    fn gate(&mut self, at: At<'_>, hook: &PluginHook) {
        let point = hook.at();
        let given = hook.posture.is_some();
        self.note(at, "posture", rule::posture_at(point.as_str(), given));
        self.note(
            at,
            "mode",
            rule::mode_at(point.as_str(), hook.its_mode().as_str()),
        );
        self.note(
            at,
            "deadline",
            rule::gate_deadline(point.as_str(), hook.its_deadline()),
        );
        self.note(at, "answer", rule::asks_at(point, hook.asks));
        for kind in hook.its_kinds() {
            self.note(
                at,
                "kind",
                rule::kinds(point.as_str()).or(rule::holds(kind.as_str())),
            );
        }
        if hook.is_rule() {
            self.note(at, "deny", rule::denies(point.as_str()));
        } else if point.family() == Family::AgentTool && hook.owner.name().is_some() {
            let message = format!(
                "the hook `{}` at `{}` takes a server, and the process of a client's hook has none",
                hook.id(),
                point.as_str()
            );
            self.push(
                at,
                message,
                "make it a function whose first argument is the call",
            );
        }
    }

    fn globs<'g>(&mut self, at: At<'_>, globs: impl Iterator<Item = &'g str>) {
        for glob in globs {
            self.note(at, "items", rule::glob(glob));
        }
    }

    fn note(&mut self, at: At<'_>, key: &str, problem: Option<Problem>) {
        if let Some(problem) = problem {
            let message = format!("`{key}` of the hook `{}`: {problem}", at.1);
            self.push(at, message, problem.help());
        }
    }

    fn push(&mut self, at: At<'_>, message: String, help: impl Into<Cow<'static, str>>) {
        self.0.push(BuildError::new(at.0, message, help));
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
