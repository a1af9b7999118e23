//! Results of each kind, with the secret where a plan wants it.

use std::borrow::Cow;

use hooks_sdk::rmcp::{
    ErrorData,
    model::{
        CallToolResponse, CallToolResult, DetailedTask, ErrorCode, GetPromptResponse,
        GetPromptResult, InputRequiredResult, ReadResourceResponse, ReadResourceResult,
    },
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{author::Plan, output::Output, secret::Form};

/// A type of rmcp's, from its JSON.
pub(crate) fn read<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    Ok(serde_json::from_value(value.clone()).unwrap_or_else(|wrong| panic!("{wrong}: {value}")))
}

/// A result of a tool with one text.
pub(crate) fn said(text: &str) -> Result<CallToolResponse, ErrorData> {
    let result = json!({"content": [{"type": "text", "text": text}]});
    read::<CallToolResult>(result).map(Into::into)
}

/// The sentence by which the answer to a request is known.
fn own(number: usize) -> Value {
    json!({"type": "text", "text": format!("n={number};")})
}

/// An error with the secret in its message or in its data.
pub(crate) fn error(number: usize, Plan { output, form, .. }: Plan) -> ErrorData {
    let in_message = !matches!(
        output,
        Output::ErrorData | Output::PromptErrorData | Output::ResourceErrorData
    );
    let said = if in_message {
        form.text()
    } else {
        "failed".to_owned()
    };
    let data = (!in_message).then(|| form.value());
    let message = Cow::Owned(format!("n={number}; {said}"));
    // A message that is JSON as a whole is another case than one with words before it.
    let message = if number.is_multiple_of(2) && in_message {
        Cow::Owned(said)
    } else {
        message
    };
    ErrorData::new(ErrorCode::INTERNAL_ERROR, message, data)
}

/// A question of the author, with the secret where the output wants it.
fn question(output: Output, form: Form) -> InputRequiredResult {
    let mut question = json!({"resultType": "input_required", "requestState": "of the author"});
    let said = form.text();
    let ask = |message: &str| {
        let schema = json!({"type": "object", "properties": {}});
        json!({"method": "elicitation/create", "params": {
            "mode": "form", "message": message, "requestedSchema": schema,
        }})
    };
    match output {
        Output::AskMeta => question["_meta"] = json!({"note": form.value()}),
        Output::AskState => question["requestState"] = said.into(),
        Output::AskSampling => {
            let messages = json!([{"role": "user", "content": {"type": "text", "text": said}}]);
            question["inputRequests"]["a"] = json!({
                "method": "sampling/createMessage",
                "params": {"messages": messages, "maxTokens": 9},
            });
        }
        _ => question["inputRequests"]["a"] = ask(&said),
    }
    if question["inputRequests"].is_null() {
        question["inputRequests"]["a"] = ask("Sure?");
    }
    read(question).expect("a question")
}

/// The answer of a tool.
pub(crate) fn tool(number: usize, plan: Plan) -> Result<CallToolResponse, ErrorData> {
    let Plan { output, form, .. } = plan;
    let (said, value) = (form.text(), form.value());
    let text = |said: &str| json!({"type": "text", "text": said});
    let harmless = json!({"content": [own(number)]});
    let with = |name: &str, value: Value| {
        let mut result = harmless.clone();
        result["_meta"] = json!({ name: value });
        result
    };
    let image = json!({"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"});
    let result = match output {
        Output::ErrorMessage | Output::ErrorData => return Err(error(number, plan)),
        Output::AskMeta | Output::AskState | Output::AskMessage | Output::AskSampling => {
            return Ok(question(output, form).into());
        }
        Output::ToolText => json!({"content": [own(number), text(&said)]}),
        Output::ToolFailed => json!({"content": [text(&said), own(number)], "isError": true}),
        Output::ToolStructured => json!({"content": [own(number)], "structuredContent": value}),
        Output::ToolRepeated => {
            json!({"content": [text(&value.to_string())], "structuredContent": value})
        }
        Output::BlockMeta => {
            let mut block = own(number);
            block["_meta"] = json!({"note": value});
            json!({"content": [block]})
        }
        Output::ResultMeta => with("note", value),
        Output::TextAndMeta => {
            let mut block = own(number);
            block["_meta"] = json!({"note": value});
            json!({"content": [block, text(&said)], "_meta": {"note": value}})
        }
        Output::LikeMedia => {
            let data = match form {
                Form::Harmless => "aGVsbG8=",
                _ => crate::secret::NAMED,
            };
            let media =
                json!({"uri": "plan://0", "mimeType": "image/png", "data": data, "blob": data});
            json!({"content": [own(number)], "structuredContent": {"apiKey": media}})
        }
        Output::Link => json!({"content": [
            {"type": "resource_link", "uri": "plan://0", "name": "a", "description": said},
        ]}),
        Output::Embedded => json!({"content": [
            {"type": "resource", "resource": {"uri": "plan://0", "text": said}},
        ]}),
        Output::Lift => {
            let members = json!({"content": [text(&said)], "structuredContent": value});
            with("hooks-sdk/lift", members)
        }
        Output::Handle => with("hooks-sdk/session", json!(crate::secret::HANDLE)),
        // The tool of an even number retrieves its texts, and that of an odd one a member of its structure.
        Output::Memory if number.is_multiple_of(2) => json!({
            "content": [text(&value.to_string()), own(number), image],
            "structuredContent": value,
        }),
        Output::Memory => {
            let structure = json!({"note": said});
            json!({
                "content": [text(&structure.to_string()), own(number), image],
                "structuredContent": structure,
            })
        }
        _ => harmless,
    };
    read::<CallToolResult>(result).map(Into::into)
}

