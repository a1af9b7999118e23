//! The entries of an allow list or a deny list.

use serde::{Deserialize, Deserializer, de::Error};

use super::{
    super::{GlobalContext, ToolCall, filter::see},
    globs::Globs,
};
use hooks_core::condition::Condition;

/// Tools, and a condition on the call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolEntry {
    tool: Globs,
    #[serde(default, deserialize_with = "condition")]
    when: Option<Condition>,
}

impl ToolEntry {
    #[track_caller]
    pub(super) fn new(tool: &str, when: Option<Condition>) -> ToolEntry {
        let mut globs = Globs::default();
        globs.add(tool);
        ToolEntry { tool: globs, when }
    }

    /// Whether the call is surely one that the entry means: an absent argument is not, and every item has to match
    /// wherever the condition says `[*]`.
    pub(super) fn allows(&self, call: &ToolCall, global: &GlobalContext) -> bool {
        let look = |root: &str| see(root, call, global);
        self.names(call)
            && self
                .when
                .as_ref()
                .is_none_or(|when| when.holds_for_all(&look))
    }

    /// Whether the call is one that the entry means. One item is enough wherever the condition says `[*]`.
    pub(super) fn denies(&self, call: &ToolCall, global: &GlobalContext) -> bool {
        let look = |root: &str| see(root, call, global);
        self.names(call) && self.when.as_ref().is_none_or(|when| when.holds(&look))
    }

    /// Whether the entry is about the tool.
    pub(super) fn names(&self, call: &ToolCall) -> bool {
        self.tool.matches(&call.name)
    }

    /// The globs of the entry, for a message.
    pub(super) fn tools(&self) -> impl Iterator<Item = &str> {
        self.tool.iter()
    }
}

fn condition<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Condition>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Condition::parse(&text)
        .map(Some)
        .map_err(|wrong| D::Error::custom(format!("`{text}`: {wrong}")))
}
