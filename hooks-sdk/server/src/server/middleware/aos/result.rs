//! The steps after a tool ran: what it retrieved, and its result, at once or late.

use rmcp::{
    ErrorData,
    model::{CallToolResponse, CallToolResult, ContentBlock},
};
use serde_json::Value;

use super::{
    copies::state_of,
    middleware::{Guarded, GuardedRequest, Passed},
    refusal::StepRefusal,
    texts::{Texts, withhold},
};
use crate::server::pipeline::{McpResponse, Pipeline, RequestState};
use hooks_aos::{CompletedToolCall, Posture, StepOutcome, TextPart, ToolOutput, point};

impl Guarded {
    /// Asks about the answer of a tool, and replaces what must not leave. A question to the user and a task come here as
    /// results with their members as text.
    pub(super) async fn after(
        &self,
        passed: &Passed,
        answer: &mut Result<McpResponse, ErrorData>,
        pipeline: &Pipeline,
    ) {
        match answer {
            Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => {
                self.judge(passed, result, pipeline).await;
            }
            Ok(_) => {}
            Err(error) => {
                let was = of_error(&error.message, error.data.as_ref());
                let mut result = was.clone();
                self.judge(passed, &mut result, pipeline).await;
                if result != was {
                    *answer = Ok(McpResponse::CallTool(result.into()));
                }
            }
        }
    }

    /// Asks about the late result of a call. The client may fetch it several times. Each time is another question, because
    /// the server may answer with something else.
    pub(super) async fn late(
        &self,
        call: &mut RequestState,
        answer: &mut Result<McpResponse, ErrorData>,
        pipeline: &Pipeline,
    ) {
        let Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) = answer else {
            return;
        };
        if !self.client.asks_tool_results() && self.steps.is_empty() {
            return;
        }
        match std::mem::take(&mut call.guardian) {
            GuardedRequest::Passed(mut passed) => {
                passed.call = passed.call.later();
                self.judge(&passed, result, pipeline).await;
                call.guardian = GuardedRequest::Passed(passed);
            }
            other if self.client.posture() == Posture::Proceed => {
                tracing::warn!(
                    target: "hooks_sdk::server",
                    "a task's call is not known any more, so its result has new ids"
                );
                if let GuardedRequest::Fetching(fetching) = other {
                    let passed = Passed::unknown(*fetching);
                    self.judge(&passed, result, pipeline).await;
                }
            }
            _ => {
                tracing::warn!(
                    target: "hooks_sdk::server",
                    "the result of a task is withheld: its call is not known any more"
                );
                *result = StepRefusal::unknown_task().result();
            }
        }
    }

    async fn judge(&self, passed: &Passed, result: &mut CallToolResult, pipeline: &Pipeline) {
        match self.judged(passed, result, pipeline).await {
            Ok(()) if self.client.asks_tool_results() => withhold(result, &self.client),
            Ok(()) => {}
            Err(refusal) => *result = refusal.result(),
        }
    }

    async fn judged(
        &self,
        passed: &Passed,
        result: &mut CallToolResult,
        pipeline: &Pipeline,
    ) -> Result<(), StepRefusal> {
        let schema = || {
            pipeline
                .tool(&passed.tool)
                .and_then(|tool| tool.output_schema)
        };
        // A tool that failed has retrieved nothing.
        if result.is_error != Some(true) {
            for retrieval in &passed.retrieves {
                retrieval.ask(&passed.call, result, schema).await?;
            }
        }
        if !self.client.asks_tool_results() {
            return Ok(());
        }
        let texts = Texts::of(result);
        let state = state_of(result).map(|state| state.to_string());
        let outputs = texts.all.iter().chain(&state).map(TextPart::new).collect();
        let output = ToolOutput::new(outputs, result.is_error == Some(true));
        let execution = &*passed.call.ids().execution_id;
        let asked = CompletedToolCall::new(execution, output);
        let step = passed.call.step().later();
        match step.ask(point::tool_call_result, asked).await {
            StepOutcome::Allowed | StepOutcome::Bypassed(_) => Ok(()),
            StepOutcome::Denied(denied) => Err(StepRefusal::of_answer(denied)),
            StepOutcome::Modified(step) => {
                if step.result.is_error != (result.is_error == Some(true)) {
                    result.is_error = Some(step.result.is_error);
                }
                let outputs = step.result.outputs.into_iter().map(|part| part.text);
                let mut outputs: Vec<String> = outputs.collect();
                if state.is_some() && outputs.pop() != state {
                    let what = format!("the state of `{}`", passed.tool);
                    let wrong = "a host brings a state back, so it is never changed";
                    return Err(StepRefusal::unusable(&what, wrong));
                }
                let replaced = texts.replace(outputs, result, schema().as_deref());
                replaced.map_err(|wrong| {
                    StepRefusal::unusable(&format!("the result of `{}`", passed.tool), &wrong)
                })
            }
        }
    }
}

/// Returns an error of the protocol as the result of a tool that failed.
fn of_error(message: &str, data: Option<&Value>) -> CallToolResult {
    let data = data.map(|data| ContentBlock::text(data.to_string()));
    let texts = [ContentBlock::text(message)].into_iter().chain(data);
    CallToolResult::error(texts.collect())
}
