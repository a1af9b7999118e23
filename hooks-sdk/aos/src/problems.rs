//! The start-up check of hooks and of tools that are steps, which also covers those that were built by hand.

use hooks_text::rule::aos as rule;
use serde_json::{Map, Value};

use super::{AosHook, ToolStep, ToolStepKind};
use hooks_core::{
    BuildError, Origin, Registry,
    internal::{
        Findings, Path,
        schema::{Reach, meant, reach, within},
    },
};

/// Returns every problem of the registry's hooks and tools of this protocol, by the rules that the attributes check.
pub fn problems(registry: &Registry) -> Vec<BuildError> {
    let mut found = Findings::default();
    for (entry, hook) in registry.details::<AosHook>() {
        let of = (entry.origin(), hook.id());
        found.id(of);
        found.deadline(of, hook.its_deadline());
        for tag in hook.its_tags() {
            found.key(of, "tags", rule::not_empty(tag));
        }
    }
    for (entry, own) in registry.details::<ToolStep>() {
        step(&mut found, entry.origin(), own);
    }
    found.all()
}

/// Returns each path of a tool that its schemas lack. A tool without an output schema may answer with anything.
#[doc(hidden)]
pub fn problems_of(
    step: &ToolStep,
    input: &Map<String, Value>,
    output: Option<&Map<String, Value>>,
) -> Vec<BuildError> {
    let mut found = Findings::default();
    for (key, path) in step.its_paths() {
        if let Ok(path) = &path.read {
            schema(&mut found, step, (key, path), input, output);
        }
    }
    found.all()
}

fn step(found: &mut Findings, origin: Origin, step: &ToolStep) {
    let (tool, kind) = (step.tool(), step.kind());
    for (key, path) in step.its_paths() {
        let of = format!("`{key}` of `{}` on the tool `{tool}`", kind.as_str());
        if key != "content" && kind != ToolStepKind::Knowledge {
            let help = format!("remove `{key}`, or make it `ToolStep::knowledge`");
            found.add(origin, format!("{of}: only knowledge has it"), help);
        }
        let path = match &path.read {
            Ok(path) => path,
            Err(error) => {
                let message = format!(
                    "{of}, column {} of `{}`: {}",
                    error.column, path.written, error.message
                );
                found.add(origin, message, error.help.clone());
                continue;
            }
        };
        let before = key != "content" || kind == ToolStepKind::MemoryStore;
        let broken = match before {
            true => rule::argument(path),
            false => rule::result(path),
        };
        found.rule(origin, of, broken);
    }
}

fn schema(
    found: &mut Findings,
    step: &ToolStep,
    (key, path): (&str, &Path),
    input: &Map<String, Value>,
    output: Option<&Map<String, Value>>,
) {
    let Some((schema, steps)) = within(path, Some(input), output) else {
        return;
    };
    if reach(schema, steps) != Reach::Lacks {
        return;
    }
    let (before, place) = match &*path.root {
        "args" => ("args", "the tool's input schema"),
        _ => ("result.structuredContent", "the tool's output schema"),
    };
    let help = match meant([schema], steps) {
        Some(near) => format!("write `{before}.{near}`"),
        None => "write a path that the tool has".to_owned(),
    };
    let message = format!(
        "`{path}` in `{key}` of `{}` on the tool `{}` is not in {place}",
        step.kind().as_str(),
        step.tool()
    );
    found.add(step.origin(), message, help);
}

#[cfg(test)]
mod tests {
    use std::{convert::Infallible, time::Duration};

    use serde_json::json;

    use super::*;
    use crate::point;
    use hooks_core::Verdict;

    fn messages(problems: &[BuildError]) -> Vec<String> {
        let words = |problem: &BuildError| format!("{}; {}", problem.message, problem.help);
        problems.iter().map(words).collect()
    }

    #[test]
    fn hooks_by_hand_are_checked_by_the_same_rules() {
        let broken = AosHook::answering_any("A", point::mcp, |_message, _asked| {
            Box::pin(async { Verdict::<Infallible>::Allow })
        });
        let hooks: [hooks_core::Hook; 6] = [
            broken.deadline(Duration::ZERO).tags(&["x", ""]).into(),
            ToolStep::memory_store::<()>("save", "result.text")
                .query("args.q")
                .into(),
            ToolStep::knowledge::<()>("search")
                .content("args")
                .keywords("args")
                .into(),
            ToolStep::knowledge::<()>("find")
                .content("result.content[*].text")
                .into(),
            ToolStep::memory_retrieval::<()>("read")
                .content("result._meta.text")
                .into(),
            ToolStep::memory_retrieval::<()>("recall")
                .content("result.a-b")
                .into(),
        ];
        let mut registry = Registry::builder();
        for hook in hooks {
            registry = registry.add(hook);
        }
        let found = messages(&problems(&registry.build().unwrap()));
        let expected = [
            "`A` cannot be a hook's id; use 1 to 64",
            "`deadline` of the hook `A`: the deadline is not between 1 ms and 10 minutes; use",
            "`tags` of the hook `A`: the value is empty; write one, or leave it out",
            "`content` of `memory_store` on the tool `save`: the path does not lead to an argument of the tool; begin it",
            "`query` of `memory_store` on the tool `save`: only knowledge has it; remove `query`",
            "`content` of `knowledge` on the tool `search`: the path does not lead into the structured content of the tool's result, and a guardian's change reaches nothing else; leave the key out for each text of the result, or begin the path with `result.structuredContent`",
            "`keywords` of `knowledge` on the tool `search`: the path leads to all arguments; name one",
            "`content` of `knowledge` on the tool `find`: the path does not lead into the structured content",
            "`content` of `memory_retrieval` on the tool `read`: the path does not lead into the structured content",
            "`content` of `memory_retrieval` on the tool `recall`, column 9 of `result.a-b`: unexpected `-`; write a name",
        ];
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}");
        }
    }

    #[test]
    fn a_path_that_the_schemas_lack_is_a_problem() {
        let input =
            json!({ "type": "object", "properties": { "text": {}, "tags": { "type": "array" } } });
        let output = json!({ "type": "object", "properties": { "rows": { "items": { "properties": { "text": {} } } } } });
        let check = |step: ToolStep, output: Option<&Value>| {
            let output = output.and_then(Value::as_object);
            messages(&problems_of(&step, input.as_object().unwrap(), output))
        };
        let store = |path: &'static str| ToolStep::memory_store::<()>("save", path);
        assert_eq!(check(store("args.text"), None), [""; 0]);
        assert_eq!(check(store("args.tags[*]"), None), [""; 0]);
        assert_eq!(
            check(store("args.txt"), None),
            [
                "`args.txt` in `content` of `memory_store` on the tool `save` is not in the tool's input schema; \
                 write `args.text`"
            ]
        );
        assert_eq!(
            check(store("args.elsewhere"), None),
            [
                "`args.elsewhere` in `content` of `memory_store` on the tool `save` is not in the tool's input schema; \
                 write a path that the tool has"
            ]
        );
        let rows = |path: &'static str| {
            ToolStep::knowledge::<()>("search")
                .content(path)
                .query("args.text")
        };
        assert_eq!(
            check(rows("result.structuredContent.rows[*].text"), Some(&output)),
            [""; 0]
        );
        assert_eq!(
            check(rows("result.structuredContent.anything"), None),
            [""; 0]
        );
        assert_eq!(
            check(rows("result.structuredContent.row"), Some(&output)),
            [
                "`result.structuredContent.row` in `content` of `knowledge` on the tool `search` is not in the tool's \
                 output schema; write `result.structuredContent.rows`"
            ]
        );
    }
}
