//! Whether the paths of annotated tools fit the tools' own schemas.

use rmcp::model::Tool;

use crate::{
    aos::{ToolStep, ToolStepKind},
    core::{
        BuildError,
        condition::{
            Path, Step,
            schema::{Reach, reach},
        },
    },
    server::way::Author,
};

/// Returns a problem for each path that the schema of its tool lacks.
pub(super) fn misfits<'s>(
    steps: impl Iterator<Item = &'s ToolStep>,
    author: &dyn Author,
) -> Vec<BuildError> {
    let mut problems = Vec::new();
    for step in steps {
        // A server may know its tools only when it lists them.
        let Some(tool) = author.tool(step.tool()) else {
            tracing::warn!(
                tool = step.tool(),
                attribute = step.kind().as_str(),
                "the server does not know the tool by name, so the paths of its attribute are not checked"
            );
            continue;
        };
        let keys = [
            ("content", step.its_content()),
            ("query", step.its_query()),
            ("keywords", step.its_keywords()),
        ];
        for (key, path) in keys {
            let lacking = path.filter(|path| lacks(&tool, path));
            problems.extend(lacking.map(|path| problem(step, key, path)));
        }
    }
    problems
}

fn lacks(tool: &Tool, path: &Path) -> bool {
    let structured = |steps: &[Step]| match &tool.output_schema {
        Some(schema) => reach(schema, steps) == Reach::Lacks,
        None => false,
    };
    match (&*path.root, path.steps.as_slice()) {
        ("args", steps) => reach(&tool.input_schema, steps) == Reach::Lacks,
        ("result", [Step::Member(first), steps @ ..]) if first == "structuredContent" => {
            structured(steps)
        }
        ("result", [Step::Member(first), ..]) => first != "content" && first != "_meta",
        _ => true,
    }
}

fn problem(step: &ToolStep, key: &str, path: &Path) -> BuildError {
    let (kind, tool) = (step.kind().as_str(), step.tool());
    let message =
        format!("`{path}` in `{key}` of `{kind}` is not in the schema of the tool `{tool}`");
    let help = match step.kind() {
        ToolStepKind::MemoryStore => "write the path of an argument, such as `args.text`",
        _ if key == "content" => {
            "write a path such as `result.structuredContent.notes[*]`, or leave `content` out"
        }
        _ => "write the path of an argument, such as `args.query`",
    };
    BuildError::new(step.origin(), message, help)
}
