//! The answer in place of what the guardian did not let pass.

use rmcp::{
    ErrorData,
    model::{CallToolResponse, CallToolResult, ContentBlock, ErrorCode, MetaObject},
};
use serde_json::{Value, json};

use crate::server::pipeline::{McpResponse, RefusalRecord};
use hooks_aos::Denied;

/// The member of `_meta` with the reason of a refusal, for programs.
const VIOLATION: &str = "hooks-sdk/violation";

/// Why a step does not go on.
#[derive(Debug)]
pub(super) struct StepRefusal {
    text: String,
    reason: String,
    codes: Vec<String>,
    /// Whether there was no decision that could be followed.
    failed: bool,
}

impl StepRefusal {
    /// The guardian denied something that has not happened yet.
    pub(super) fn of_request(denied: Denied) -> StepRefusal {
        StepRefusal::new(denied.message.clone().into_owned(), denied)
    }

    /// The guardian denied an answer. The text says that the answer was blocked.
    pub(super) fn of_answer(denied: Denied) -> StepRefusal {
        StepRefusal::new(denied.blocked_text(), denied)
    }

    fn new(text: String, denied: Denied) -> StepRefusal {
        let mut codes = denied.reason_codes;
        codes.extend(denied.failure.map(|class| format!("guardian_{class}")));
        StepRefusal {
            text,
            reason: denied.message.into_owned(),
            codes,
            failed: denied.failure.is_some(),
        }
    }

    /// The guardian changed something so that it cannot be used.
    pub(super) fn unusable(what: &str, wrong: &str) -> StepRefusal {
        tracing::warn!(
            target: "hooks_sdk::server",
            %wrong, "the guardian changed {what} to what cannot be used"
        );
        let reason = format!(
            "the guardian of this server changed {what}, and the change cannot be used: {wrong}"
        );
        StepRefusal {
            text: reason.clone(),
            reason,
            codes: vec!["guardian_change_unusable".to_owned()],
            failed: true,
        }
    }

    /// The call of a late result is not known any more.
    pub(super) fn unknown_task() -> StepRefusal {
        let reason = "the server no longer knows the call of this task, so its guardian cannot be asked about the result; call the tool again";
        StepRefusal {
            text: reason.to_owned(),
            reason: reason.to_owned(),
            codes: vec!["task_unknown".to_owned()],
            failed: true,
        }
    }

    /// The client cancelled the request while the guardian was asked.
    pub(super) fn cancelled() -> ErrorData {
        ErrorData::internal_error("the client cancelled the request", None)
    }

    /// Returns what the decision log says of a call that the guardian did not let through.
    pub(super) fn record(&self) -> RefusalRecord {
        let code = self.codes.first().map_or("guardian_denied", String::as_str);
        RefusalRecord {
            failed: self.failed,
            ..RefusalRecord::new("guardian", "request", code)
        }
    }

    fn violation(&self) -> Value {
        json!({
            "code": self.codes.first().map_or("guardian_denied", String::as_str),
            "reason": self.reason,
        })
    }

    /// Returns the result of a tool.
    pub(super) fn result(&self) -> CallToolResult {
        let text = match self.codes.is_empty() {
            true => self.text.clone(),
            false => format!("{} [{}]", self.text, self.codes.join(", ")),
        };
        let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
        let mut meta = MetaObject::default();
        meta.insert(VIOLATION.to_owned(), self.violation());
        result.meta = Some(meta);
        result
    }

    /// Returns the error of a resource.
    pub(super) fn error(self) -> ErrorData {
        let code = match self.failed {
            true => ErrorCode::INTERNAL_ERROR,
            false => ErrorCode::INVALID_PARAMS,
        };
        let data = self.violation();
        ErrorData::new(code, self.text, Some(data))
    }
}

/// Returns the code of the refusal that an answer is.
pub(super) fn code_in(answer: &Result<McpResponse, ErrorData>) -> Option<String> {
    let violation = match answer {
        Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => {
            result.meta.as_ref()?.get(VIOLATION)?
        }
        Err(error) => error.data.as_ref()?,
        Ok(_) => return None,
    };
    Some(violation.get("code")?.as_str()?.to_owned())
}

/// Returns what the decision log says of an answer that the guardian withheld. `before` is the code that the answer had.
pub(super) fn withheld(
    before: Option<&str>,
    answer: &Result<McpResponse, ErrorData>,
) -> Option<RefusalRecord> {
    let code = code_in(answer).filter(|code| before != Some(code))?;
    // The codes of missing decisions begin like this.
    let failed =
        code != "guardian_denied" && code.starts_with("guardian_") || code == "task_unknown";
    Some(RefusalRecord {
        failed,
        ..RefusalRecord::new("guardian", "answer", code)
    })
}
