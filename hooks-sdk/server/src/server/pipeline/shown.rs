//! The result that the middleware which judge contents see in place of an answer that is none: an error, a question, a task.

use rmcp::{
    ErrorData,
    model::{
        CallToolResponse, CallToolResult, CompleteResult, ContentBlock, GetPromptResponse,
        GetPromptResult, InputRequiredResult, PromptMessage, ReadResourceResponse,
        ReadResourceResult, ResourceContents, ResultType, Role,
    },
};
use serde::Serialize;
use serde_json::Value;

use super::{McpAnswer, McpResponse, mcp::completed};
use crate::server::methods::Points;

/// An answer that is no result, and the result that shows every member of it as text.
pub(super) struct ShownAs {
    points: Points,
    texts: Vec<String>,
    /// The result. Middleware may change or replace it.
    pub(super) result: McpAnswer,
}

impl ShownAs {
    /// Returns `None` if the answer is a plain result, which middleware see as it is.
    pub(super) fn of(points: Points, answer: &McpAnswer) -> Option<Box<ShownAs>> {
        let texts = match answer {
            Err(error) => of_error(&error.message, error.data.as_ref()),
            Ok(
                McpResponse::CallTool(CallToolResponse::InputRequired(question))
                | McpResponse::GetPrompt(GetPromptResponse::InputRequired(question))
                | McpResponse::ReadResource(ReadResourceResponse::InputRequired(question)),
            ) => vec![json(question)],
            // A task without words tells nothing yet.
            Ok(McpResponse::CallTool(CallToolResponse::Task(created)))
                if created.task.status_message.is_some() || created.meta.is_some() =>
            {
                vec![json(created)]
            }
            Ok(_) => return None,
        };
        let result = Ok(points.result(&texts));
        Some(Box::new(ShownAs {
            points,
            texts,
            result,
        }))
    }

    /// Writes into the answer what the middleware changed in the result. A question or a task that cannot be read back is
    /// replaced by the result, or withheld.
    pub(super) fn write_back(self, answer: &mut McpAnswer) {
        let result = match self.result {
            Ok(result) => result,
            Err(refused) => {
                *answer = Err(refused);
                return;
            }
        };
        let texts = self.points.texts(&result);
        if texts.as_ref() == Some(&self.texts) {
            return;
        }
        let is_question = is_question(&result);
        let changed = match (&mut *answer, self.points) {
            (Err(_), Points::Tool) => Ok(whole(result)),
            (Err(_), _) if is_question => Ok(result),
            (Err(error), _) => Err(match texts {
                Some(texts) => changed_error(error, texts),
                None => withheld(),
            }),
            (Ok(own), points) => match texts.and_then(|texts| read_back(own, texts.first()?)) {
                Some(()) => return,
                // A middleware refused the answer. Its own question is about a result, and nothing is one here.
                None if points == Points::Tool && !is_question => Ok(whole(result)),
                None => Err(withheld()),
            },
        };
        *answer = changed;
    }
}

impl Points {
    /// Returns a result with these texts.
    fn result(self, texts: &[String]) -> McpResponse {
        match self {
            Points::Tool => McpResponse::CallTool(failed(texts).into()),
            Points::Prompt => {
                let message = |text: &String| PromptMessage::new_text(Role::Assistant, text);
                let messages = texts.iter().map(message).collect();
                McpResponse::GetPrompt(GetPromptResult::new(messages).into())
            }
            Points::Resource => {
                let content = |text: &String| ResourceContents::text(text, "");
                let contents = texts.iter().map(content).collect();
                McpResponse::ReadResource(ReadResourceResult::new(contents).into())
            }
            Points::Completion => McpResponse::Complete(completed(texts.to_vec())),
        }
    }

