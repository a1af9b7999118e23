//! The reference implementation's tracker of blocking hooks, which the SDK lacks: its recordings judge this file alone.

use hooks_sdk::core::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Tracks which blocking hooks are completed, and refuses tools until then.
#[derive(Clone, Debug, Default)]
pub(super) struct Workflow {
    blocking: Vec<BlockingHook>,
    completed: Vec<Completion>,
}

/// A hook whose work comes before every tool with a prefix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BlockingHook {
    /// The hook's id.
    pub(super) hook_id: String,
    /// The prefix of the tools' names; empty for every tool.
    pub(super) tool_prefix: String,
    /// A human-readable name of the work.
    pub(super) name: String,
    /// The message for a caller that calls such a tool too early.
    pub(super) block_message: String,
}

/// A blocking hook whose work is done.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Completion {
    /// The hook's id.
    pub(super) hook_id: String,
    /// When it was completed.
    pub(super) completed_at: Timestamp,
    /// The result of the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<Map<String, Value>>,
}

/// Why a tool is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Blocked {
    /// The id of the hook whose work comes first.
    pub(super) blocked_by: String,
    /// The hook's message.
    pub(super) message: String,
    /// What to do first.
    pub(super) hint: String,
}

impl BlockingHook {
    /// Makes a blocking hook for the tools whose names begin with `tool_prefix`.
    pub(super) fn new(
        hook_id: impl Into<String>,
        tool_prefix: impl Into<String>,
        name: impl Into<String>,
        block_message: impl Into<String>,
    ) -> BlockingHook {
        BlockingHook {
            hook_id: hook_id.into(),
            tool_prefix: tool_prefix.into(),
            name: name.into(),
            block_message: block_message.into(),
        }
    }
}

impl Workflow {
    /// Adds a blocking hook. It replaces a hook with the same id.
    pub(super) fn register(&mut self, hook: BlockingHook) {
        match self
            .blocking
            .iter_mut()
            .find(|held| held.hook_id == hook.hook_id)
        {
            Some(held) => *held = hook,
            None => self.blocking.push(hook),
        }
    }

    /// Returns the blocking hooks, in the order of registration.
    pub(super) fn blocking(&self) -> &[BlockingHook] {
        &self.blocking
    }

    /// Marks a hook's work as done, even if the hook blocks nothing.
    pub(super) fn complete(
        &mut self,
        hook_id: impl Into<String>,
        data: Option<Map<String, Value>>,
    ) {
        let done = Completion {
            hook_id: hook_id.into(),
            completed_at: Timestamp::now(),
            data,
        };
        match self
            .completed
            .iter_mut()
            .find(|held| held.hook_id == done.hook_id)
        {
            Some(held) => *held = done,
            None => self.completed.push(done),
        }
    }

    /// Returns whether a hook's work is done.
    pub(super) fn is_completed(&self, hook_id: &str) -> bool {
        self.completion(hook_id).is_some()
    }

    /// Returns when a hook's work was done, with its result.
    pub(super) fn completion(&self, hook_id: &str) -> Option<&Completion> {
        self.completed.iter().find(|done| done.hook_id == hook_id)
    }

    /// Returns the hooks whose work is done, in the order of their first completion.
    pub(super) fn completed(&self) -> &[Completion] {
        &self.completed
    }

    /// Checks whether a tool may run. The error is the first registered hook that blocks it and is not completed.
    pub(super) fn check(&self, tool: &str) -> Result<(), Blocked> {
        let blocks = |hook: &&BlockingHook| {
            tool.starts_with(&hook.tool_prefix) && !self.is_completed(&hook.hook_id)
        };
        match self.blocking.iter().find(blocks) {
            None => Ok(()),
            Some(hook) => Err(Blocked {
                blocked_by: hook.hook_id.clone(),
                message: hook.block_message.clone(),
                hint: format!("Complete the \"{}\" workflow first.", hook.name),
            }),
        }
    }

    /// Clears the completed hooks. The blocking hooks stay.
    pub(super) fn reset(&mut self) {
        self.completed.clear();
    }

    /// Removes the blocking hooks.
    pub(super) fn clear_blocking(&mut self) {
        self.blocking.clear();
    }
}

impl Blocked {
    /// Returns the text for the refused call's error result: JSON, printed over several lines.
    ///
    /// An empty value counts as absent. Without a message, the error is the reference implementation's sentence;
    /// the other members are left out.
    pub(super) fn response(&self) -> String {
        let error = match &*self.message {
            "" => "Workflow requirement not met",
            message => message,
        };
        let response = Response {
            success: false,
            error,
            workflow_violation: true,
            blocked_by: &self.blocked_by,
            hint: &self.hint,
        };
        // Five members of plain text and truth values always have a JSON form.
        serde_json::to_string_pretty(&response).unwrap_or_default()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'b> {
    success: bool,
    error: &'b str,
    workflow_violation: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    blocked_by: &'b str,
    #[serde(skip_serializing_if = "str::is_empty")]
    hint: &'b str,
}
