//! What the agent is told: why a call was not run, and what a call that was run did to its session.

use std::time::Duration;

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::Value;

use super::{Gate, identity::SESSION_META};
use crate::{
    session::{Handle, Refusal},
    store::StoreError,
};

/// Marks a refusal that may be otherwise when the same call is made again.
const RETRYABLE: &str = "hooks-sdk/retryable";

impl Gate {
    /// The state does not allow the tool. The directive stands first, word for word.
    pub(super) fn refused(
        &self,
        refusal: &Refusal,
        wrong_handle: bool,
        nameless: bool,
    ) -> CallToolResult {
        let mut content = vec![ContentBlock::text(refusal.to_string())];
        let argument = &self.argument;
        if wrong_handle {
            content.push(ContentBlock::text(format!(
                "The `{argument}` that was given is not the handle of an open session: it is misspelt, has expired, \
                 or belongs to somebody else. Pass the one that was returned last, or open a new session."
            )));
        } else if nameless {
            content.push(ContentBlock::text(format!(
                "If the session is open already, pass its handle as the argument `{argument}`."
            )));
        }
        CallToolResult::error(content)
    }

    /// The handle of a session that was opened: the last block of text, and in `_meta`.
    pub(super) fn show_handle(&self, handle: &Handle, result: &mut CallToolResult) {
        let argument = &self.argument;
        result.content.push(ContentBlock::text(format!(
            "session: {handle}\nPass it as the argument `{argument}` with every further call."
        )));
        mark(result, SESSION_META, handle.to_string().into());
    }
}

/// An earlier call of the session did not end in time.
pub(super) fn too_long_behind(tool: &str, waited: Duration) -> CallToolResult {
    retryable(format!(
        "Tool \"{tool}\" was not run: an earlier call of this session did not end within {} s. Call it again later.",
        waited.as_secs_f32()
    ))
}

/// The store could not say whether the state allows the tool, or keep a session that it would open.
pub(super) fn without_store(tool: &str, error: &StoreError) -> CallToolResult {
    tracing::error!(tool, %error, "a call was refused for want of the session store");
    retryable(match error {
        StoreError::Full(_) => format!(
            "Tool \"{tool}\" was not run: as many sessions are open as can be. Call it again later."
        ),
        StoreError::Unreachable(_) => format!(
            "Tool \"{tool}\" was not run: the state of the session cannot be read at the moment. Call it again later."
        ),
    })
}

/// The tool did its work, and the session did not move on.
pub(super) fn unrecorded(tool: &str, error: &StoreError, result: &mut CallToolResult) {
    tracing::error!(tool, %error, "a call succeeded, and its session could not be moved on");
    result.content.push(ContentBlock::text(format!(
        "The session is where it was before this call: its state could not be written. Call \"{tool}\" again later."
    )));
    mark(result, RETRYABLE, Value::Bool(true));
}

fn retryable(text: String) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    mark(&mut result, RETRYABLE, Value::Bool(true));
    result
}

fn mark(result: &mut CallToolResult, key: &str, value: Value) {
    result
        .meta
        .get_or_insert_with(MetaObject::new)
        .insert(key.to_owned(), value);
}
