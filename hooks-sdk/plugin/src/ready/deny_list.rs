//! `deny_list`: refuses the tool calls that an entry names.

use std::convert::Infallible;

use serde::Deserialize;

use super::{
    super::{PluginContext, ToolCall},
    globs::Globs,
    lists::ToolEntry,
};
use hooks_core::{Verdict, Violation, condition::Condition};

/// Refuses the tool calls that an entry names.
///
/// ```yaml
/// kind: deny_list
/// config:
///   tools: ["shell_*"]
///   rules:
///     - tool: "*"
///       when: 'args.path = inside("/etc")'
///   reason: "the system's configuration is not touched"
/// ```
///
/// ```
/// use hooks_sdk::core::condition::Condition;
/// use hooks_sdk::plugin::ready::DenyList;
///
/// let system = Condition::parse(r#"args.path = inside("/etc")"#)?;
/// let list = DenyList::new().tool("shell_*").tool_when("*", system);
/// # Ok::<(), hooks_sdk::core::condition::ConditionError>(())
/// ```
///
/// An argument that is absent does not meet a condition, and one item is enough where it says `[*]`. The list is
/// checked again after the last change of the call. The refusal has the code `denied`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DenyList {
    tools: Globs,
    rules: Vec<ToolEntry>,
    reason: Option<String>,
}

impl DenyList {
    /// Creates a list that denies nothing.
    pub fn new() -> DenyList {
        DenyList::default()
    }

    /// Denies the tools that match a glob.
    ///
    /// # Panics
    ///
    /// The glob is malformed.
    #[must_use]
    #[track_caller]
    pub fn tool(mut self, glob: &str) -> DenyList {
        self.tools.add(glob);
        self
    }

    /// Denies the calls of such tools that meet a condition.
    ///
    /// # Panics
    ///
    /// The glob is malformed.
    #[must_use]
    #[track_caller]
    pub fn tool_when(mut self, glob: &str, when: Condition) -> DenyList {
        self.rules.push(ToolEntry::new(glob, Some(when)));
        self
    }

    /// Sets the sentence that a refused client gets.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> DenyList {
        self.reason = Some(reason.into());
        self
    }

    fn check(&self, call: &ToolCall, cx: &PluginContext) -> Verdict<Infallible> {
        let whole = self.tools.matches(&call.name);
        if !whole && !self.rules.iter().any(|rule| rule.denies(call, &cx.global)) {
            return Verdict::Allow;
        }
        let own = || match whole {
            true => format!("`{}` is forbidden on this server", call.name),
            false => format!("`{}` is forbidden with these arguments", call.name),
        };
        Verdict::Deny(Violation::new(self.reason.clone().unwrap_or_else(own)).code("denied"))
    }
}

ready!(DenyList = "deny_list" { tool_pre_invoke => DenyList::check, again; });
