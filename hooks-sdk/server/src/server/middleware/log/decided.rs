//! The decision about a request: the one place that every stop passes.

use rmcp::model::{CallToolResponse, GetPromptResponse, ReadResourceResponse};
use serde::Serialize;
use serde_json::Value;

use crate::server::{
    pipeline::{McpAnswer, McpResponse, RefusalRecord, RequestState, is_question},
    violation::violation_in,
};
use hooks_log::{LogDecision, LogEnd, LogStop};

/// The decision about a request.
pub(super) struct LoggedDecision {
    pub(super) decision: LogDecision,
    pub(super) ended: LogEnd,
    pub(super) stop: Option<LogStop>,
}

impl LoggedDecision {
    /// Returns what was decided about a request, from its state and its answer.
    pub(super) fn of(call: &RequestState, answer: &McpAnswer) -> LoggedDecision {
        let failed = is_failure(answer);
        let record = (call.refused.clone()).filter(|_| failed || call.is_cancelled);
        let record = record.or_else(|| by_middleware(call, answer).filter(|_| failed));
        let mut decided = match &record {
            Some(record) => LoggedDecision::refused(record),
            None => LoggedDecision {
                decision: LogDecision::Allowed,
                ended: match failed {
                    true => LogEnd::Error,
                    false => LogEnd::Answered,
                },
                stop: None,
            },
        };
        if call.is_cancelled {
            decided.ended = LogEnd::Cancelled;
        } else if answer.as_ref().is_ok_and(is_question) {
            (decided.decision, decided.ended) = (LogDecision::Asked, LogEnd::Question);
        }
        decided
    }

    /// Returns what was decided about what was refused or withheld.
    pub(super) fn refused(record: &RefusalRecord) -> LoggedDecision {
        LoggedDecision {
            decision: match record.failed {
                true => LogDecision::Failed,
                false => LogDecision::Denied,
            },
            ended: LogEnd::Refused,
            stop: Some(stop_of(record)),
        }
    }
}

fn stop_of(record: &RefusalRecord) -> LogStop {
    let stop = LogStop::new(record.middleware, &*record.rule, &*record.code);
    match record.failed {
        true => stop.posture("deny"),
        false => stop,
    }
}

/// Returns the middleware that answered in place of the author's server, if its answer is a refusal.
fn by_middleware(call: &RequestState, answer: &McpAnswer) -> Option<RefusalRecord> {
    let middleware = call.stopped.filter(|_| !call.reached)?.refuses_as()?;
    let code = violation_in(answer).and_then(|violation| violation.get("code")?.as_str());
    let mut record = RefusalRecord::new(middleware, "", code.unwrap_or("middleware_failed"));
    record.failed = code.is_none();
    Some(record)
}

fn is_failure(answer: &McpAnswer) -> bool {
    match answer {
        Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => {
            result.is_error == Some(true)
        }
        Ok(_) => false,
        Err(_) => true,
    }
}

/// Returns an answer as JSON.
pub(super) fn content(answer: &McpAnswer) -> Option<Value> {
    fn json(value: &impl Serialize) -> Option<Value> {
        serde_json::to_value(value).ok()
    }
    match answer {
        Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => json(result),
        Ok(McpResponse::CallTool(CallToolResponse::InputRequired(result))) => json(result),
        Ok(McpResponse::GetPrompt(GetPromptResponse::Complete(result))) => json(result),
        Ok(McpResponse::ReadResource(ReadResourceResponse::Complete(result))) => json(result),
        Ok(McpResponse::Complete(result)) => json(result),
        Ok(_) => None,
        Err(error) => json(error),
    }
}
