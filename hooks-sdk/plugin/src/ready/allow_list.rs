//! `allow_list`: refuses every tool call that no entry allows.

use serde::Deserialize;

use super::{
    super::{PluginContext, ToolCall},
    globs::Globs,
    lists::ToolEntry,
};
use hooks_core::{Verdict, Violation, condition::Condition};

/// How many globs a refusal names.
const NAMED: usize = 10;

/// Refuses every tool call that no entry allows. An empty list allows nothing.
///
/// ```yaml
/// kind: allow_list
/// config:
///   tools: ["read_*", "search"]
///   rules:
///     - tool: "write_*"
///       when: 'args.path = inside("/srv/data")'
/// ```
///
/// ```
/// use hooks_sdk::core::condition::Condition;
/// use hooks_sdk::plugin::ready::AllowList;
///
/// let inside = Condition::parse(r#"args.path = inside("/srv/data")"#)?;
/// let list = AllowList::new().tool("read_*").tool_when("write_*", inside);
/// # Ok::<(), hooks_sdk::core::condition::ConditionError>(())
/// ```
///
/// An argument that is absent does not meet a condition, and every item has to meet it where it says `[*]`. The list
/// is checked again after the last change of the call. The refusal has the code `not_allowed`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AllowList {
    tools: Globs,
    rules: Vec<ToolEntry>,
}

impl AllowList {
    adds_glob! {
        /// Allows the tools that match a glob.
        tool to tools
    }

    /// Allows the calls of such tools that meet a condition.
    ///
    /// # Panics
    ///
    /// The glob is malformed.
    #[must_use]
    #[track_caller]
    pub fn tool_when(mut self, glob: &str, when: Condition) -> AllowList {
        self.rules.push(ToolEntry::new(glob, Some(when)));
        self
    }

    fn check(&self, call: &ToolCall, cx: &PluginContext) -> Verdict<std::convert::Infallible> {
        if self.tools.matches(&call.name)
            || self.rules.iter().any(|rule| rule.allows(call, &cx.global))
        {
            return Verdict::Allow;
        }
        let name = &call.name;
        let named = self.rules.iter().any(|rule| rule.names(call));
        let mut violation = Violation::new(if named {
            format!("`{name}` is not allowed with these arguments")
        } else {
            format!("`{name}` is not on the list of allowed tools")
        })
        .code("not_allowed");
        if !named {
            let rules = self.rules.iter().flat_map(ToolEntry::tools);
            let tools: Vec<&str> = self.tools.iter().chain(rules).take(NAMED).collect();
            violation.description = match tools.as_slice() {
                [] => "the list is empty".to_owned(),
                tools => format!("it has {}", tools.join(", ")),
            };
        }
        Verdict::Deny(violation)
    }
}

ready!(AllowList = "allow_list", "Creates a list that allows nothing." { tool_pre_invoke => AllowList::check, again; });
