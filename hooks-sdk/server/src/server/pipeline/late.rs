//! The result of a task as the middleware that judge contents see it, and back.

use rmcp::{
    ErrorData,
    model::{
        CallToolResponse, CallToolResult, DetailedTask, GetTaskResult, InputRequests, JsonObject,
        MetaObject, TaskPayload, TaskStatus,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    McpAnswer, McpResponse,
    shown::{changed_error, failed, json, of_error, texts_of, withheld},
};

/// The answer to `tasks/get` as the result of a tool.
pub(super) struct Late {
    /// The result that the middleware see, and may change or replace.
    pub(super) shown: McpAnswer,
    was: CallToolResult,
}

/// The members of a task that is not at its end.
#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Going {
    #[serde(skip_serializing_if = "Option::is_none")]
    status_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_requests: Option<InputRequests>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<MetaObject>,
}

impl Late {
    /// Returns `None` if the answer has no contents.
    pub(super) fn of(answer: &McpAnswer) -> Option<Box<Late>> {
        let was = match answer {
            Err(error) => failed(&of_error(&error.message, error.data.as_ref())),
            Ok(McpResponse::GetTask(task)) => match &task.task.payload {
                TaskPayload::Completed { result } => of_result(result),
                TaskPayload::Failed { error } => of_failed(error),
                payload => {
                    let input_requests = match payload {
                        TaskPayload::InputRequired { input_requests } => Some(input_requests),
                        _ => None,
                    };
                    let text = json(&Going {
                        status_message: task.task.task.status_message.clone(),
                        input_requests: input_requests.cloned(),
                        meta: task.meta.clone(),
                    });
                    if text == "{}" {
                        return None;
                    }
                    failed(&[text])
                }
            },
            Ok(_) => return None,
        };
        Some(Box::new(Late {
            shown: Ok(McpResponse::CallTool(was.clone().into())),
            was,
        }))
    }

    /// Returns whether the answer is the end of a task. An error of `tasks/get` itself is not.
    pub(super) fn is_end(answer: &McpAnswer) -> bool {
        matches!(answer, Ok(McpResponse::GetTask(task)) if is_ended(task))
    }

    /// Writes into the answer what the middleware changed. `is_judged` is whether a middleware judges the result: then members
    /// that no result has are dropped from a task at its end.
    pub(super) fn write_back(self, is_judged: bool, answer: &mut McpAnswer) {
        let shown = match self.shown {
            Ok(McpResponse::CallTool(CallToolResponse::Complete(shown))) => shown,
            other => {
                *answer = Err(other.err().unwrap_or_else(withheld));
                return;
            }
        };
        let is_changed = shown != self.was;
        match answer {
            Err(error) if is_changed => {
                let texts = texts_of(&shown);
                *error = texts.map_or_else(withheld, |texts| changed_error(error, texts));
            }
            Ok(McpResponse::GetTask(task)) => {
                if let Err(error) = write(task, shown, is_changed, is_judged) {
                    *answer = Err(error);
                }
            }
            _ => {}
        }
    }
}

fn is_ended(task: &GetTaskResult) -> bool {
    matches!(
        task.task.status(),
        TaskStatus::Completed | TaskStatus::Failed
    )
}

fn write(
    task: &mut GetTaskResult,
    shown: CallToolResult,
    is_changed: bool,
    is_judged: bool,
) -> Result<(), ErrorData> {
    let text = || texts_of(&shown)?.into_iter().next();
    if is_ended(task) {
        if is_judged {
            task.task.task.status_message = None;
            task.meta = None;
        }
        if !is_changed {
            return Ok(());
        }
        let was_odd = matches!(&task.task.payload, TaskPayload::Completed { result } if plain(result).is_none());
        let odd = || serde_json::from_str::<JsonObject>(&text()?).ok();
        let result = match was_odd.then(odd).flatten() {
            Some(odd) => odd,
            None => serde_json::to_value(&shown)
                .and_then(serde_json::from_value)
                .map_err(|_| withheld())?,
        };
        let own = task.task.task.clone();
        task.task = DetailedTask::new(own, TaskPayload::Completed { result });
        return Ok(());
    }
    if !is_changed {
        return Ok(());
    }
    let going = text().and_then(|text| serde_json::from_str::<Going>(&text).ok());
    let is_read = going.is_some();
    let Going {
        status_message,
        input_requests,
        meta,
    } = going.unwrap_or_default();
    task.task.task.status_message = status_message;
    task.meta = meta;
    if let TaskPayload::InputRequired {
        input_requests: own,
    } = &mut task.task.payload
    {
        match input_requests {
            Some(changed) => *own = changed,
            None if is_read => return Err(withheld()),
            None => return Err(ErrorData::internal_error(text().unwrap_or_default(), None)),
        }
    }
    Ok(())
}

/// Returns the result of a task as the result of a tool. What is none is shown as text.
fn of_result(result: &JsonObject) -> CallToolResult {
    plain(result).unwrap_or_else(|| {
        let mut shown = failed(&[json(result)]);
        shown.is_error = None;
        shown
    })
}

/// Reads the result of a tool. Returns `None` if rmcp's type drops a member of it.
fn plain(result: &JsonObject) -> Option<CallToolResult> {
    let read: CallToolResult = serde_json::from_value(Value::Object(result.clone())).ok()?;
    let whole = serde_json::to_value(&read).ok()?;
    let is_kept = |(name, value): (&String, &Value)| whole.get(name) == Some(value);
    result.iter().all(is_kept).then_some(read)
}

fn of_failed(error: &JsonObject) -> CallToolResult {
    let message = error.get("message").and_then(Value::as_str);
    let mut texts = vec![message.unwrap_or_default().to_owned()];
    let is_plain = |name: &String| name == "code" || name == "message" && message.is_some();
    if !error.keys().all(is_plain) {
        texts.push(json(error));
    }
    failed(&texts)
}
