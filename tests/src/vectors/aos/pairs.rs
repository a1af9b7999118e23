//! Steps and their decisions: what is decoded comes back as it was, and our guardian answers as recorded.

use hooks_sdk::aos::{AosPayload, AosResponse, Method, Received};
use serde_json::{Value, json};

use super::{each, scripted};
use crate::vectors::{Mismatch, Outcome};

pub(super) fn run(file: &Value) -> Vec<Outcome> {
    each(file, |pair| {
        let (request, response) = (&pair["request"], &pair["response"]);
        let refuse = |why: &dyn ToString| Mismatch {
            expected: "a request that is read".to_owned(),
            got: why.to_string(),
        };
        match Received::read_value(request.clone()).map_err(|bad| refuse(&bad))? {
            Received::Step(step) => {
                let method = step.method;
                Mismatch::compare(&request["method"], &json!(method))?;
                Mismatch::compare(&json!(named(method)), &json!(name(&step.payload)))?;
                Mismatch::compare(request, &json!(step))?;
                let decided = step.read_answer(response.to_string().as_bytes(), false);
                let decided = decided.map_err(|why| refuse(&why))?;
                Mismatch::compare(&response["result"], &json!(decided))?;
                decides(decided, request, response)
            }
            Received::Ping { ping, .. } => {
                Mismatch::compare(&request["params"], &json!(ping))?;
                pinged(request, response)
            }
            _ => Err(refuse(&"something else")),
        }
    })
}

/// Our guardian, told what to decide, gives the recorded response.
fn decides(decided: AosResponse, request: &Value, response: &Value) -> Result<(), Mismatch> {
    let guardian = scripted::guardian(decided);
    let answer = scripted::answer(&guardian, request.to_string().as_bytes());
    Mismatch::compare(response, &answer)
}

/// Our guardian is connected, and says so in the same members.
fn pinged(request: &Value, response: &Value) -> Result<(), Mismatch> {
    let guardian = scripted::guardian(AosResponse::allow("allowed"));
    let mut answer = scripted::answer(&guardian, request.to_string().as_bytes());
    for own in ["version", "timestamp"] {
        if answer["result"][own].is_string() {
            answer["result"][own] = response["result"][own].clone();
        }
    }
    Mismatch::compare(response, &answer)
}

/// The type that a method has.
fn named(method: Method) -> &'static str {
    match method {
        Method::AgentTrigger => "AgentTrigger",
        Method::ToolCallRequest => "ToolCallRequest",
        Method::ToolCallResult => "CompletedToolCall",
        Method::Message => "MessageStep",
        Method::MemoryContextRetrieval | Method::MemoryStore => "Memory",
        Method::KnowledgeRetrieval => "KnowledgeStep",
        Method::Mcp => "McpMessage",
        _ => "A2aMessage",
    }
}

/// The type that a payload has.
fn name(payload: &AosPayload) -> &'static str {
    match payload {
        AosPayload::AgentTrigger(_) => "AgentTrigger",
        AosPayload::ToolCallRequest(_) => "ToolCallRequest",
        AosPayload::CompletedToolCall(_) => "CompletedToolCall",
        AosPayload::MessageStep(_) => "MessageStep",
        AosPayload::Memory(_) => "Memory",
        AosPayload::KnowledgeStep(_) => "KnowledgeStep",
        AosPayload::McpMessage(_) => "McpMessage",
        AosPayload::A2aMessage(_) => "A2aMessage",
        _ => "?",
    }
}
