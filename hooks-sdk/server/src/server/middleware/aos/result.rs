//! The steps after a tool ran: what it retrieved, and its result, at once or late.

use rmcp::model::{CallToolResponse, CallToolResult};

use super::{
    copies::state_of,
    middleware::{Guarded, GuardedItem, GuardedRequest},
    refusal::{StepRefusal, changed},
    texts::{Texts, withhold},
};
use crate::server::pipeline::{McpAnswer, McpResponse, Pipeline, RefusalRecord, RequestState};
use hooks_aos::{CompletedToolCall, Posture, TextPart, ToolOutput, point};

impl Guarded {
    /// Asks about the late result of a call. The client may fetch it several times. Each time is another question, because
    /// the server may answer with something else.
    pub(super) async fn late(
        &self,
        call: &mut RequestState,
        answer: &mut McpAnswer,
        pipeline: &Pipeline,
    ) -> Option<RefusalRecord> {
        let Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) = answer else {
            return None;
        };
        if !self.judges() {
            return None;
        }
        match call.guardian.take() {
            Some(mut asked) if asked.of == GuardedItem::Call => {
                asked.call = asked.call.later();
                let refused = self.judge(&asked, call.tool(), result, pipeline).await;
                call.guardian = Some(asked);
                refused
            }
            fetching if self.client.posture() == Posture::Proceed => {
                warn!("a task's call is not known any more, so its result has new ids");
                self.judge(&*fetching?, "", result, pipeline).await
            }
            _ => {
                warn!("the result of a task is withheld: its call is not known any more");
                let refusal = StepRefusal::unknown_task();
                *result = refusal.result();
                Some(refusal.record("answer"))
            }
        }
    }

    /// Asks about the result of a tool, and replaces what must not leave. Returns why the result is withheld.
    pub(super) async fn judge(
        &self,
        asked: &GuardedRequest,
        tool: &str,
        result: &mut CallToolResult,
        pipeline: &Pipeline,
    ) -> Option<RefusalRecord> {
        if let Err(refusal) = self.judged(asked, tool, result, pipeline).await {
            *result = refusal.result();
            return Some(refusal.record("answer"));
        }
        if self.client.asks_tool_results() {
            withhold(result, &self.client);
        }
        None
    }

    async fn judged(
        &self,
        asked: &GuardedRequest,
        tool: &str,
        result: &mut CallToolResult,
        pipeline: &Pipeline,
    ) -> Result<(), StepRefusal> {
        let call = &asked.call;
        let schema = || pipeline.tool(tool).and_then(|tool| tool.output_schema);
        // A tool that failed has retrieved nothing.
        if result.is_error != Some(true) {
            for retrieval in &asked.retrieves {
                retrieval.ask(call, result, schema).await?;
            }
        }
        if !self.client.asks_tool_results() {
            return Ok(());
        }
        let texts = Texts::of(result);
        let state = state_of(result).map(|state| state.to_string());
        let outputs = texts.all.iter().chain(&state).map(TextPart::new).collect();
        let output = ToolOutput::new(outputs, result.is_error == Some(true));
        let completed = CompletedToolCall::new(&*call.ids().execution_id, output);
        let step = call.step().later();
        let outcome = step.ask(point::tool_call_result, completed).await;
        let Some(step) = changed(outcome, StepRefusal::of_answer)? else {
            return Ok(());
        };
        if step.result.is_error != (result.is_error == Some(true)) {
            result.is_error = Some(step.result.is_error);
        }
        let outputs = step.result.outputs.into_iter().map(|part| part.text);
        let mut outputs: Vec<String> = outputs.collect();
        if state.is_some() && outputs.pop() != state {
            let what = format!("the state of `{tool}`");
            let wrong = "a host brings a state back, so it is never changed";
            return Err(StepRefusal::unusable(&what, wrong));
        }
        let replaced = texts.replace(outputs, result, schema().as_deref());
        let what = || format!("the result of `{tool}`");
        replaced.map_err(|wrong| StepRefusal::unusable(&what(), &wrong))
    }
}
