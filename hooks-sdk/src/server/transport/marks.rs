//! The SDK's own names in messages. Only the SDK writes them, so they are removed from what authors and upstreams send.

use rmcp::{
    RoleServer,
    model::{
        GetExtensions, JsonObject, JsonRpcMessage, NotificationMetaObject, ServerNotification,
        TaskPayload,
    },
    service::TxJsonRpcMessage,
};
use serde_json::Value;

/// The beginning of the SDK's own names in `_meta` and in `experimental`.
pub(crate) const MARKS: &str = "hooks-sdk/";

/// The method of a notification about a task. It carries the whole task, with its result.
pub(crate) const TASKS: &str = "notifications/tasks";

/// The members of a task that are no contents.
const STATUS: &[&str] = &[
    "taskId",
    "status",
    "createdAt",
    "lastUpdatedAt",
    "ttlMs",
    "pollIntervalMs",
];

/// The member of `_meta` that rmcp writes into the notifications of a subscription.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Removes the SDK's names from an object. Returns whether it had any.
pub(in crate::server) fn remove(members: &mut JsonObject) -> bool {
    let before = members.len();
    members.retain(|name, _| !name.starts_with(MARKS));
    members.len() != before
}

/// Removes the SDK's names from the `_meta` of a result or of params. Returns whether it had any.
pub(crate) fn remove_marks(of: &mut Value) -> bool {
    match of.get_mut("_meta") {
        Some(Value::Object(meta)) => remove(meta),
        _ => false,
    }
}

/// Removes the contents of a task from the params of a notification. Returns whether there were any.
pub(crate) fn withhold_task(params: &mut Value) -> bool {
    let Value::Object(params) = params else {
        return false;
    };
    let before = params.len();
    params.retain(|name, _| name == "_meta" || STATUS.contains(&name.as_str()));
    let mut is_changed = params.len() != before;
    if let Some(Value::Object(meta)) = params.get_mut("_meta") {
        let before = meta.len();
        meta.retain(|name, _| name == SUBSCRIPTION);
        is_changed |= meta.len() != before;
    }
    is_changed
}

/// Removes from a notification of the author what must not leave. `withholds_tasks` is whether a notification about a task
/// leaves without the contents of the task.
pub(in crate::server) fn of_notification(
    message: &mut TxJsonRpcMessage<RoleServer>,
    withholds_tasks: bool,
) {
    let JsonRpcMessage::Notification(message) = message else {
        return;
    };
    let notification = &mut message.notification;
    let is_task = matches!(notification, ServerNotification::TaskStatusNotification(_));
    if let Some(meta) = notification
        .extensions_mut()
        .get_mut::<NotificationMetaObject>()
    {
        remove(&mut meta.0.0);
        if withholds_tasks && is_task {
            meta.0.0.retain(|name, _| name == SUBSCRIPTION);
        }
    }
    match notification {
        ServerNotification::TaskStatusNotification(told) => {
            let params = &mut told.params;
            if withholds_tasks {
                // The task's own status stays, so the client knows that it may fetch the result.
                params.task.payload = TaskPayload::Working;
                params.task.task.status_message = None;
                if let Some(meta) = &mut params.meta {
                    meta.0.0.retain(|name, _| name == SUBSCRIPTION);
                }
            } else if let Some(meta) = &mut params.meta {
                remove(&mut meta.0.0);
            }
        }
        ServerNotification::CustomNotification(told) => {
            if let Some(params) = &mut told.params {
                remove_marks(params);
                if withholds_tasks && told.method == TASKS {
                    withhold_task(params);
                }
            }
        }
        _ => {}
    }
}
