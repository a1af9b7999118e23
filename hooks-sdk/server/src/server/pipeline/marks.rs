//! Removes the SDK's own names from an answer of the author's server, which may relay the answer of another server.

use super::{McpResponse, shown::question};
use crate::server::transport::marks::{
    MARKS, remove as remove_from, remove_from_data, remove_from_payload, remove_marks,
};
use rmcp::{
    ErrorData,
    model::{
        CallToolResponse, CustomResult, GetPromptResponse, MetaObject, ReadResourceResponse,
        ServerCapabilities,
    },
};

/// Removes the SDK's own names from the `_meta` of an answer, from the capabilities of a handshake, from the result in a
/// task and from the data of an error. No hook has seen the answer yet, and no client.
pub(super) fn remove(answer: &mut Result<McpResponse, ErrorData>) {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            if let Some(data) = &mut error.data {
                remove_from_data(data);
            }
            return;
        }
    };
    let meta = match answer {
        McpResponse::CallTool(CallToolResponse::Complete(result)) => &mut result.meta,
        McpResponse::CallTool(CallToolResponse::Task(created)) => &mut created.meta,
        McpResponse::GetPrompt(GetPromptResponse::Complete(result)) => &mut result.meta,
        McpResponse::ReadResource(ReadResourceResponse::Complete(result)) => &mut result.meta,
        McpResponse::GetTask(result) => {
            remove_from_payload(&mut result.task.payload);
            &mut result.meta
        }
        McpResponse::Initialize(result) => {
            of_capabilities(&mut result.capabilities);
            &mut result.meta
        }
        McpResponse::Discover(result) => {
            of_capabilities(&mut result.capabilities);
            &mut result.meta
        }
        McpResponse::Custom(CustomResult(result)) => {
            remove_marks(result);
            return;
        }
        answer => match question(answer) {
            Some(question) => &mut question.meta,
            None => return,
        },
    };
    of_meta(meta);
}

fn of_meta(meta: &mut Option<MetaObject>) {
    if let Some(members) = meta
        && remove_from(&mut members.0)
        && members.0.is_empty()
    {
        *meta = None;
    }
}

fn of_capabilities(capabilities: &mut ServerCapabilities) {
    if let Some(experimental) = &mut capabilities.experimental {
        experimental.retain(|name, _| !name.starts_with(MARKS));
    }
}
