//! The answer that a dry server gives in place of the author's.

use rmcp::{
    ErrorData,
    model::{
        CallToolResult, CompleteResult, CompletionInfo, ContentBlock, GetPromptResponse,
        GetPromptResult, ReadResourceResult, ResourceContents,
    },
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::server::pipeline::{McpRequest, McpResponse};

/// The answer of the author's server.
#[derive(Debug, Default)]
pub enum DryAnswer {
    /// A success that says nothing. No hook behind the server sees it.
    #[default]
    Neutral,
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
        read(result, "`result` is not the result of a tool").map(DryAnswer::Tool)
    }

    /// Reads the result of a prompt.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with it.
    pub fn prompt(result: Value) -> Result<DryAnswer, String> {
        read(result, "`result` is not the result of a prompt").map(DryAnswer::Prompt)
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
        read(contents, "`content` is not the content of a resource").map(DryAnswer::Resource)
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
        let what = "`result` is not the result of a completion";
        let completion: CompletionInfo = read(result, what)?;
        let valid = completion.validate();
        valid.map_err(|wrong| format!("{what}: {wrong}"))?;
        Ok(DryAnswer::Completion(completion))
    }

    /// Returns whether the tool says itself that it failed.
    pub fn is_error(&self) -> bool {
        match self {
            DryAnswer::Tool(result) => result.is_error == Some(true),
            other => matches!(other, DryAnswer::Unknown),
        }
    }

    /// Returns whether the hooks behind the server see the answer.
    pub(super) fn is_judged(&self) -> bool {
        !matches!(self, DryAnswer::Neutral | DryAnswer::Unknown)
    }

    /// Returns the answer to a request, or `None` if the author's server answers itself.
    pub(super) fn to(&self, asked: &McpRequest) -> Option<Result<McpResponse, ErrorData>> {
        let is_unknown = matches!(self, DryAnswer::Unknown);
        Some(Ok(match asked {
            McpRequest::CallTool(_) | McpRequest::GetPrompt(_) | McpRequest::Complete(_)
                if is_unknown =>
            {
                let message = "there is no such item on this server";
                return Some(Err(ErrorData::invalid_params(message, None)));
            }
            McpRequest::CallTool(_) => {
                let result = match self {
                    DryAnswer::Tool(result) => (**result).clone(),
                    _ => CallToolResult::success(vec![ContentBlock::text("The tool was not run.")]),
                };
                McpResponse::CallTool(result.into())
            }
            McpRequest::GetPrompt(_) => {
                let result = match self {
                    DryAnswer::Prompt(result) => (**result).clone(),
                    _ => GetPromptResult::new(Vec::new()),
                };
                McpResponse::GetPrompt(GetPromptResponse::Complete(result))
            }
            McpRequest::ReadResource(_) => {
                let contents = match self {
                    DryAnswer::Resource(contents) => contents.clone(),
                    _ => Vec::new(),
                };
                McpResponse::ReadResource(ReadResourceResult::new(contents).into())
            }
            McpRequest::Complete(_) => {
                let completion = match self {
                    DryAnswer::Completion(completion) => completion.clone(),
                    _ => CompletionInfo::default(),
                };
                McpResponse::Complete(CompleteResult::new(completion))
            }
            _ => return None,
        }))
    }
}

fn read<T: DeserializeOwned>(value: Value, otherwise: &str) -> Result<T, String> {
    serde_json::from_value(value).map_err(|wrong| format!("{otherwise}: {wrong}"))
}