    /// Returns the texts of a result, or `None` if it has other contents.
    fn texts(self, result: &McpResponse) -> Option<Vec<String>> {
        match (self, result) {
            (Points::Tool, McpResponse::CallTool(CallToolResponse::Complete(result))) => {
                texts_of(result)
            }
            (Points::Prompt, McpResponse::GetPrompt(GetPromptResponse::Complete(result))) => {
                let text = |message: &PromptMessage| Some(message.content.as_text()?.text.clone());
                result.messages.iter().map(text).collect()
            }
            (
                Points::Resource,
                McpResponse::ReadResource(ReadResourceResponse::Complete(result)),
            ) => {
                let text = |content: &ResourceContents| match content {
                    ResourceContents::TextResourceContents { text, .. } => Some(text.clone()),
                    _ => None,
                };
                result.contents.iter().map(text).collect()
            }
            (Points::Completion, McpResponse::Complete(CompleteResult { completion, .. })) => {
                Some(completion.values.clone())
            }
            _ => None,
        }
    }
}

/// Returns the texts of an error: its message, and its data as JSON.
pub(super) fn of_error(message: &str, data: Option<&Value>) -> Vec<String> {
    let mut texts = vec![message.to_owned()];
    texts.extend(data.map(Value::to_string));
    texts
}

/// Returns an error with the texts that middleware left of it. What cannot be read is dropped.
pub(super) fn changed_error(error: &ErrorData, texts: Vec<String>) -> ErrorData {
    let mut texts = texts.into_iter();
    let message = texts.next().unwrap_or_default();
    let data = error.data.as_ref().and(texts.next());
    let data = data.and_then(|data| serde_json::from_str(&data).ok());
    ErrorData::new(error.code, message, data)
}

/// Returns a result of a tool that failed, with these texts.
pub(super) fn failed(texts: &[String]) -> CallToolResult {
    let blocks = texts.iter().map(ContentBlock::text).collect();
    let mut result = CallToolResult::error(blocks);
    result.result_type = None;
    result
}

/// Returns the texts of a tool's result, or `None` if it has other contents.
pub(super) fn texts_of(result: &CallToolResult) -> Option<Vec<String>> {
    let text = |block: &ContentBlock| Some(block.as_text()?.text.clone());
    let texts: Option<Vec<String>> = result.content.iter().map(text).collect();
    texts.filter(|_| result.structured_content.is_none())
}

pub(super) fn json(value: &impl Serialize) -> String {
    // rmcp's types have no keys but strings, so this cannot fail.
    serde_json::to_string(value).unwrap_or_default()
}

/// Returns the error in place of an answer that a middleware changed so that it is no answer.
pub(super) fn withheld() -> ErrorData {
    let message = "a policy of the server changed the answer, and the change cannot be sent";
    warn!("an answer is withheld: {message}");
    ErrorData::internal_error(message, None)
}

/// Reads a question or a task from its changed text. Returns `None` if that fails. The client brings the state of a question
/// and the id of a task back, so they never change.
fn read_back(own: &mut McpResponse, text: &str) -> Option<()> {
    let is_same = match own {
        McpResponse::CallTool(CallToolResponse::Task(own)) => {
            let old = std::mem::replace(own, serde_json::from_str(text).ok()?);
            own.task.task_id == old.task.task_id
        }
        own => {
            let own = question(own)?;
            let old = std::mem::replace(own, serde_json::from_str(text).ok()?);
            own.request_state == old.request_state
        }
    };
    is_same.then_some(())
}

/// Returns the question to the user in an answer.
pub(crate) fn question(answer: &mut McpResponse) -> Option<&mut InputRequiredResult> {
    match answer {
        McpResponse::CallTool(CallToolResponse::InputRequired(question))
        | McpResponse::GetPrompt(GetPromptResponse::InputRequired(question))
        | McpResponse::ReadResource(ReadResourceResponse::InputRequired(question)) => {
            Some(question)
        }
        _ => None,
    }
}

pub(crate) fn is_question(answer: &McpResponse) -> bool {
    matches!(
        answer,
        McpResponse::CallTool(CallToolResponse::InputRequired(_))
            | McpResponse::GetPrompt(GetPromptResponse::InputRequired(_))
            | McpResponse::ReadResource(ReadResourceResponse::InputRequired(_))
    )
}

fn whole(mut result: McpResponse) -> McpResponse {
    if let McpResponse::CallTool(CallToolResponse::Complete(result)) = &mut result {
        result.result_type.get_or_insert(ResultType::COMPLETE);
    }
    result
}
