//! The start-up check of hooks and of tools that are steps, which also covers those that were built by hand.

use std::borrow::Cow;

use hooks_text::nearest;
use serde_json::{Map, Value};

use super::{AosHook, ToolStep, ToolStepKind, rule, tool_step::StepPath};
use crate::core::{
    BuildError, Origin, Problem, Registry,
    condition::{
        Path, Step,
        schema::{Reach, reach},
    },
};

/// Returns every problem of the registry's hooks and tools of this room, by the rules that the attributes check.
pub fn problems(registry: &Registry) -> Vec<BuildError> {
    let mut findings = Findings(Vec::new());
    for (entry, hook) in registry.details::<AosHook>() {
        findings.hook(entry.origin(), hook);
    }
    for (entry, step) in registry.details::<ToolStep>() {
        findings.step(entry.origin(), step);
    }
    findings.0
}

/// Returns each path of a tool that its schemas lack. A tool without an output schema may answer with anything.
pub(crate) fn problems_of(
    step: &ToolStep,
    input: &Map<String, Value>,
    output: Option<&Map<String, Value>>,
) -> Vec<BuildError> {
    let mut findings = Findings(Vec::new());
    for (key, path) in step.paths() {
        if let Ok(path) = &path.read {
            findings.schema(step, key, path, input, output);
        }
    }
    findings.0
}

impl ToolStep {
    /// Returns the keys with the path of each.
    fn paths(&self) -> impl Iterator<Item = (&'static str, &StepPath)> {
        [
            ("content", &self.content),
            ("query", &self.query),
            ("keywords", &self.keywords),
        ]
        .into_iter()
        .filter_map(|(key, path)| Some((key, path.as_ref()?)))
    }
}

/// The members of a `CallToolResult`.
const RESULT: [&str; 4] = ["content", "structuredContent", "isError", "_meta"];

struct Findings(Vec<BuildError>);

impl Findings {
    fn hook(&mut self, origin: Origin, hook: &AosHook) {
        let id = hook.id();
        if let Some(problem) = rule::id(id) {
            self.push(
                origin,
                format!("`{id}` cannot be a hook's id"),
                problem.help(),
            );
        }
        let ms = u64::try_from(hook.its_deadline().as_millis()).unwrap_or(u64::MAX);
        self.note(origin, "deadline", id, rule::deadline_ms(ms));
        for tag in hook.its_tags() {
            self.note(origin, "tags", id, rule::not_empty(tag));
        }
    }

    fn note(&mut self, origin: Origin, key: &str, id: &str, problem: Option<Problem>) {
        if let Some(problem) = problem {
            let message = format!("`{key}` of the hook `{id}`: {problem}");
            self.push(origin, message, problem.help());
        }
    }

    fn step(&mut self, origin: Origin, step: &ToolStep) {
        let (tool, kind) = (step.tool(), step.kind());
        for (key, path) in step.paths() {
            let of = format!("`{key}` of `{}` on the tool `{tool}`", kind.as_str());
            if key != "content" && kind != ToolStepKind::Knowledge {
                let help = format!("remove `{key}`, or make it `ToolStep::knowledge`");
                self.push(origin, format!("{of}: only knowledge has it"), help);
            }
            let path = match &path.read {
                Ok(path) => path,
                Err(error) => {
                    let message = format!(
                        "{of}, column {} of `{}`: {}",
                        error.column, path.written, error.message
                    );
                    self.push(origin, message, error.help.clone());
                    continue;
                }
            };
            let before = key != "content" || kind == ToolStepKind::MemoryStore;
            let problem = match before {
                true => rule::argument(&path.root, path.steps.len()),
                false => rule::result(&path.root, path.steps.len()),
            };
            if let Some(problem) = problem {
                self.push(origin, format!("{of}: {problem}"), problem.help());
            }
        }
    }

    fn schema(
        &mut self,
        step: &ToolStep,
        key: &str,
        path: &Path,
        input: &Map<String, Value>,
        output: Option<&Map<String, Value>>,
    ) {
        let lack = match (&*path.root, path.steps.as_slice()) {
            ("args", steps) => lack(input, steps, "args", "the tool's input schema"),
            ("result", [Step::Member(first), steps @ ..]) if first == "structuredContent" => output
                .and_then(|output| {
                    lack(
                        output,
                        steps,
                        "result.structuredContent",
                        "the tool's output schema",
                    )
                }),
            ("result", [Step::Member(name), ..]) if !RESULT.contains(&&**name) => {
                let near = nearest(name, RESULT).map(|near| format!("result.{near}"));
                Some(("the result of a tool", near))
            }
            _ => None,
        };
        let Some((place, near)) = lack else {
            return;
        };
        let help = match near {
            Some(near) => format!("write `{near}`"),
            None => "write a path that the tool has".to_owned(),
        };
        let message = format!(
            "`{path}` in `{key}` of `{}` on the tool `{}` is not in {place}",
            step.kind().as_str(),
            step.tool()
        );
        self.push(step.origin(), message, help);
    }

    fn push(&mut self, origin: Origin, message: String, help: impl Into<Cow<'static, str>>) {
        self.0.push(BuildError::new(origin, message, help));
    }
}

/// Returns that the schema lacks the steps, and what was probably meant where its first member is at fault.
fn lack(
    schema: &Map<String, Value>,
    steps: &[Step],
    before: &str,
    place: &'static str,
) -> Option<(&'static str, Option<String>)> {
    if reach(schema, steps) != Reach::Lacks {
        return None;
    }
    let members = schema.get("properties").and_then(Value::as_object);
    let names = members.into_iter().flat_map(Map::keys).map(String::as_str);
    let near = match steps.first() {
        Some(Step::Member(name)) => nearest(name, names).filter(|near| near != name),
        _ => None,
    };
    Some((place, near.map(|near| format!("{before}.{near}"))))
}