/// The answer of a tool that goes on as a task.
pub(crate) fn created(number: usize, Plan { output, form, .. }: Plan) -> Value {
    let mut created = json!({
        "resultType": "task",
        "taskId": number.to_string(),
        "status": "working",
        "createdAt": "2026-07-28T00:00:00Z",
        "lastUpdatedAt": "2026-07-28T00:00:00Z",
        "ttlMs": null,
    });
    match output {
        Output::CreatedStatus => created["statusMessage"] = form.text().into(),
        Output::CreatedMeta => created["_meta"] = json!({"note": form.value()}),
        _ => {}
    }
    created
}

/// A task as it is fetched, or told.
pub(crate) fn task(number: usize, plan: Plan) -> DetailedTask {
    let Plan { output, form, .. } = plan;
    let mut task = created(
        number,
        Plan {
            output: Output::ToolText,
            ..plan
        },
    );
    let members = task.as_object_mut().expect("an object");
    members.remove("resultType");
    let (status, name, value) = match output {
        Output::TaskOdd | Output::NotedOdd => ("completed", "result", json!({"odd": form.value()})),
        Output::TaskFailedMessage | Output::NotedFailed => (
            "failed",
            "error",
            json!({"code": -32603, "message": form.text()}),
        ),
        Output::TaskFailedData => {
            let error = json!({"code": -32603, "message": "failed", "data": form.value()});
            ("failed", "error", error)
        }
        Output::TaskQuestion => {
            let asked = json!(question(Output::AskMessage, form));
            (
                "input_required",
                "inputRequests",
                asked["inputRequests"].clone(),
            )
        }
        Output::TaskStatus | Output::NotedStatus => {
            ("working", "statusMessage", form.text().into())
        }
        _ => {
            let text = json!({"type": "text", "text": form.text()});
            (
                "completed",
                "result",
                json!({"content": [own(number), text]}),
            )
        }
    };
    task["status"] = status.into();
    task[name] = value;
    read(task).expect("a task")
}

/// The answer of a prompt.
pub(crate) fn prompt(number: usize, plan: Plan) -> Result<GetPromptResponse, ErrorData> {
    let message = |said: &str| json!({"role": "user", "content": {"type": "text", "text": format!("n={number}; {said}")}});
    let said = plan.form.text();
    let result = match plan.output {
        Output::PromptErrorMessage | Output::PromptErrorData => return Err(error(number, plan)),
        Output::PromptAsk => return Ok(question(Output::AskMessage, plan.form).into()),
        Output::PromptDescription => json!({"messages": [message("")], "description": said}),
        Output::PromptMeta => {
            json!({"messages": [message("")], "_meta": {"note": plan.form.value()}})
        }
        _ => {
            let own = json!({"role": "user", "content": {"type": "text", "text": said}});
            json!({"messages": [message(""), own]})
        }
    };
    read::<GetPromptResult>(result).map(Into::into)
}

/// The answer of a resource.
pub(crate) fn resource(number: usize, plan: Plan) -> Result<ReadResourceResponse, ErrorData> {
    let uri = format!("plan://{number}");
    let plain = json!({"uri": uri, "text": format!("n={number};")});
    let (said, value) = (plan.form.text(), plan.form.value());
    let result = match plan.output {
        Output::ResourceErrorMessage | Output::ResourceErrorData => {
            return Err(error(number, plan));
        }
        Output::ResourceAsk => return Ok(question(Output::AskMessage, plan.form).into()),
        Output::ContentsAndMeta => {
            let mut contents = plain;
            contents["_meta"] = json!({"note": value});
            json!({"contents": [contents, {"uri": uri, "text": said}], "_meta": {"note": value}})
        }
        Output::ContentsMeta => {
            let mut contents = plain;
            contents["_meta"] = json!({"note": value});
            json!({"contents": [contents]})
        }
        Output::ResourceMeta => json!({"contents": [plain], "_meta": {"note": value}}),
        Output::ResourceLift => {
            let members = json!({"contents": [{"uri": uri, "text": said}]});
            json!({"contents": [plain], "_meta": {"hooks-sdk/lift": members}})
        }
        _ => json!({"contents": [plain, {"uri": uri, "text": said}]}),
    };
    read::<ReadResourceResult>(result).map(Into::into)
}
