//! The steps after a tool ran: what it retrieved, and its result, at once or late.

use rmcp::{
    ErrorData,
    model::{
        CallToolResponse, CallToolResult, ContentBlock, DetailedTask, GetTaskResult, JsonObject,
        TaskPayload,
    },
};
use serde_json::{Value, json};

use super::{
    refusal::Refusal,
    station::{Fetching, Guarded, Passed},
    texts::{Texts, withhold},
};
use crate::{
    aos::{CompletedToolCall, Posture, Ruled, TextPart, ToolOutput, point},
    server::way::{Answer, Call, Way},
};

impl Guarded {
    /// Asks about the answer of a tool, and replaces what must not leave.
    pub(super) async fn after(
        &self,
        passed: &Passed,
        answer: &mut Result<Answer, ErrorData>,
        way: &Way,
    ) {
        match answer {
            Ok(Answer::CallTool(CallToolResponse::Complete(result))) => {
                self.judge(passed, result, way).await;
            }
            Ok(Answer::CallTool(other)) => {
                let judged = match words(other) {
                    Ok(words) => self.judge_words(passed, words).await,
                    Err(refusal) => Err(refusal),
                };
                if let Err(refusal) = judged {
                    *answer = Ok(Answer::CallTool(refusal.result().into()));
                }
            }
            Ok(_) => {}
            Err(error) => {
                let was = of_error(&error.message, error.data.as_ref());
                let mut result = was.clone();
                self.judge(passed, &mut result, way).await;
                if result != was {
                    *answer = Ok(Answer::CallTool(result.into()));
                }
            }
        }
    }

    /// Asks about the late result of a call. The client may fetch it several times. Each time is another question, because
    /// the server may answer with something else.
    pub(super) async fn late(
        &self,
        call: &mut Call,
        answer: &mut Result<Answer, ErrorData>,
        way: &Way,
    ) {
        let Ok(Answer::GetTask(task)) = answer else {
            return;
        };
        if !self.client.asks_tool_results() && self.steps.is_empty() {
            return;
        }
        let was = match &task.task.payload {
            TaskPayload::Completed { result } => Some(of_task(result)),
            TaskPayload::Failed { error } => {
                let message = error.get("message").and_then(Value::as_str);
                Some(of_error(message.unwrap_or_default(), error.get("data")))
            }
            _ => None,
        };
        let beside = beside(task);
        if was.is_none() && beside.is_none() {
            return;
        }
        let mut late = Late {
            result: was.clone(),
            beside,
        };
        match call.kept.take::<Passed>() {
            Some(mut passed) => {
                passed.call = passed.call.later();
                self.judge_late(&passed, &mut late, way).await;
                call.kept.put(passed);
            }
            None if self.client.posture() == Posture::Proceed => {
                tracing::warn!("a task's call is not known any more, so its result has new ids");
                if let Some(Fetching(fetching)) = call.kept.take() {
                    let passed = Passed::unknown(fetching);
                    self.judge_late(&passed, &mut late, way).await;
                }
            }
            None => {
                tracing::warn!("the result of a task is withheld: its call is not known any more");
                late.result = Some(Refusal::unknown_task().result());
            }
        }
        if late.result != was {
            withhold_late(task, late.result);
        }
    }

    /// Asks about the state of a task, and then about its result.
    async fn judge_late(&self, passed: &Passed, late: &mut Late, way: &Way) {
        let beside = late.beside.take();
        if let Err(refusal) = self.judge_words(passed, beside).await {
            late.result = Some(refusal.result());
        } else if let Some(result) = &mut late.result {
            self.judge(passed, result, way).await;
        }
    }

    /// Asks about an answer that is no final result: a question to the user, or the state of a task. The guardian sees it
    /// as one text of JSON, because a tool may relay anything in it.
    async fn judge_words(&self, passed: &Passed, words: Option<Value>) -> Result<(), Refusal> {
        let Some(words) = words.filter(|_| self.client.asks_tool_results()) else {
            return Ok(());
        };
        let outputs = vec![TextPart::new(words.to_string())];
        let execution = &*passed.call.ids().execution_id;
        let asked = CompletedToolCall::new(execution, ToolOutput::new(outputs.clone(), false));
        let step = passed.call.step().later();
        match step.ask(point::tool_call_result, asked).await {
            Ruled::Allowed | Ruled::Bypassed(_) => Ok(()),
            Ruled::Denied(denied) => Err(Refusal::of_answer(denied)),
            Ruled::Modified(step) if step.result.outputs == outputs => Ok(()),
            Ruled::Modified(_) => {
                let what = format!("the answer of `{}`", passed.tool);
                Err(Refusal::unusable(
                    &what,
                    "it is a question or the state of a task, which can only be allowed or denied",
                ))
            }
        }
    }

