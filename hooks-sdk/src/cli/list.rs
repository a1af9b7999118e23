//! `hooks list`

use futures::executor::block_on;
use serde_json::json;

use super::{Failure, Program, command::Format, print};
use crate::{
    guidance::{FeatureSet, McpFeature},
    lifecycle::Content,
    server::{Declared, ServerHandler},
};

/// What every client is taken to have where no client is named: nothing is left out for want of a feature.
pub(super) fn all_features() -> FeatureSet {
    McpFeature::ALL.iter().copied().collect()
}

pub(super) fn run<H: ServerHandler>(program: &Program<H>, format: Format) -> Result<(), Failure> {
    let hooks = program.hooks()?;
    let declared = block_on(hooks.declared(all_features(), None));
    if format.json {
        let each = declared
            .iter()
            .map(|each| json!({ "hooks": each.hooks, "declaration": each.declaration }));
        return print::json(&each.collect::<Vec<_>>());
    }
    if declared.is_empty() {
        return print::text("This server has no hooks that a client could fire.");
    }
    let lines: Vec<String> = declared.iter().map(line).collect();
    print::text(&lines.join("\n\n"))
}

/// A declaration as a person reads it.
pub(super) fn line(declared: &Declared) -> String {
    let declaration = &declared.declaration;
    let (event, priority) = (&declaration.event, &declaration.priority);
    let mut line = format!("{} ({})", word(event), word(priority));
    if let Some(matcher) = &declaration.matcher {
        let conditions = [
            ("tool_name", &matcher.tool_name),
            ("input_contains", &matcher.input_contains),
            ("tool_server", &matcher.tool_server),
        ];
        let given = conditions.iter().filter_map(|(key, value)| {
            let value = value.as_deref()?;
            Some(format!("{key} = {value:?}"))
        });
        let given: Vec<String> = given.collect();
        line.push_str(&format!(", when {}", given.join(" and ")));
    }
    line.push_str(&format!("\n  {}\n  ", declared.hooks.join(", ")));
    match &declaration.content {
        Content::Context(text) => line.push_str(&print::clip(text, 110)),
        Content::ContextTool { name, .. } => {
            line.push_str(&format!("asks the tool `{name}`"));
        }
    }
    line
}

/// The word of an open vocabulary.
pub(super) fn word<T: std::fmt::Display>(word: &crate::core::Open<T>) -> String {
    match word {
        crate::core::Open::Known(word) => word.to_string(),
        crate::core::Open::Other(word) => word.to_string(),
    }
}
