//! One occurrence of an event, as the client saw it.

use super::{Event, Variables};
use crate::macros::setters;

/// An event that fired, with what the client knows about it.
///
/// The tool input and output in the [variables](Variables) are serialized, as compact JSON. `input_contains`
/// searches that text, and `{tool_input}` is replaced by it.
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
