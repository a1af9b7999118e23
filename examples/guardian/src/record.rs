//! What the audit log and the page tell of a decision: one line of JSON.

use hooks_sdk::{
    aos::{AosDecision, Decided, DecidedAs},
    core::Timestamp,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::calls::Calls;

/// The most bytes of contents in a line. Of larger ones the line has the length only.
const MOST_CONTENTS: usize = 64 * 1024;

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
    tool: Option<String>,
    /// The method of the message of MCP or A2A.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_method: Option<&'d str>,
    /// `allow`, `modify`, `deny`, or `error` where the asker got no decision.
    decision: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<&'d str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    reason_code: &'d [String],
    microseconds: u128,
    #[serde(skip_serializing_if = "Option::is_none")]
    contents: Option<Value>,
}

/// Makes the line of a decision.
pub(crate) fn line(decided: &Decided<'_>, calls: &Calls, with_contents: bool) -> String {
    let context = decided.asked().context();
    let request = decided.request();
    let tool = match &request["toolCallResult"]["executionId"] {
        Value::String(execution) => calls.tool(decided.asked(), execution),
        _ => request["toolCallRequest"]["toolId"]
            .as_str()
            .map(str::to_owned),
    };
    let record = Record {
        at: Timestamp::now(),
        method: decided.method().as_str(),
        point: decided.at().as_str(),
        agent: context.map(|context| &*context.agent.name),
        session: context.map(|context| &*context.session.id),
        turn_id: context.map(|context| &*context.turn_id),
        step_id: context.map(|context| &*context.step_id),
        user: context.and_then(|context| Some(&*context.user.as_ref()?.id)),
        tool,
        message_method: message_method(&request),
        decision: match decided.decision() {
            Some(AosDecision::Allow) => "allow",
            Some(AosDecision::Modify) => "modify",
            Some(AosDecision::Deny) => "deny",
            _ => "error",
        },
        message: decided.message(),
        reasoning: match decided.outcome() {
            DecidedAs::Ruled(_, words) => words.reasoning,
            _ => None,
        },
        reason_code: decided.reason_codes(),
        microseconds: decided.duration().as_micros(),
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

fn bounded(contents: &Value) -> Value {
    match contents.to_string().len() {
        length if length > MOST_CONTENTS => json!({"bytes": length, "omitted": true}),
        _ => contents.clone(),
    }
}
