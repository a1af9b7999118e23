//! The answer that a dry server gives in place of the author's.

use rmcp::{
    ErrorData,
    model::{
        CallToolResult, CompleteResult, CompletionInfo, ContentBlock, GetPromptResult,
        ReadResourceResult, ResourceContents,
    },
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::server::pipeline::{McpAnswer, McpRequest, McpResponse};

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
    /// Reads the answer to a request of this method: the result of a tool or a prompt, the contents of a resource (a text, one
    /// content or a list of them), or the values for an argument (a list of texts, or an object with `values`).
    ///
    /// # Errors
    ///
    /// Returns what is wrong with it.
    pub fn read(method: &str, uri: &str, given: Value) -> Result<DryAnswer, String> {
        match method {
            "tools/call" => {
                read(given, "`result` is not the result of a tool").map(DryAnswer::Tool)
            }
            "prompts/get" => {
                read(given, "`result` is not the result of a prompt").map(DryAnswer::Prompt)
            }
            "resources/read" => {
                let contents = match given {
                    Value::String(text) => json!([{ "uri": uri, "text": text }]),
                    Value::Array(contents) => Value::Array(contents),
                    one => json!([one]),
                };
                let wrong = "`content` is not the content of a resource";
                read(contents, wrong).map(DryAnswer::Resource)
            }
            _ => {
                let result = match given {
                    Value::Array(values) => json!({ "values": values }),
                    other => other,
                };
                let what = "`result` is not the result of a completion";
                let completion: CompletionInfo = read(result, what)?;
                let valid = completion.validate();
                valid.map_err(|wrong| format!("{what}: {wrong}"))?;
                Ok(DryAnswer::Completion(completion))
            }
        }
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

    /// Returns the answer to a request for a tool, a prompt, a resource or a completion.
    pub(super) fn to(self, asked: &McpRequest) -> McpAnswer {
        use McpRequest::{CallTool, GetPrompt, ReadResource};
        Ok(match (asked, self) {
            (ReadResource(_), DryAnswer::Resource(contents)) => {
                McpResponse::ReadResource(ReadResourceResult::new(contents).into())
            }
            (ReadResource(_), _) => {
                McpResponse::ReadResource(ReadResourceResult::new(Vec::new()).into())
            }
            (_, DryAnswer::Unknown) => {
                let message = "there is no such item on this server";
                return Err(ErrorData::invalid_params(message, None));
            }
            (CallTool(_), DryAnswer::Tool(result)) => McpResponse::CallTool((*result).into()),
            (CallTool(_), _) => {
                let text = ContentBlock::text("The tool was not run.");
                McpResponse::CallTool(CallToolResult::success(vec![text]).into())
            }
            (GetPrompt(_), DryAnswer::Prompt(result)) => McpResponse::GetPrompt((*result).into()),
            (GetPrompt(_), _) => McpResponse::GetPrompt(GetPromptResult::new(Vec::new()).into()),
            (_, DryAnswer::Completion(completion)) => {
                McpResponse::Complete(CompleteResult::new(completion))
            }
            _ => McpResponse::Complete(CompleteResult::default()),
        })
    }
}

fn read<T: DeserializeOwned>(value: Value, otherwise: &str) -> Result<T, String> {
    serde_json::from_value(value).map_err(|wrong| format!("{otherwise}: {wrong}"))
}
