//! The decision about a request: the one place that every stop passes.

use rmcp::{
    ErrorData,
    model::{CallToolResponse, GetPromptResponse, ReadResourceResponse},
};
use serde_json::Value;

use super::refusal::code_in;
use crate::server::pipeline::{McpResponse, RefusalRecord, RequestState};
use hooks_log::{LogDecision, LogEnd, LogStop};

/// The decision about a request.
pub(super) struct LoggedDecision {
    pub(super) decision: LogDecision,
    pub(super) ended: LogEnd,
    pub(super) stop: Option<LogStop>,
}

impl LoggedDecision {
    /// Returns what was decided about a request, from its state and its answer.
    pub(super) fn of(
        call: &RequestState,
        answer: &Result<McpResponse, ErrorData>,
    ) -> LoggedDecision {
        let failed = is_failure(answer);
        let record = (call.refused.clone()).filter(|_| failed || call.is_cancelled);
        let record = record.or_else(|| by_middleware(call, answer).filter(|_| failed));
        let ended = match &record {
            _ if call.is_cancelled => LogEnd::Cancelled,
            Some(_) => LogEnd::Refused,
            None if failed => LogEnd::Error,
            None if is_question(answer) => LogEnd::Question,
            None => LogEnd::Answered,
        };
        let decision = match &record {
            Some(record) if record.failed => LogDecision::Failed,
            Some(_) => LogDecision::Denied,
            None if ended == LogEnd::Question => LogDecision::Asked,
            None => LogDecision::Allowed,
        };
        LoggedDecision {
            decision,
            ended,
            stop: record.as_ref().map(stop_of),
        }
    }

    /// Returns what was decided about a late result that was withheld.
    pub(super) fn late(record: &RefusalRecord) -> LoggedDecision {
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
    let RefusalRecord {
        middleware,
        rule,
        code,
        failed,
    } = record;
    let stop = LogStop::new(*middleware, &**rule, &**code);
    match failed {
        true => stop.posture("deny"),
        false => stop,
    }
}

/// Returns the middleware that answered in place of the author's server, if its answer is a refusal.
fn by_middleware(
    call: &RequestState,
    answer: &Result<McpResponse, ErrorData>,
) -> Option<RefusalRecord> {
    let middleware = call.stopped.filter(|_| !call.reached)?.refuses_as()?;
    let code = code_in(answer);
    let mut record = RefusalRecord::new(middleware, "", code.unwrap_or("middleware_failed"));
    record.failed = code.is_none();
    Some(record)
}

fn is_failure(answer: &Result<McpResponse, ErrorData>) -> bool {
    match answer {
        Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => {
            result.is_error == Some(true)
        }
        Ok(_) => false,
        Err(_) => true,
    }
}

fn is_question(answer: &Result<McpResponse, ErrorData>) -> bool {
    matches!(
        answer,
        Ok(McpResponse::CallTool(CallToolResponse::InputRequired(_))
            | McpResponse::GetPrompt(GetPromptResponse::InputRequired(_))
            | McpResponse::ReadResource(ReadResourceResponse::InputRequired(_)))
    )
}

/// Returns an answer as JSON.
pub(super) fn content(answer: &Result<McpResponse, ErrorData>) -> Option<Value> {
    let value = match answer {
        Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => {
            serde_json::to_value(result)
        }
        Ok(McpResponse::CallTool(CallToolResponse::InputRequired(result))) => {
            serde_json::to_value(result)
        }
        Ok(McpResponse::GetPrompt(GetPromptResponse::Complete(result))) => {
            serde_json::to_value(result)
        }
        Ok(McpResponse::ReadResource(ReadResourceResponse::Complete(result))) => {
            serde_json::to_value(result)
        }
        Ok(McpResponse::Complete(result)) => serde_json::to_value(result),
        Ok(_) => return None,
        Err(error) => serde_json::to_value(error),
    };
    value.ok()
}
