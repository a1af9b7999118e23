//! Whether the conditions of hooks fit the schemas of the author's tools.

use hooks_text::nearest;
use serde_json::{Map, Value};

use super::{Family, ListHook, ListOf, PluginHook};
use hooks_core::{
    BuildError, glob,
    internal::{
        Path, Step,
        schema::{Reach, meant, reach, types, within},
    },
};

/// A tool of the author with its schemas.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct TypedTool<'t> {
    pub name: &'t str,
    pub input: Option<&'t Map<String, Value>>,
    pub output: Option<&'t Map<String, Value>>,
    pub is_destructive: bool,
}

/// What [`misfits`] found.
#[derive(Debug, Default)]
pub struct RuleProblems {
    /// A path that none of the hook's tools can have, so that the hook would never do what it says.
    pub problems: Vec<BuildError>,
    /// A path that some of the hook's tools lack; a name or glob of the hook that no tool has.
    pub warnings: Vec<String>,
}

/// The members of a `CallToolResult`.
const RESULT: [&str; 4] = ["content", "structuredContent", "isError", "_meta"];

/// Compares each path in the hooks' conditions with the schemas of the tools that the hooks match.
///
/// A tool without a schema may have every path, and so may one whose schema allows members that it does not name.
#[doc(hidden)]
pub fn misfits<'h>(
    hooks: impl IntoIterator<Item = &'h PluginHook>,
    tools: &[TypedTool<'_>],
) -> RuleProblems {
    let mut found = RuleProblems::default();
    for hook in hooks {
        if hook.at().family() != Family::Tool {
            continue;
        }
        let matched: Vec<_> = tools
            .iter()
            .filter(|tool| hook.filter.names(tool.name))
            .collect();
        found
            .warnings
            .extend(sentences(hook.id(), hook.its_items(), tools));
        if matched.is_empty() {
            continue;
        }
        let (when, unless) = hook.its_conditions();
        let keys = [("when", when), ("unless", unless)];
        for (key, condition) in keys {
            let Some(condition) = condition else {
                continue;
            };
            condition.each_test(|path, types| {
                found.compare(hook, key, path, &matched);
                found.compare_types(hook, key, path, types, &matched);
            });
        }
    }
    found
}

