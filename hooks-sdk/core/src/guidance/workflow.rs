//! Blocking hooks: tools that are refused until a hook's work is done.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Timestamp;

/// Tracks which blocking hooks are completed, and refuses tools until then.
///
/// Use one per session. This is the reference implementation's workflow tracker; the document only mentions
/// enforcement, in "Session State & Blocking".
#[derive(Clone, Debug, Default)]
pub struct Workflow {
    blocking: Vec<BlockingHook>,
    completed: Vec<Completion>,
}

/// A hook whose work comes before every tool with a prefix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BlockingHook {
    /// The hook's id.
    pub hook_id: String,
    /// The prefix of the tools' names; empty for every tool.
    pub tool_prefix: String,
    /// A human-readable name of the work.
    pub name: String,
    /// The message for a caller that calls such a tool too early.
    pub block_message: String,
}

/// A blocking hook whose work is done.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Completion {
    /// The hook's id.
    pub hook_id: String,
    /// When it was completed.
    pub completed_at: Timestamp,
    /// The result of the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
}

/// Why a tool is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Blocked {
    /// The id of the hook whose work comes first.
    pub blocked_by: String,
    /// The hook's message.
    pub message: String,
    /// What to do first.
    pub hint: String,
}

impl BlockingHook {
    /// Makes a blocking hook for the tools whose names begin with `tool_prefix`.
    pub fn new(
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
    /// Makes a workflow without blocking hooks.
    pub fn new() -> Workflow {
        Workflow::default()
    }

    /// Adds a blocking hook. It replaces a hook with the same id.
    pub fn register(&mut self, hook: BlockingHook) {
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
    pub fn blocking(&self) -> &[BlockingHook] {
        &self.blocking
    }

    /// Marks a hook's work as done, even if the hook blocks nothing.
    pub fn complete(&mut self, hook_id: impl Into<String>, data: Option<Map<String, Value>>) {
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
    pub fn is_completed(&self, hook_id: &str) -> bool {
        self.completion(hook_id).is_some()
    }

    /// Returns when a hook's work was done, with its result.
    pub fn completion(&self, hook_id: &str) -> Option<&Completion> {
        self.completed.iter().find(|done| done.hook_id == hook_id)
    }

    /// Returns the hooks whose work is done, in the order of their first completion.
    pub fn completed(&self) -> &[Completion] {
        &self.completed
    }

    /// Checks whether a tool may run.
    ///
    /// # Errors
    ///
    /// The first registered hook that blocks it and is not completed.
    pub fn check(&self, tool: &str) -> Result<(), Blocked> {
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
    pub fn reset(&mut self) {
        self.completed.clear();
    }

    /// Removes the blocking hooks.
    pub fn clear_blocking(&mut self) {
        self.blocking.clear();
    }
}

impl Blocked {
    /// Returns the text for the refused call's error result: JSON, printed over several lines.
    ///
    /// An empty value counts as absent. Without a message, the error is the reference implementation's sentence;
    /// the other members are left out.
    pub fn response(&self) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_unfinished_hook_blocks() {
        let mut workflow = Workflow::new();
        workflow.register(BlockingHook::new("a", "kit:", "Config", "Configure first."));
        workflow.register(BlockingHook::new("b", "kit:build", "Plan", "Plan first."));
        let by = |workflow: &Workflow, tool| {
            workflow.check(tool).err().map(|blocked| blocked.blocked_by)
        };
        assert_eq!(by(&workflow, "kit:build").as_deref(), Some("a"));
        assert_eq!(by(&workflow, "other"), None);
        workflow.complete("a", None);
        assert_eq!(by(&workflow, "kit:build").as_deref(), Some("b"));
        assert_eq!(by(&workflow, "kit:plan"), None);
        workflow.reset();
        assert_eq!(by(&workflow, "kit:plan").as_deref(), Some("a"));
        workflow.clear_blocking();
        assert_eq!(by(&workflow, "kit:plan"), None);
    }

    #[test]
    fn the_response_is_the_references_text() {
        let blocked = Blocked {
            blocked_by: "a".into(),
            message: "m".into(),
            hint: "h".into(),
        };
        let expected = "{\n  \"success\": false,\n  \"error\": \"m\",\n  \"workflowViolation\": true,\n  \
                        \"blockedBy\": \"a\",\n  \"hint\": \"h\"\n}";
        assert_eq!(blocked.response(), expected);
        let nothing = Blocked {
            blocked_by: String::new(),
            message: String::new(),
            hint: String::new(),
        };
        let expected = "{\n  \"success\": false,\n  \"error\": \"Workflow requirement not met\",\n  \
                        \"workflowViolation\": true\n}";
        assert_eq!(nothing.response(), expected);
    }
}
