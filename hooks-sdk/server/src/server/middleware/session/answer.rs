//! The answers to the agent: why a call did not run, and what a call that ran did to its session.

use std::time::Duration;

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::Value;

use super::{SessionGate, identity::SESSION_META};
use hooks_core::{session::Refusal, store::StoreError};

/// Marks a refusal that may not occur again if the agent repeats the same call.
const RETRYABLE: &str = "hooks-sdk/retryable";

/// A handle that a call's result gives to the client.
pub(super) struct NewHandle {
    pub(super) text: String,
    /// Whether the client has a handle of this session already.
    pub(super) replaces: bool,
}

impl SessionGate {
    /// Returns the refusal of a tool that the state does not allow. The directive is the first block, word for word.
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

    /// Adds the handle of a session to the result: as the last text block, and in `_meta`.
    pub(super) fn show_handle(&self, new: NewHandle, result: &mut CallToolResult) {
        let (argument, handle) = (&self.argument, new.text);
        let told = if new.replaces {
            format!(
                "It replaces the one before: pass it as the argument `{argument}` with every further call."
            )
        } else {
            format!("Pass it as the argument `{argument}` with every further call.")
        };
        let block = ContentBlock::text(format!("session: {handle}\n{told}"));
        result.content.push(block);
        mark(result, SESSION_META, handle.into());
    }
}

/// Returns the answer to a call if an earlier call of the session did not end in time.
pub(super) fn too_long_behind(tool: &str, waited: Duration) -> CallToolResult {
    retryable(format!(
        "Tool \"{tool}\" was not run: an earlier call of this session did not end within {} s. Call it again later.",
        waited.as_secs_f32()
    ))
}

/// Returns the answer to a call if the store fails. The gate then cannot read the state of the session, or cannot keep
/// a session that the call would open.
pub(super) fn without_store(tool: &str, error: &StoreError) -> CallToolResult {
    error!(tool, %error, "a call was refused because the session store returned an error");
    retryable(match error {
        StoreError::Full(_) => format!(
            "Tool \"{tool}\" was not run: as many sessions are open as can be. Call it again later."
        ),
        _ => format!(
            "Tool \"{tool}\" was not run: the state of the session cannot be read at the moment. Call it again later."
        ),
    })
}

/// Returns the answer to a call that would open a session, if its client has too many.
pub(super) fn too_many_sessions(tool: &str, most: usize) -> CallToolResult {
    warn!(
        tool,
        most, "a call was refused because its client has too many open sessions"
    );
    retryable(format!(
        "Tool \"{tool}\" was not run: {most} sessions of this client are open, and more may not be. Go on in one of them, \
         or call it again later."
    ))
}

/// Adds to the result that the tool did its work but the session did not change its state.
pub(super) fn unrecorded(tool: &str, error: &StoreError, result: &mut CallToolResult) {
    error!(tool, %error, "a call succeeded, but the new state of its session could not be written");
    result.content.push(ContentBlock::text(format!(
        "The session is where it was before this call: its state could not be written. Call \"{tool}\" again later."
    )));
    mark(result, RETRYABLE, Value::Bool(true));
}

/// The code of a refusal because the session cannot be read now.
pub(super) const SESSION_UNAVAILABLE: &str = "session_unavailable";

/// Returns the word of a refusal for programs.
pub(super) fn code_of(refused: &CallToolResult) -> &'static str {
    let meta = refused.meta.as_ref();
    if meta.is_some_and(|meta| meta.contains_key(RETRYABLE)) {
        SESSION_UNAVAILABLE
    } else {
        "session_refused"
    }
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
