//! Hooks of a guardian, and tools that are steps, in the output of `hooks list`.

use serde_json::{Value, json};

use super::print;
use crate::{
    aos::{AosAt, AosHook, ToolStep},
    core::{Origin, Registry},
};

/// Describes the hooks by point, and below them the tools that are steps.
pub(super) fn page(registry: &Registry) -> String {
    let mut sections = Vec::new();
    for at in AosAt::ALL {
        let hooks = registry.details::<AosHook>();
        let mut hooks: Vec<_> = hooks.filter(|(_, hook)| hook.at() == *at).collect();
        // Those of one priority keep their order.
        hooks.sort_by_key(|(_, hook)| hook.its_priority());
        let lines = hooks.iter().map(|(entry, hook)| {
            let Origin { file, line, .. } = entry.origin();
            format!(
                "  {} (priority {}, deadline {:?}), {file}:{line}",
                hook.id(),
                hook.its_priority(),
                hook.its_deadline()
            )
        });
        sections.push((format!("aos {}", at.as_str()), lines.collect()));
    }
    let steps = registry.details::<ToolStep>().map(|(entry, step)| {
        let Origin { file, line, .. } = entry.origin();
        let paths = step
            .paths()
            .map(|(key, path)| format!("\n    {key} {path}"));
        format!(
            "  {} ({}), {file}:{line}{}",
            step.tool(),
            step.kind().as_str(),
            paths.collect::<String>()
        )
    });
    sections.push(("tools that are steps of aos".to_owned(), steps.collect()));
    print::sections(sections)
}

/// Returns the hooks and the tools that are steps, for programs.
pub(super) fn json(registry: &Registry) -> impl Iterator<Item = Value> {
    let hooks = registry.details::<AosHook>().map(|(entry, hook)| {
        let hook = json!({
            "id": hook.id(),
            "point": hook.at().as_str(),
            "priority": hook.its_priority(),
            "deadline_ms": u64::try_from(hook.its_deadline().as_millis()).unwrap_or(u64::MAX),
            "tags": hook.its_tags().collect::<Vec<_>>(),
        });
        json!({ "hooks": [entry.id()], "aos": hook })
    });
    let steps = registry.details::<ToolStep>().map(|(entry, step)| {
        let mut shown = json!({ "tool": step.tool(), "step": step.kind().as_str() });
        for (key, path) in step.paths() {
            shown[key] = path.into();
        }
        json!({ "hooks": [entry.id()], "aos": shown })
    });
    hooks.chain(steps)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::{
        aos::point,
        core::{Hook, Verdict},
    };

    #[test]
    fn hooks_stand_below_their_point_and_tools_behind_them() {
        let allow = |id: &'static str| {
            AosHook::answering_any(id, point::mcp, |_message, _asked| {
                Box::pin(async { Verdict::<Infallible>::Allow })
            })
        };
        let origin = Origin::new("notes", "src/main.rs", 5, 1);
        let registry = [
            Hook::from(allow("late")),
            allow("early").priority(1).into(),
            ToolStep::knowledge::<()>("search").query("args.q").into(),
        ]
        .into_iter()
        .fold(Registry::builder(), |registry, hook| {
            registry.add(hook.at(origin))
        });
        let registry = registry.build().unwrap();
        assert_eq!(
            page(&registry),
            "aos mcp
  early (priority 1, deadline 5s), src/main.rs:5
  late (priority 100, deadline 5s), src/main.rs:5

tools that are steps of aos
  search (knowledge), src/main.rs:5
    query args.q"
        );
        let shown: Vec<Value> = json(&registry).collect();
        assert_eq!(shown.len(), 3);
        assert_eq!(
            shown[2],
            json!({
                "hooks": ["aos:tool:knowledge:search"],
                "aos": { "tool": "search", "step": "knowledge", "query": "args.q" },
            })
        );
    }
}
