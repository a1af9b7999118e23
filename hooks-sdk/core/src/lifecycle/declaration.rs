//! One declaration on the wire.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Event, Matcher, Problem, Strength, problem, rule};
use crate::Open;

/// One entry of a server's `declarations`.
///
/// Implements SEP-2282, "Hook declaration schema". Decoding refuses values that the document forbids, and keeps
/// members and words that the document does not define.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WireMembers", into = "WireMembers")]
#[non_exhaustive]
pub struct Declaration {
    /// The lifecycle event at which the hook fires.
    pub event: Open<Event>,
    /// The conditions under which the hook fires.
    pub matcher: Option<Matcher>,
    /// The text, or the tool that returns it.
    pub content: HookContent,
    /// How strongly the server wants the agent to act on the text: `priority` on the wire.
    pub strength: Open<Strength>,
    /// Members that the document does not define.
    pub other: Map<String, Value>,
}

/// What a hook injects: a text of its own, or the result of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookContent {
    /// A static text: `context`.
    Context(Cow<'static, str>),
    /// The result of a tool on the declaring server: `context_tool` and `context_tool_args`.
    ContextTool {
        /// The tool's name.
        name: Cow<'static, str>,
        /// What it is called with, after substitution.
        args: Option<Map<String, Value>>,
    },
}

impl Declaration {
    /// Makes a declaration without a matcher.
    pub fn new(event: Event, strength: Strength, content: HookContent) -> Declaration {
        Declaration {
            event: event.into(),
            matcher: None,
            content,
            strength: strength.into(),
            other: Map::new(),
        }
    }

    /// Sets the conditions under which the hook fires.
    #[must_use]
    pub fn matcher(mut self, matcher: Matcher) -> Declaration {
        self.matcher = Some(matcher);
        self
    }

    /// Returns the rule of the document that a well-formed declaration breaks, if any: a matcher with a condition at an event
    /// without a tool, or a malformed glob. An empty matcher narrows nothing, so it may be at each event.
    pub fn problem(&self) -> Option<Problem> {
        let matcher = self
            .matcher
            .as_ref()
            .filter(|matcher| !matcher.is_empty())?;
        let misplaced = self
            .event
            .known()
            .and_then(|event| rule::matcher(event.as_str()));
        misplaced.or_else(|| matcher.tool_name.as_deref().and_then(rule::glob))
    }
}

impl HookContent {
    /// Makes a static text.
    pub fn context(text: impl Into<Cow<'static, str>>) -> HookContent {
        HookContent::Context(text.into())
    }

    /// Makes the result of a tool that is called with `args`. Without arguments, the wire has no such member.
    pub fn context_tool(
        name: impl Into<Cow<'static, str>>,
        args: Map<String, Value>,
    ) -> HookContent {
        let args = (!args.is_empty()).then_some(args);
        HookContent::ContextTool {
            name: name.into(),
            args,
        }
    }
}

/// The members on the wire.
#[derive(Serialize, Deserialize)]
struct WireMembers {
    event: Open<Event>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    matcher: Option<Matcher>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<Cow<'static, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context_tool: Option<Cow<'static, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context_tool_args: Option<Map<String, Value>>,
    priority: Open<Strength>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl TryFrom<WireMembers> for Declaration {
    type Error = Problem;

    fn try_from(members: WireMembers) -> Result<Declaration, Problem> {
        let content = match (
            members.context,
            members.context_tool,
            members.context_tool_args,
        ) {
            (Some(_), Some(_), _) => return Err(problem::TWO_CONTEXTS),
            (_, None, Some(_)) => return Err(problem::ARGS_WITHOUT_TOOL),
            (None, None, None) => return Err(problem::NO_CONTEXT),
            (Some(text), None, None) => HookContent::Context(text),
            (None, Some(name), args) => HookContent::ContextTool { name, args },
        };
        let WireMembers {
            event,
            matcher,
            priority,
            other,
            ..
        } = members;
        Ok(Declaration {
            event,
            matcher,
            content,
            strength: priority,
            other,
        })
    }
}

impl From<Declaration> for WireMembers {
    fn from(declaration: Declaration) -> WireMembers {
        let Declaration {
            event,
            matcher,
            content,
            strength: priority,
            other,
        } = declaration;
        let (context, context_tool, context_tool_args) = match content {
            HookContent::Context(text) => (Some(text), None, None),
            HookContent::ContextTool { name, args } => (None, Some(name), args),
        };
        WireMembers {
            event,
            matcher,
            context,
            context_tool,
            context_tool_args,
            priority,
            other,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;

    fn refusal(declaration: Value) -> String {
        from_value::<Declaration>(declaration)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn unknown_words_and_members_survive() {
        let sent = json!({
            "event": "pre_compact", "priority": "urgent", "context": "x", "since": 1,
            "matcher": {"tool_name": "Bash", "cwd": "/"}
        });
        let read: Declaration = from_value(sent.clone()).unwrap();
        assert_eq!(read.event, Open::Other("pre_compact".into()));
        assert_eq!(read.problem(), None);
        assert_eq!(to_value(read).unwrap(), sent);
    }

    #[test]
    fn what_the_document_excludes_is_refused() {
        let both = json!({"event": "session_end", "priority": "required", "context": "x", "context_tool": "t"});
        assert_eq!(
            refusal(both),
            "`context` and `context_tool` exclude each other"
        );
        let neither = json!({"event": "session_end", "priority": "required"});
        assert_eq!(
            refusal(neither),
            "neither `context` nor `context_tool` is given"
        );
        for context in [json!({"context": "x"}), json!({})] {
            let mut args =
                json!({"event": "session_end", "priority": "required", "context_tool_args": {}});
            args.as_object_mut()
                .unwrap()
                .extend(context.as_object().unwrap().clone());
            assert_eq!(refusal(args), "`context_tool_args` needs a `context_tool`");
        }
        let no_event = json!({"priority": "required", "context": "x"});
        assert_eq!(refusal(no_event), "missing field `event`");
        let no_priority = json!({"event": "session_end", "context": "x"});
        assert_eq!(refusal(no_priority), "missing field `priority`");
    }
}
