//! The answer in place of what the guardian did not let pass.

use rmcp::{
    ErrorData,
    model::{CallToolResult, ErrorCode},
};
use serde_json::{Value, json};

use crate::server::{pipeline::RefusalRecord, violation::refused_call};
use hooks_aos::{Denied, StepOutcome};

/// Why a step does not go on.
#[derive(Debug)]
pub(super) struct StepRefusal {
    text: String,
    reason: String,
    codes: Vec<String>,
    /// Whether there was no decision that could be followed.
    failed: bool,
    /// Whether there was no decision, also because the guardian could not be asked.
    is_undecided: bool,
}

/// Returns what the guardian made of a step, if it changed it. `refusal` words a denial.
/// Returns the refusal if the guardian denied the step.
pub(super) fn changed<T>(
    outcome: StepOutcome<T>,
    refusal: fn(Denied) -> StepRefusal,
) -> Result<Option<T>, StepRefusal> {
    match outcome {
        StepOutcome::Allowed | StepOutcome::Bypassed(_) => Ok(None),
        StepOutcome::Modified(step) => Ok(Some(step)),
        StepOutcome::Denied(denied) => Err(refusal(denied)),
    }
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
            is_undecided: denied.failure.is_some() || denied.unaskable.is_some(),
        }
    }

    /// The guardian changed something so that it cannot be used.
    pub(super) fn unusable(what: &str, wrong: &str) -> StepRefusal {
        warn!(%wrong, "the guardian changed {what} to what cannot be used");
        let reason = format!(
            "the guardian of this server changed {what}, and the change cannot be used: {wrong}"
        );
        StepRefusal::failed(reason, "guardian_change_unusable")
    }

    /// The call of a late result is not known any more.
    pub(super) fn unknown_task() -> StepRefusal {
        let reason = "the server no longer knows the call of this task, so its guardian cannot be asked about the result; call the tool again";
        StepRefusal::failed(reason.to_owned(), "task_unknown")
    }

    fn failed(reason: String, code: &str) -> StepRefusal {
        StepRefusal {
            text: reason.clone(),
            reason,
            codes: vec![code.to_owned()],
            failed: true,
            is_undecided: true,
        }
    }

    fn code(&self) -> &str {
        self.codes.first().map_or("guardian_denied", String::as_str)
    }

    /// Returns what the decision log says of a request or an answer that the guardian did not let through.
    pub(super) fn record(&self, what: &'static str) -> RefusalRecord {
        RefusalRecord {
            failed: self.is_undecided,
            ..RefusalRecord::new("guardian", what, self.code())
        }
    }

    fn violation(&self) -> Value {
        json!({"code": self.code(), "reason": self.reason})
    }

    /// Returns the result of a tool.
    pub(super) fn result(&self) -> CallToolResult {
        let text = match self.codes.is_empty() {
            true => self.text.clone(),
            false => format!("{} [{}]", self.text, self.codes.join(", ")),
        };
        refused_call(text, self.violation())
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
