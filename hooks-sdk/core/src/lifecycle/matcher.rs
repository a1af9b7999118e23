//! The conditions on a tool call under which a hook fires, and one occurrence of an event.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Event, Variables};
use crate::{glob, macros::setters};

/// Conditions on a tool call. All conditions that are set must hold.
///
/// Implements SEP-2282, "Hook declaration schema", `matcher`. Only for `pre_tool_use` and `post_tool_use`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Matcher {
    /// The name of the tool being invoked, as a [glob] over the whole name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<Cow<'static, str>>,
    /// A substring that must appear in the serialized tool input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_contains: Option<Cow<'static, str>>,
    /// The MCP server that provides the matched tool, by its exact name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_server: Option<Cow<'static, str>>,
    /// Members that the document does not define. They are kept, and have no effect.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Matcher {
    /// Makes a matcher without conditions.
    pub fn new() -> Matcher {
        Matcher::default()
    }

    setters! {
        /// Requires that the tool's name matches this [glob].
        fn tool_name(mut self, pattern: impl Into<Cow<'static, str>>) { self.tool_name = Some(pattern.into()) }

        /// Requires that the serialized tool input contains this text.
        fn input_contains(mut self, part: impl Into<Cow<'static, str>>) { self.input_contains = Some(part.into()) }

        /// Requires that the server with this name provides the tool.
        fn tool_server(mut self, name: impl Into<Cow<'static, str>>) { self.tool_server = Some(name.into()) }
    }

    /// Returns whether the matcher has no condition that the document defines.
    pub fn is_empty(&self) -> bool {
        self.conditions() == 0
    }

    pub(super) fn conditions(&self) -> usize {
        [&self.tool_name, &self.input_contains, &self.tool_server]
            .into_iter()
            .flatten()
            .count()
    }

    /// Returns whether every condition holds. A condition on an unknown value does not hold.
    pub fn matches(&self, occasion: &Occasion) -> bool {
        if !occasion.event.is_tool_event() {
            return self.is_empty();
        }
        holds(&self.tool_name, |pattern| {
            occasion
                .tool_names()
                .any(|name| glob::matches(pattern, name))
        }) && holds(&self.tool_server, |server| {
            occasion.tool_server.as_deref() == Some(server)
        }) && holds(&self.input_contains, |part| {
            occasion
                .variables
                .tool_input
                .as_deref()
                .is_some_and(|input| input.contains(part))
        })
    }
}

fn holds(condition: &Option<Cow<'static, str>>, test: impl Fn(&str) -> bool) -> bool {
    condition.as_deref().is_none_or(test)
}

/// An event that fired, with what the client knows about it.
///
/// The tool input and output in the [variables](Variables) are serialized, as compact JSON. `input_contains`
/// searches that text, and `{tool_input}` is replaced by it.
///
/// ```
/// use hooks_sdk::lifecycle::{Event, Occasion, Variables};
///
/// let commit = Variables::new().tool_name("Bash").tool_input(r#"{"command":"git commit"}"#);
/// let occasion = Occasion::new(Event::PostToolUse, commit).also_named("shell");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Occasion {
    /// The event.
    pub event: Event,
    /// The values of the template variables.
    pub variables: Variables,
    /// The MCP server that provides the tool; `None` for a client's own tool.
    pub tool_server: Option<String>,
    /// Other names under which the client knows the tool, such as `mcp__annal__store_memory`.
    pub also_named: Vec<String>,
}

impl Occasion {
    /// Makes an occurrence of `event`.
    pub fn new(event: Event, variables: Variables) -> Occasion {
        Occasion {
            event,
            variables,
            tool_server: None,
            also_named: Vec::new(),
        }
    }

    setters! {
        /// Sets the MCP server that provides the tool.
        fn tool_server(mut self, name: impl Into<String>) { self.tool_server = Some(name.into()) }

        /// Adds another name of the tool. A `tool_name` may match any of its names.
        fn also_named(mut self, name: impl Into<String>) { self.also_named.push(name.into()) }
    }

    pub(super) fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.variables
            .tool_name
            .iter()
            .chain(&self.also_named)
            .map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use super::*;

    #[test]
    fn the_macros_know_every_condition() {
        let all = Matcher::new()
            .tool_name("a")
            .input_contains("b")
            .tool_server("c");
        let conditions = hooks_text::CONDITIONS.words;
        assert_eq!(all.conditions(), conditions.len());
        let written: Map<String, Value> = conditions
            .iter()
            .zip(["a", "b", "c"])
            .map(|(word, value)| ((*word).to_owned(), json!(value)))
            .collect();
        assert_eq!(to_value(all).unwrap(), Value::Object(written));
    }
}
