//! Tools that become tasks.

use std::time::Duration;

use rmcp::{
    ErrorData,
    model::{
        CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CreateTaskResult,
        InputRequest, JsonObject,
    },
    task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions},
};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::rounds::internal;

/// Runs a tool as a task if the client knows tasks, and within the call if it does not.
pub(crate) async fn call(
    tasks: &TaskManager,
    name: String,
    arguments: JsonObject,
    knows_tasks: bool,
    required: bool,
) -> Result<CallToolResponse, ErrorData> {
    if knows_tasks {
        let task = tasks.spawn(TaskOptions::default(), |task| {
            Box::pin(async move { run(&name, &arguments, Some(&task)).await })
        });
        return Ok(CreateTaskResult::new(task).into());
    }
    if required {
        let needed = ClientCapabilities::builder().enable_tasks().build();
        return Err(ErrorData::missing_required_client_capability(needed));
    }
    match run(&name, &arguments, None).await {
        Ok(result) => Ok(result.into()),
        Err(TaskExit::Error(error)) => Err(error),
        Err(TaskExit::Cancelled) => Err(internal("a call has no task to cancel")),
    }
}

/// Goes on as a task that says this.
pub(crate) fn go_on(tasks: &TaskManager, text: String) -> CallToolResponse {
    let task = tasks.spawn(TaskOptions::default(), |_task| {
        Box::pin(async move {
            sleep(Duration::from_millis(100)).await;
            Ok(said(text))
        })
    });
    CreateTaskResult::new(task).into()
}

async fn run(
    name: &str,
    arguments: &JsonObject,
    task: Option<&TaskContext>,
) -> Result<CallToolResult, TaskExit> {
    match (name, task) {
        ("slow_compute", task) => {
            let seconds = arguments.get("seconds").and_then(Value::as_f64);
            let work = sleep(Duration::from_secs_f64(seconds.unwrap_or(1.0)));
            match task {
                None => work.await,
                Some(task) => tokio::select! {
                    () = task.cancelled() => return Err(TaskExit::Cancelled),
                    () = work => {}
                },
            }
            Ok(said(format!(
                "computed {}",
                Value::Object(arguments.clone())
            )))
        }
        ("failing_job", _) => {
            sleep(Duration::from_secs(1)).await;
            let text = ContentBlock::text("the job failed");
            Ok(CallToolResult::error(vec![text]))
        }
        ("confirm_delete", Some(task)) => {
            let confirmed = task.request_input("confirm", question("Delete it?")?);
            Ok(said(format!("the user: {}", confirmed.await?)))
        }
        ("multi_input", Some(task)) => {
            let first = task.request_input("first", question("The first value?")?);
            let second = task.request_input("second", question("The second value?")?);
            let (first, second) = tokio::join!(first, second);
            Ok(said(format!("the user: {} and {}", first?, second?)))
        }
        _ => Err(internal("the job broke the protocol").into()),
    }
}

fn question(message: &str) -> Result<InputRequest, ErrorData> {
    let schema = json!({ "type": "object", "properties": { "confirm": { "type": "boolean" } } });
    let request = json!({
        "method": "elicitation/create",
        "params": { "message": message, "requestedSchema": schema }
    });
    serde_json::from_value(request).map_err(internal)
}

fn said(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}
