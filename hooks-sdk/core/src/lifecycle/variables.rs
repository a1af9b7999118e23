//! The values of the five template variables for one occurrence of an event.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::Event;
use crate::{macros::setters, template};

/// The values that a client knows when an event fires. An unknown value is `None`.
///
/// Implements SEP-2282, "Template variables".
///
/// ```
/// use hooks_sdk::lifecycle::{Event, Variables};
///
/// let known = Variables::new().project_name("annal").tool_output("done");
/// assert_eq!(known.get(Event::SessionStart, "project_name"), Some("annal"));
/// assert_eq!(known.get(Event::SessionStart, "tool_output"), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variables {
    /// Current project or workspace name.
    pub project_name: Option<String>,
    /// Current session identifier.
    pub session_id: Option<String>,
    /// Name of the tool being invoked (tool-use events only).
    pub tool_name: Option<String>,
    /// Serialized tool input (tool-use events only): the compact JSON that the client sends to the tool.
    pub tool_input: Option<String>,
    /// Serialized tool output (`post_tool_use` only).
    pub tool_output: Option<String>,
}

impl Variables {
    /// Makes variables without values.
    pub fn new() -> Variables {
        Variables::default()
    }

    setters! {
        /// Sets the project's name.
        fn project_name(mut self, value: impl Into<String>) { self.project_name = Some(value.into()) }

        /// Sets the session's identifier.
        fn session_id(mut self, value: impl Into<String>) { self.session_id = Some(value.into()) }

        /// Sets the tool's name.
        fn tool_name(mut self, value: impl Into<String>) { self.tool_name = Some(value.into()) }

        /// Sets the serialized tool input.
        fn tool_input(mut self, value: impl Into<String>) { self.tool_input = Some(value.into()) }

        /// Sets the serialized tool output.
        fn tool_output(mut self, value: impl Into<String>) { self.tool_output = Some(value.into()) }
    }

    /// Returns the value of the variable `name` at `event`; `None` if it is unknown, or if the event does not have it.
    pub fn get(&self, event: Event, name: &str) -> Option<&str> {
        if !event.variables().contains(&name) {
            return None;
        }
        match name {
            "project_name" => self.project_name.as_deref(),
            "session_id" => self.session_id.as_deref(),
            "tool_name" => self.tool_name.as_deref(),
            "tool_input" => self.tool_input.as_deref(),
            _ => self.tool_output.as_deref(),
        }
    }

    /// Substitutes the variables in a `context`, in one pass: an inserted value is not searched again.
    ///
    /// An unknown word, and a variable without a value at `event`, stay unchanged.
    pub fn substitute<'t>(&self, event: Event, text: &'t str) -> Cow<'t, str> {
        template::substitute(text, |name| self.get(event, name).map(Cow::Borrowed))
    }

    /// Substitutes the variables in `context_tool_args`, in string values at any depth. Keys and other types stay
    /// unchanged.
    pub fn substitute_args(&self, event: Event, args: &Map<String, Value>) -> Map<String, Value> {
        template::substitute_object(args, &|name| self.get(event, name).map(Cow::Borrowed))
    }

    /// Describes the variable `name` in the document's words; empty for any other word.
    pub(super) const fn description(name: &str) -> &'static str {
        match name.as_bytes() {
            b"project_name" => "Current project or workspace name",
            b"session_id" => "Current session identifier",
            b"tool_name" => "Name of the tool being invoked",
            b"tool_input" => "Serialized tool input",
            b"tool_output" => "Serialized tool output",
            _ => "",
        }
    }

    /// Returns the arguments that an answering hook at `event` declares: each variable of the event, in braces.
    pub(super) fn arguments(event: Event) -> Map<String, Value> {
        event
            .variables()
            .iter()
            .map(|&name| (name.to_owned(), Value::String(placeholder(name))))
            .collect()
    }

    /// Reads such arguments. An argument that is missing, `null` or unreplaced has no value.
    pub(super) fn from_arguments(event: Event, mut arguments: Map<String, Value>) -> Variables {
        let mut take = |name: &str| {
            if !event.variables().contains(&name) {
                return None;
            }
            match arguments.remove(name)? {
                Value::Null => None,
                Value::String(value) if value == placeholder(name) => None,
                Value::String(value) => Some(value),
                other => Some(other.to_string()),
            }
        };
        Variables {
            project_name: take("project_name"),
            session_id: take("session_id"),
            tool_name: take("tool_name"),
            tool_input: take("tool_input"),
            tool_output: take("tool_output"),
        }
    }
}

fn placeholder(name: &str) -> String {
    format!("{{{name}}}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn generated_arguments_read_back_as_the_event() {
        let at = Event::PostToolUse;
        let known = Variables::new().tool_name("Bash").tool_input(r#"{"a":1}"#);
        let sent = known.substitute_args(at, &Variables::arguments(at));
        assert_eq!(Variables::from_arguments(at, sent), known);
    }

    #[test]
    fn arguments_of_other_types_are_their_json() {
        let sent = object(json!({
            "tool_input": {"a": [1]}, "tool_name": null, "session_id": 7, "project_name": "{session_id}",
            "unknown": "x", "tool_output": "not legal before"
        }));
        let read = Variables::from_arguments(Event::PreToolUse, sent);
        let expected = Variables::new()
            .tool_input(r#"{"a":[1]}"#)
            .session_id("7")
            .project_name("{session_id}");
        assert_eq!(read, expected);
    }

    #[test]
    fn a_variable_is_substituted_only_where_it_is_legal() {
        let known = Variables::new()
            .tool_output("out")
            .tool_name("Bash")
            .session_id("s");
        let text = "{tool_output} {tool_name} {session_id} {project_name} {nobody}";
        let at = |event| known.substitute(event, text).into_owned();
        assert_eq!(at(Event::PostToolUse), "out Bash s {project_name} {nobody}");
        assert_eq!(
            at(Event::PreToolUse),
            "{tool_output} Bash s {project_name} {nobody}"
        );
        assert_eq!(
            at(Event::PreRequest),
            "{tool_output} {tool_name} s {project_name} {nobody}"
        );
    }
}
