//! The steps before a tool runs: its call, and what it is about to store.

use rmcp::model::{CallToolRequestParams, JsonObject};
use serde_json::Value;

use super::{
    leaves::Leaves,
    middleware::Guarded,
    refusal::{StepRefusal, changed},
    retrieval::Retrieval,
};
use crate::server::{McpContext, pipeline::Pipeline, request::brought_state};
use hooks_aos::{GuardedCall, ToolCallRequest, ToolInput, ToolStep, ToolStepKind, point};
use hooks_core::internal::json_schema;

impl Guarded {
    /// Asks about a call, and then about the memory that the tool is about to store. Returns what the tool retrieves.
    /// Returns the refusal if the tool must not run.
    pub(super) async fn before(
        &self,
        call: &GuardedCall,
        params: &mut CallToolRequestParams,
        cx: &McpContext,
        pipeline: &Pipeline,
    ) -> Result<Vec<Retrieval>, StepRefusal> {
        if self.client.asks_tool_requests() {
            call_tool(call, params, cx, pipeline).await?;
        }
        let steps = self.steps.get(&*params.name);
        let (stores, retrieves): (Vec<_>, Vec<_>) = (steps.into_iter().flatten())
            .partition(|step| step.kind() == ToolStepKind::MemoryStore);
        for step in stores {
            store(call, step, params, cx, pipeline).await?;
        }
        let arguments = params.arguments.as_ref();
        let retrieves = retrieves.into_iter();
        Ok(retrieves
            .map(|step| Retrieval::of(step, arguments))
            .collect())
    }
}

/// Asks about a call, and writes a change into the arguments.
async fn call_tool(
    call: &GuardedCall,
    params: &mut CallToolRequestParams,
    cx: &McpContext,
    pipeline: &Pipeline,
) -> Result<(), StepRefusal> {
    let execution = &*call.ids().execution_id;
    let mut given = params.arguments.clone().unwrap_or_default();
    let responses = params.input_responses.as_ref().map(|responses| {
        let name = free_name("inputResponses", &given);
        given.insert(name.clone(), responses.clone().into_iter().collect());
        name
    });
    let state = brought_state(&cx.extensions).map(|state| {
        let name = free_name("state", &given);
        given.insert(name.clone(), state.clone());
        (name, state)
    });
    let inputs = given
        .into_iter()
        .map(|(name, value)| ToolInput::new(name, value));
    let asked = ToolCallRequest::new(execution, &*params.name, inputs.collect());
    let outcome = call.step().ask(point::tool_call_request, asked).await;
    let Some(step) = changed(outcome, StepRefusal::of_request)? else {
        return Ok(());
    };
    let inputs = step.inputs.into_iter();
    let mut arguments: JsonObject = inputs.map(|input| (input.name, input.value)).collect();
    if let Some((name, state)) = state
        && arguments.remove(&name).as_ref() != Some(state)
    {
        let wrong = "a state is never changed";
        return Err(StepRefusal::unusable(&format!("`{name}`"), wrong));
    }
    if let Some(name) = responses {
        params.input_responses = match arguments.remove(&name) {
            Some(Value::Object(responses)) => Some(responses.into_iter().collect()),
            None => None,
            Some(_) => {
                let wrong = "they have to be an object";
                return Err(StepRefusal::unusable(&format!("`{name}`"), wrong));
            }
        };
    }
    replace(arguments, params, cx, pipeline).await
}

/// Returns the name of an input that is no argument. No argument has it.
fn free_name(name: &str, arguments: &JsonObject) -> String {
    let mut name = name.to_owned();
    while arguments.contains_key(&name) {
        name.insert(0, '_');
    }
    name
}

/// Asks about the memory that a tool is about to store, and writes a change into the arguments.
async fn store(
    call: &GuardedCall,
    step: &ToolStep,
    params: &mut CallToolRequestParams,
    cx: &McpContext,
    pipeline: &Pipeline,
) -> Result<(), StepRefusal> {
    let path = step.its_content().map_or(&[][..], |path| &path.steps);
    let arguments = Value::Object(params.arguments.clone().unwrap_or_default());
    let leaves = Leaves::read(&arguments, path);
    let outcome = call.memory_store(leaves.texts.clone()).await;
    let Some(memory) = changed(outcome, StepRefusal::of_request)? else {
        return Ok(());
    };
    let arguments = with_memory(arguments, &leaves, memory.memory)?;
    replace(arguments, params, cx, pipeline).await
}

/// Returns the arguments with the changed memory.
/// Returns the refusal if the texts do not fit into the arguments, or if the arguments would be no object.
fn with_memory(
    mut arguments: Value,
    leaves: &Leaves,
    memory: Vec<String>,
) -> Result<JsonObject, StepRefusal> {
    let unusable = |wrong: &str| StepRefusal::unusable("the memory to store", wrong);
    let written = leaves.write(&mut arguments, memory);
    written.map_err(|wrong| unusable(&wrong))?;
    match arguments {
        Value::Object(arguments) => Ok(arguments),
        _ => Err(unusable("the arguments would be no object")),
    }
}

/// Replaces the arguments, if the tool's schema allows them.
async fn replace(
    arguments: JsonObject,
    params: &mut CallToolRequestParams,
    cx: &McpContext,
    pipeline: &Pipeline,
) -> Result<(), StepRefusal> {
    if let Ok(Some(tool)) = pipeline.find_tool(&params.name, cx).await {
        let schema = Value::Object((*tool.input_schema).clone());
        let given = Value::Object(arguments.clone());
        json_schema::validate(&schema, &given).map_err(|wrong| {
            let what = format!("the arguments of `{}`", params.name);
            StepRefusal::unusable(&what, &wrong)
        })?;
    }
    params.arguments = (params.arguments.is_some() || !arguments.is_empty()).then_some(arguments);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_that_leaves_no_object_is_refused() {
        // No declared path leads to all arguments. This is the second line of defence.
        let arguments = json!({"text": "a"});
        let leaves = Leaves::read(&arguments, &[]);
        let changed = |memory: &str| {
            let memory = vec![memory.to_owned()];
            with_memory(arguments.clone(), &leaves, memory)
        };
        let object = changed(r#"{"text": "b"}"#).expect("an object");
        assert_eq!(Value::Object(object), json!({"text": "b"}));
        for memory in ["[]", "null", "5", "b", ""] {
            let refusal = changed(memory).expect_err(memory);
            assert_eq!(
                json!(refusal.result())["_meta"]["hooks-sdk/violation"],
                json!({
                    "code": "guardian_change_unusable",
                    "reason": "the guardian of this server changed the memory to store, and the change cannot be \
                               used: the arguments would be no object",
                }),
                "{memory}"
            );
        }
    }
}
