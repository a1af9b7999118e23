//! The answer that a dry server gives in place of the author's.

use rmcp::{
    ErrorData,
    model::{
        CallToolResult, CompleteResult, CompletionInfo, ContentBlock, GetPromptResponse,
        GetPromptResult, ReadResourceResult, ResourceContents,
    },
};
use serde_json::{Value, json};

use crate::server::pipeline::{McpRequest, McpResponse};

/// The answer of the author's server.
#[derive(Debug, Default)]
pub enum DryAnswer {
    /// A success that says nothing. No hook behind the server sees it.
    #[default]
    Neutral,
    /// A failure. It moves no session.
    Failed,
    /// There is no such tool.
    Unknown,
    /// The result of a tool.
    Tool(Box<CallToolResult>),
    /// The result of a prompt.
    Prompt(Box<GetPromptResult>),
    /// The contents of a resource.
    Resource(Vec<ResourceContents>),
    /// The values for an argument.
    Completion(CompletionInfo),
}

impl DryAnswer {
    /// Reads the result of a tool.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with it.
    pub fn tool(result: Value) -> Result<DryAnswer, String> {
        let result = serde_json::from_value(result);
        Ok(DryAnswer::Tool(Box::new(result.map_err(|wrong| {
            format!("`result` is not the result of a tool: {wrong}")
        })?)))
    }

    /// Reads the result of a prompt.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with it.
    pub fn prompt(result: Value) -> Result<DryAnswer, String> {
        let result = serde_json::from_value(result);
        Ok(DryAnswer::Prompt(Box::new(result.map_err(|wrong| {
            format!("`result` is not the result of a prompt: {wrong}")
        })?)))
    }

    /// Reads the contents of a resource: a text, one content or a list of them.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with it.
    pub fn resource(uri: &str, content: Value) -> Result<DryAnswer, String> {
        let contents = match content {
            Value::String(text) => json!([{ "uri": uri, "text": text }]),
            Value::Array(contents) => Value::Array(contents),
            one => json!([one]),
        };
        let contents = serde_json::from_value(contents);
        Ok(DryAnswer::Resource(contents.map_err(|wrong| {
            format!("`content` is not the content of a resource: {wrong}")
        })?))
    }

    /// Reads the values for an argument: a list of texts, or an object with `values`.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with them.
    pub fn completion(result: Value) -> Result<DryAnswer, String> {
        let result = match result {
            Value::Array(values) => json!({ "values": values }),
            other => other,
        };
        let wrong = |wrong: String| format!("`result` is not the result of a completion: {wrong}");
        let completion: CompletionInfo =
            serde_json::from_value(result).map_err(|error| wrong(error.to_string()))?;
        completion.validate().map_err(wrong)?;
        Ok(DryAnswer::Completion(completion))
    }

    /// Returns whether the tool says itself that it failed.
    pub fn is_error(&self) -> bool {
        match self {
            DryAnswer::Tool(result) => result.is_error == Some(true),
            DryAnswer::Failed | DryAnswer::Unknown => true,
            DryAnswer::Neutral
            | DryAnswer::Prompt(_)
            | DryAnswer::Resource(_)
            | DryAnswer::Completion(_) => false,
        }
    }

    /// Returns the answer to a request, or `None` if the author's server answers itself.
    pub(super) fn to(&self, asked: &McpRequest) -> Option<Result<McpResponse, ErrorData>> {
        let refused = || {
            let message = "there is no such item on this server";
            Err(ErrorData::invalid_params(message, None))
        };
        Some(match (asked, self) {
            (
                McpRequest::CallTool(_) | McpRequest::GetPrompt(_) | McpRequest::Complete(_),
                DryAnswer::Unknown,
            ) => refused(),
            (McpRequest::CallTool(_), DryAnswer::Tool(result)) => {
                Ok(McpResponse::CallTool((**result).clone().into()))
            }
            (McpRequest::CallTool(_), DryAnswer::Failed) => {
                let text = ContentBlock::text("The call failed.");
                Ok(McpResponse::CallTool(
                    CallToolResult::error(vec![text]).into(),
                ))
            }
            (McpRequest::CallTool(_), _) => {
                let text = ContentBlock::text("The tool was not run.");
                Ok(McpResponse::CallTool(
                    CallToolResult::success(vec![text]).into(),
                ))
            }
            (McpRequest::GetPrompt(_), DryAnswer::Prompt(result)) => Ok(McpResponse::GetPrompt(
                GetPromptResponse::Complete((**result).clone()),
            )),
            (McpRequest::GetPrompt(_), _) => Ok(McpResponse::GetPrompt(
                GetPromptResponse::Complete(GetPromptResult::new(Vec::new())),
            )),
            (McpRequest::ReadResource(_), answer) => {
                let contents = match answer {
                    DryAnswer::Resource(contents) => contents.clone(),
                    _ => Vec::new(),
                };
                Ok(McpResponse::ReadResource(
                    ReadResourceResult::new(contents).into(),
                ))
            }
            (McpRequest::Complete(_), answer) => {
                let completion = match answer {
                    DryAnswer::Completion(completion) => completion.clone(),
                    _ => CompletionInfo::default(),
                };
                Ok(McpResponse::Complete(CompleteResult::new(completion)))
            }
            _ => return None,
        })
    }
}
