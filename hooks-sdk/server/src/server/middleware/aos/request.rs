//! The steps before a tool runs: its call, and what it is about to store.

use rmcp::{
    RoleServer,
    model::{CallToolRequestParams, JsonObject},
    service::RequestContext,
};
use serde_json::Value;

use super::{
    leaves::Leaves,
    middleware::{Guarded, Passed},
    refusal::StepRefusal,
};
use crate::server::{pipeline::Pipeline, request::brought_state};
use hooks_aos::{
    GuardedCall, StepOutcome, ToolCallRequest, ToolInput, ToolStep, ToolStepKind, point,
};
use hooks_core::internal::{Path, Step, json_schema};

/// What a tool retrieves, and what it was asked for.
pub(super) struct Retrieval {
    pub(super) kind: ToolStepKind,
    /// The path to the content below `structuredContent`, or `None` for each text.
    pub(super) content: Option<Vec<Step>>,
    pub(super) query: Option<String>,
    pub(super) keywords: Option<Vec<String>>,
}

impl Guarded {
    /// Asks about a call, and then about the memory that the tool is about to store.
    ///
    /// # Errors
    ///
    /// Returns the refusal if the tool must not run.
    pub(super) async fn before(
        &self,
        call: &GuardedCall,
        params: &mut CallToolRequestParams,
        cx: &RequestContext<RoleServer>,
        pipeline: &Pipeline,
    ) -> Result<Passed, StepRefusal> {
        if self.client.asks_tool_requests() {
            call_tool(call, params, cx, pipeline).await?;
        }
        let steps = self.steps.get(&*params.name);
        let steps = steps.map_or(&[][..], Vec::as_slice);
        for step in steps {
            if step.kind() == ToolStepKind::MemoryStore {
                store(call, step, params, cx, pipeline).await?;
            }
        }
        let retrieves = steps
            .iter()
            .filter(|step| step.kind() != ToolStepKind::MemoryStore);
        let arguments = params.arguments.as_ref();
        Ok(Passed {
            call: call.clone(),
            tool: (*params.name).into(),
            retrieves: retrieves
                .map(|step| Retrieval::of(step, arguments))
                .collect(),
        })
    }
}

/// Asks about a call, and writes a change into the arguments.
async fn call_tool(
    call: &GuardedCall,
    params: &mut CallToolRequestParams,
    cx: &RequestContext<RoleServer>,
    pipeline: &Pipeline,
) -> Result<(), StepRefusal> {
    let execution = &*call.ids().execution_id;
    let arguments = params.arguments.iter().flatten();
    let arguments = arguments.map(|(name, value)| (name.clone(), value.clone()));
    let mut given: JsonObject = arguments.collect();
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
    match call.step().ask(point::tool_call_request, asked).await {
        StepOutcome::Allowed | StepOutcome::Bypassed(_) => Ok(()),
        StepOutcome::Denied(denied) => Err(StepRefusal::of_request(denied)),
        StepOutcome::Modified(step) => {
            let mut arguments = JsonObject::new();
            for input in step.inputs {
                arguments.insert(input.name, input.value);
            }
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
    }
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
    cx: &RequestContext<RoleServer>,
    pipeline: &Pipeline,
) -> Result<(), StepRefusal> {
    let path = step.its_content().map_or(&[][..], |path| &path.steps);
    let arguments = Value::Object(params.arguments.clone().unwrap_or_default());
    let leaves = Leaves::read(&arguments, path);
    match call.memory_store(leaves.texts().to_vec()).await {
        StepOutcome::Allowed | StepOutcome::Bypassed(_) => Ok(()),
        StepOutcome::Denied(denied) => Err(StepRefusal::of_request(denied)),
        StepOutcome::Modified(memory) => {
            let arguments = with_memory(arguments, &leaves, memory.memory)?;
            replace(arguments, params, cx, pipeline).await
        }
    }
}

/// Returns the arguments with the changed memory.
///
/// # Errors
///
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
    cx: &RequestContext<RoleServer>,
    pipeline: &Pipeline,
) -> Result<(), StepRefusal> {
    let arguments = match pipeline.find_tool(&params.name, cx).await {
        Err(_) | Ok(None) => arguments,
        Ok(Some(tool)) => {
            let arguments = Value::Object(arguments);
            let schema = Value::Object((*tool.input_schema).clone());
            json_schema::validate(&schema, &arguments).map_err(|wrong| {
                let what = format!("the arguments of `{}`", params.name);
                StepRefusal::unusable(&what, &wrong)
            })?;
            match arguments {
                Value::Object(arguments) => arguments,
                _ => JsonObject::new(),
            }
        }
    };
    params.arguments = (params.arguments.is_some() || !arguments.is_empty()).then_some(arguments);
    Ok(())
}

impl Retrieval {
    fn of(step: &ToolStep, arguments: Option<&JsonObject>) -> Retrieval {
        let arguments = arguments.map(|arguments| Value::Object(arguments.clone()));
        let arguments = arguments.unwrap_or_default();
        let at = |path: &Path| Leaves::read(&arguments, &path.steps);
        let query = step.its_query().map(at);
        let keywords = step.its_keywords().map(|path| {
            // A list stands for its items.
            let items: Vec<Step> = path.steps.iter().cloned().chain([Step::Every]).collect();
            let items = Leaves::read(&arguments, &items);
            let words = if items.is_list() { items } else { at(path) };
            words.texts().to_vec()
        });
        Retrieval {
            kind: step.kind(),
            // The first step is `structuredContent`: start-up accepts no other.
            content: step
                .its_content()
                .map(|path| path.steps.iter().skip(1).cloned().collect()),
            query: query.and_then(|query| query.texts().first().cloned()),
            keywords,
        }
    }
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
