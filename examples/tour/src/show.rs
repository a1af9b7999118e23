//! Declarations and reports in a person's words.

use std::fmt::Display;

use hooks_sdk::{
    core::Open,
    lifecycle::{Declaration, HookContent, host::Report},
};

/// The longest line that says what a hook puts before the agent, in characters.
const LONGEST: usize = 110;

/// When a hook fires, and how strongly it speaks.
pub(super) fn heading(declared: &Declaration) -> String {
    let (event, priority) = (word(&declared.event), word(&declared.strength));
    match condition(declared) {
        Some(holds) => format!("{event} ({priority}), when {holds}"),
        None => format!("{event} ({priority})"),
    }
}

/// A declaration in two lines: the heading, then what the hook puts before the agent.
pub(super) fn declaration(declared: &Declaration) -> String {
    let what = match &declared.content {
        HookContent::Context(text) => match titles(text).as_slice() {
            [] => format!("text: {text}"),
            titles => format!("guidance: {}", titles.join("; ")),
        },
        HookContent::ContextTool { name, args } => {
            let args = args.iter().flatten();
            let args: Vec<String> = args
                .map(|(key, value)| format!("{key} = {value}"))
                .collect();
            format!("tool: {name}({})", args.join(", "))
        }
        other => format!("{other:?}"),
    };
    let words: Vec<&str> = what.split_whitespace().collect();
    let what = clip(&words.join(" "), LONGEST);
    format!("{}\n    {what}", heading(declared))
}

/// At most so many characters, the mark of the cut included.
pub(super) fn clip(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// The names of the texts, if this is a composed page: no text of a hook has a heading of this level itself.
fn titles(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("### "))
        .collect()
}

/// The matcher of a declaration, if it has one.
pub(super) fn condition(declared: &Declaration) -> Option<String> {
    let matcher = declared.matcher.as_ref()?;
    let conditions = [
        ("tool_name", &matcher.tool_name),
        ("input_contains", &matcher.input_contains),
        ("tool_server", &matcher.tool_server),
    ];
    let given = conditions
        .into_iter()
        .filter_map(|(key, value)| Some(format!("{key} = {:?}", value.as_deref()?)));
    Some(given.collect::<Vec<_>>().join(" and "))
}

/// The word of an open vocabulary.
pub(super) fn word<T: Display>(word: &Open<T>) -> String {
    match word {
        Open::Known(word) => word.to_string(),
        Open::Other(word) => word.to_string(),
        _ => String::new(),
    }
}

/// Everything that came of an event, one line for each hook that was not used.
pub(super) fn report(report: &Report, declared: &[Declaration]) -> String {
    let mut lines = Vec::new();
    if !report.injected.is_empty() {
        lines.push(report.to_string());
    }
    for skipped in &report.skipped {
        let condition = declared.get(skipped.index).and_then(condition);
        let condition = condition.map(|holds| format!(" ({holds})"));
        lines.push(format!(
            "hook {} is skipped: {}{}",
            skipped.index + 1,
            skipped.reason,
            condition.unwrap_or_default()
        ));
    }
    for failed in &report.failed {
        lines.push(format!(
            "hook {} failed: `{}`: {}",
            failed.index + 1,
            failed.tool,
            failed.failure
        ));
    }
    if lines.is_empty() {
        lines.push("no hook is declared for this event".to_owned());
    }
    lines.join("\n")
}