    async fn judge(&self, passed: &Passed, result: &mut CallToolResult, way: &Way) {
        match self.judged(passed, result, way).await {
            Ok(()) if self.client.asks_tool_results() => withhold(result, &self.client),
            Ok(()) => {}
            Err(refusal) => *result = refusal.result(),
        }
    }

    async fn judged(
        &self,
        passed: &Passed,
        result: &mut CallToolResult,
        way: &Way,
    ) -> Result<(), Refusal> {
        let schema = || way.tool(&passed.tool).and_then(|tool| tool.output_schema);
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
        let outputs = texts.all.iter().map(TextPart::new).collect();
        let output = ToolOutput::new(outputs, result.is_error == Some(true));
        let execution = &*passed.call.ids().execution_id;
        let asked = CompletedToolCall::new(execution, output);
        let step = passed.call.step().later();
        match step.ask(point::tool_call_result, asked).await {
            Ruled::Allowed | Ruled::Bypassed(_) => Ok(()),
            Ruled::Denied(denied) => Err(Refusal::of_answer(denied)),
            Ruled::Modified(step) => {
                if step.result.is_error != (result.is_error == Some(true)) {
                    result.is_error = Some(step.result.is_error);
                }
                let outputs = step.result.outputs.into_iter().map(|part| part.text);
                let replaced = texts.replace(outputs.collect(), result, schema().as_deref());
                replaced.map_err(|wrong| {
                    Refusal::unusable(&format!("the result of `{}`", passed.tool), &wrong)
                })
            }
        }
    }
}

/// What an answer to `tasks/get` has for the guardian.
struct Late {
    result: Option<CallToolResult>,
    /// The members beside the result that can have words.
    beside: Option<Value>,
}

/// Returns what a question to the user or a new task says.
///
/// # Errors
///
/// Returns the refusal of an answer of a kind that this version does not know.
fn words(answer: &CallToolResponse) -> Result<Option<Value>, Refusal> {
    Ok(match answer {
        CallToolResponse::Task(created)
            if created.task.status_message.is_none() && created.meta.is_none() =>
        {
            None
        }
        CallToolResponse::Task(created) => {
            Some(json!({"statusMessage": created.task.status_message, "_meta": created.meta}))
        }
        CallToolResponse::InputRequired(question) => serde_json::to_value(question).ok(),
        CallToolResponse::Complete(_) => None,
        _ => return Err(Refusal::unseen()),
    })
}

/// Returns what a task says beside its result.
fn beside(task: &GetTaskResult) -> Option<Value> {
    let asks = match &task.task.payload {
        TaskPayload::InputRequired { input_requests } => Some(input_requests),
        _ => None,
    };
    let message = &task.task.task.status_message;
    (message.is_some() || task.meta.is_some() || asks.is_some())
        .then(|| json!({"statusMessage": message, "_meta": task.meta, "inputRequests": asks}))
}

/// Replaces the result of a task, and drops what can repeat what the guardian did not let pass. A task without a result goes
/// on.
fn withhold_late(task: &mut GetTaskResult, result: Option<CallToolResult>) {
    task.meta = None;
    task.task.task.status_message = None;
    if matches!(
        task.task.payload,
        TaskPayload::Working | TaskPayload::Cancelled
    ) {
        return;
    }
    if let Ok(Value::Object(result)) = serde_json::to_value(result) {
        let payload = TaskPayload::Completed { result };
        task.task = DetailedTask::new(task.task.task.clone(), payload);
    }
}

/// Returns an error of the protocol as the result of a tool that failed.
fn of_error(message: &str, data: Option<&Value>) -> CallToolResult {
    let data = data.map(|data| ContentBlock::text(data.to_string()));
    let texts = [ContentBlock::text(message)].into_iter().chain(data);
    CallToolResult::error(texts.collect())
}

/// Returns the result of a task. What is no result of a tool is structured content.
fn of_task(result: &JsonObject) -> CallToolResult {
    let value = Value::Object(result.clone());
    serde_json::from_value(value.clone()).unwrap_or_else(|_| CallToolResult::structured(value))
}
