//! What the audit log and the page tell of a decision: one line of JSON.

use hooks_sdk::{
    aos::{AosDecision, DecisionOutcome, DecisionRecord},
    core::Timestamp,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::calls::Calls;

/// The most bytes of contents in a line. Of larger ones the line has the length only.
const MOST_CONTENTS: usize = 64 * 1024;

/// The longest id or name in a line, and the longest message, reasoning and reason code, in bytes. The rest is cut off.
const LONGEST_NAME: usize = 256;
const LONGEST_TEXT: usize = 4 * 1024;

/// The most reason codes in a line.
const MOST_CODES: usize = 16;

/// A decision, without its contents unless they are asked for.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record<'d> {
    at: Timestamp,
    method: &'d str,
    point: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_id: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step_id: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'d str>,
    /// The method of the message of MCP or A2A.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_method: Option<&'d str>,
    /// `allow`, `modify`, `deny`, or `error` where the asker got no decision.
    decision: &'static str,
    message: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<&'d str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reason_code: Vec<&'d str>,
    microseconds: u128,
    #[serde(skip_serializing_if = "Option::is_none")]
    contents: Option<Value>,
}

/// Makes the line of a decision.
pub(crate) fn line(decided: &DecisionRecord<'_>, calls: &Calls, with_contents: bool) -> String {
    let context = decided.asked.context();
    let request = decided.request();
    let tool = match &request["toolCallResult"]["executionId"] {
        Value::String(execution) => calls.tool(decided.asked, execution),
        _ => request["toolCallRequest"]["toolId"]
            .as_str()
            .map(str::to_owned),
    };
    let name = |text| cut(text, LONGEST_NAME);
    let text = |text| cut(text, LONGEST_TEXT);
    let message = decided.message();
    let record = Record {
        at: Timestamp::now(),
        method: decided.method().as_str(),
        point: decided.at.as_str(),
        agent: context.map(|context| name(&context.agent.name)),
        session: context.map(|context| name(&context.session.id)),
        turn_id: context.map(|context| name(&context.turn_id)),
        step_id: context.map(|context| name(&context.step_id)),
        user: context.and_then(|context| Some(name(&context.user.as_ref()?.id))),
        tool: tool.as_deref().map(name),
        message_method: message_method(&request).map(name),
        decision: match decided.decision() {
            Some(AosDecision::Allow) => "allow",
            Some(AosDecision::Modify) => "modify",
            Some(AosDecision::Deny) => "deny",
            _ => "error",
        },
        message: text(&message),
        reasoning: match decided.outcome {
            DecisionOutcome::Ruled(_, words) => words.reasoning.map(text),
            _ => None,
        },
        reason_code: {
            let codes = decided.reason_codes().iter().take(MOST_CODES);
            codes.map(|code| name(code)).collect()
        },
        microseconds: decided.duration.as_micros(),
        contents: with_contents.then(|| bounded(&request)),
    };
    serde_json::to_string(&record).unwrap_or_else(|error| {
        tracing::error!(%error, "a decision cannot be written as JSON");
        json!({"decision": "error", "message": "the guardian cannot tell what it decided"})
            .to_string()
    })
}

/// Returns the method of the message of MCP, in either form, or of A2A.
fn message_method(request: &Value) -> Option<&str> {
    let within = [&request["message"], &request["payload"], request];
    within
        .into_iter()
        .find_map(|message| message["method"].as_str())
}

/// Returns the beginning of a text: at most so many bytes, and whole characters.
fn cut(text: &str, longest: usize) -> &str {
    let mut end = text.len().min(longest);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn bounded(contents: &Value) -> Value {
    match contents.to_string().len() {
        length if length > MOST_CONTENTS => json!({"bytes": length, "omitted": true}),
        _ => contents.clone(),
    }
}
