//! `deny_list`: refuses the tool calls that an entry names.

use std::convert::Infallible;

use serde::Deserialize;

use super::{
    super::{PluginContext, ToolCall},
    globs::Globs,
    lists::ToolEntry,
    refusal,
};
use hooks_core::{Verdict, condition::Condition, internal::setters};

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
    adds_glob! {
        /// Denies the tools that match a glob.
        tool to tools
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

    setters! {
        /// Sets the sentence that a refused client gets.
        fn reason(mut self, reason: impl Into<String>) { self.reason = Some(reason.into()) }
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
        Verdict::Deny(refusal(&self.reason, own, "denied"))
    }
}

ready!(DenyList = "deny_list", "Creates a list that denies nothing." { tool_pre_invoke => DenyList::check, again; });