/// Returns each name or glob that is that of none of these tools, with the nearest name. Where no tool is known, returns none.
pub(super) fn unknown<'i, 't>(
    items: impl IntoIterator<Item = &'i str>,
    tools: &[TypedTool<'t>],
) -> impl Iterator<Item = (&'i str, Option<&'t str>)> {
    let names = || tools.iter().map(|tool| tool.name);
    let is_unknown =
        move |item: &&str| !tools.is_empty() && !names().any(|name| glob::matches(item, name));
    let items = items.into_iter().filter(is_unknown);
    // For a glob, the nearest name would be one that it should not be narrowed to.
    items.map(move |item| (item, nearest(item, names()).filter(|_| glob::is_name(item))))
}

/// Returns a sentence about each name or glob of a hook that is that of none of these tools.
fn sentences<'i>(
    id: &str,
    items: impl IntoIterator<Item = &'i str>,
    tools: &[TypedTool<'_>],
) -> Vec<String> {
    let sentence = |(item, near): (&str, Option<&str>)| {
        let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        format!("`{id}`: no tool is called `{item}`{near}")
    };
    unknown(items, tools).map(sentence).collect()
}

/// Returns the names in full of the tools that a list hook is for.
pub(super) fn names_in_full(hook: &ListHook) -> impl Iterator<Item = &str> {
    let is_for_tools = hook.of() == ListOf::Tools;
    let names = hook.its_items().filter(|item| glob::is_name(item));
    names.filter(move |_| is_for_tools)
}

/// Returns the sentences about the tools that list hooks name in full.
#[doc(hidden)]
pub fn unlisted<'h>(
    lists: impl IntoIterator<Item = &'h ListHook>,
    tools: &[TypedTool<'_>],
) -> Vec<String> {
    let lists = lists.into_iter();
    let sentences = |hook: &ListHook| sentences(hook.id(), names_in_full(hook), tools);
    lists.flat_map(sentences).collect()
}

impl RuleProblems {
    /// Warns of a test that does not compare each type that a schema allows.
    fn compare_types(
        &mut self,
        hook: &PluginHook,
        key: &str,
        path: &Path,
        compared: &[&str],
        tools: &[&TypedTool<'_>],
    ) {
        for tool in tools.iter().filter(|_| !compared.is_empty()) {
            let Some((schema, steps)) = within(path, tool.input, tool.output) else {
                continue;
            };
            let types = types(schema, steps).into_iter();
            let others: Vec<String> = types.filter(|it| !compared.contains(&&**it)).collect();
            if !others.is_empty() {
                let counts = match key {
                    "when" => "matches",
                    _ => "is not allowed",
                };
                self.warnings.push(format!(
                    "`{}`: `{path}` of `{}` may have the type `{}`, which the test does not compare: such a value {counts}",
                    hook.id(),
                    tool.name,
                    others.join("`, `"),
                ));
            }
        }
    }

    fn compare(&mut self, hook: &PluginHook, key: &str, path: &Path, tools: &[&TypedTool<'_>]) {
        if path.root == "result"
            && let Some(Step::Member(name)) = path.steps.first()
            && !RESULT.contains(&&**name)
            && let Some(near) = nearest(name, RESULT)
        {
            let message = format!(
                "`{path}` in `{key}` of the hook `{}`: the result of a tool has no `{name}`",
                hook.id()
            );
            let help = format!("write `result.{near}`");
            self.problems
                .push(BuildError::new(hook.origin(), message, help));
            return;
        }
        let lacking: Vec<&str> = tools
            .iter()
            .filter(|tool| of_tool(tool, path) == Reach::Lacks)
            .map(|tool| tool.name)
            .collect();
        if lacking.is_empty() {
            return;
        }
        let names = lacking.join("`, `");
        if lacking.len() < tools.len() {
            let then = match key {
                "when" => "so that it does not match there",
                _ => "so that it counts as not allowed there",
            };
            self.warnings.push(format!(
                "`{}`: `{path}` is not in the schema of `{names}`, {then}",
                hook.id()
            ));
            return;
        }
        let message = format!(
            "`{path}` in `{key}` of the hook `{}` is not in the schema of `{names}`",
            hook.id()
        );
        let inputs = tools.iter().filter_map(|tool| tool.input);
        let near = meant(inputs, &path.steps).filter(|_| path.root == "args");
        let help = match near {
            Some(near) => format!("write `{}.{near}`", path.root),
            None => "write a path that the tools have, or name other tools".to_owned(),
        };
        self.problems
            .push(BuildError::new(hook.origin(), message, help));
    }
}

fn of_tool(tool: &TypedTool<'_>, path: &Path) -> Reach {
    let lead = within(path, tool.input, tool.output);
    lead.map_or(Reach::Open, |(schema, steps)| reach(schema, steps))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{PluginPoint, point};
    use hooks_core::condition::Condition;

    fn hook<P: PluginPoint>(at: P, tools: &[&str], when: &str) -> PluginHook {
        PluginHook::deny("rule", at, "no")
            .items(tools)
            .when(Condition::parse(when).unwrap())
    }

    /// Returns messages and warnings.
    fn found(hook: PluginHook) -> (Vec<String>, Vec<String>) {
        let schema = |members: Value| {
            let Value::Object(schema) = json!({ "type": "object", "properties": members }) else {
                unreachable!()
            };
            schema
        };
        let path = schema(json!({ "path": { "type": "string" } }));
        let query = schema(json!({ "query": { "type": "string" } }));
        let rows = schema(
            json!({ "rows": { "type": "array", "items": { "type": "object", "properties": { "id": {} } } } }),
        );
        let tool = |name, input, output| TypedTool {
            name,
            input,
            output,
            is_destructive: name == "delete_file",
        };
        let tools = [
            tool("delete_file", Some(&path), None),
            tool("read_file", Some(&path), Some(&path)),
            tool("search", Some(&query), Some(&rows)),
            tool("raw", None, None),
        ];
        let found = misfits([&hook], &tools);
        let problems = found.problems.iter();
        (
            problems
                .map(|problem| format!("{} | {}", problem.message, problem.help))
                .collect(),
            found.warnings,
        )
    }

    #[test]
    fn a_path_that_no_tool_has_is_a_problem_and_one_that_some_have_a_warning() {
        let (problems, warnings) = found(hook(
            point::tool_pre_invoke,
            &["*_file"],
            "args.pth, args.path",
        ));
        assert_eq!(
            problems,
            [
                "`args.pth` in `when` of the hook `rule` is not in the schema of `delete_file`, `read_file` | write `args.path`"
            ]
        );
        assert_eq!(warnings, [""; 0]);
        let (problems, warnings) = found(hook(point::tool_pre_invoke, &["*e*"], "args.path"));
        assert_eq!(problems, [""; 0]);
        let expected =
            "`rule`: `args.path` is not in the schema of `search`, so that it does not match there";
        assert_eq!(warnings, [expected]);
        // The tool without a schema is open.
        let (problems, warnings) = found(hook(point::tool_pre_invoke, &[], "args.none"));
        assert_eq!((problems.len(), warnings.len()), (0, 1));
        let unless = Condition::parse("args.path").unwrap();
        let unless = PluginHook::deny("rule", point::tool_pre_invoke, "no").unless(unless);
        let (_, warnings) = found(unless);
        assert!(
            warnings[0].ends_with("so that it counts as not allowed there"),
            "{warnings:?}"
        );
    }

    #[test]
    fn a_test_that_does_not_compare_each_type_of_a_schema_is_named() {
        let schema = json!({
            "$defs": { "Amount": { "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/Whole" }] }, "Whole": { "type": "integer" } },
            "properties": {
                "amount": { "$ref": "#/$defs/Amount" }, "whole": { "$ref": "#/$defs/Whole" }, "free": {}, "one": { "const": "a" },
                "maybe": { "type": ["integer", "null"] }, "list": { "type": "array", "items": { "enum": [1, "a"] } },
            },
        });
        let tools = [TypedTool {
            name: "pay",
            input: schema.as_object(),
            output: None,
            is_destructive: false,
        }];
        for (when, others) in [
            ("args.whole = 1000..", ""),
            ("args.amount = 1000..", "string"),
            ("args.amount = [1, \"a\"]", ""),
            ("args.amount", ""),
            ("args.free = true", "any"),
            ("args.one = \"a\"", ""),
            ("args.maybe = 5", "null"),
            ("args.list[*] = 1", "string"),
            ("args.list = longer_than(3)", ""),
        ] {
            let hook = hook(point::tool_pre_invoke, &[], when);
            let warnings = misfits([&hook], &tools).warnings;
            let told = warnings
                .first()
                .map_or("", |text| text.split('`').nth(7).unwrap_or(""));
            assert_eq!(told, others, "{when}: {warnings:?}");
        }
    }

    #[test]
    fn results_are_compared_with_output_schemas() {
        for (tools, when, problem) in [
            (&["search"][..], "result.structuredContent.rows[*].id", ""),
            (
                &["search"],
                "result.structuredContent.rows[*].name",
                "is not in the schema of `search`",
            ),
            (&["delete_file"], "result.structuredContent.anything", ""),
            (&["search"], "result.content[0].text", ""),
            (
                &["search"],
                "result.is_error",
                "the result of a tool has no `is_error` | write `result.isError`",
            ),
            (&["search"], "result.another", ""),
        ] {
            let (problems, _) = found(hook(point::tool_post_invoke, tools, when));
            assert_eq!(
                problems.is_empty(),
                problem.is_empty(),
                "{when}: {problems:?}"
            );
            assert!(
                problems.iter().all(|one| one.contains(problem)),
                "{problems:?}"
            );
        }
    }

    #[test]
    fn a_name_that_no_tool_has_is_a_warning_with_the_nearest_one() {
        let (problems, warnings) = found(hook(point::tool_pre_invoke, &["delte_*"], "args.path"));
        assert_eq!(problems, [""; 0]);
        assert_eq!(warnings, ["`rule`: no tool is called `delte_*`"]);
        // Also beside one that there is.
        let tools = ["search", "read_fiel", "wipe"];
        let (_, warnings) = found(hook(point::tool_pre_invoke, &tools, "args.query"));
        assert_eq!(
            warnings,
            [
                "`rule`: no tool is called `read_fiel`; did you mean `read_file`?",
                "`rule`: no tool is called `wipe`"
            ]
        );
        let (problems, warnings) = found(hook(point::prompt_pre_fetch, &["x"], "args.path"));
        assert_eq!((problems.len(), warnings.len()), (0, 0));
    }
}
