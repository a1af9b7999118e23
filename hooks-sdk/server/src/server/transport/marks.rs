//! The SDK's own names in messages. Only the SDK writes them, so they are removed from what authors and upstreams send.

use std::sync::LazyLock;

use rmcp::model::{
    GetExtensions, JsonObject, JsonRpcMessage, MetaObject, NotificationMetaObject,
    ServerJsonRpcMessage, ServerNotification, TaskPayload,
};
use serde_json::Value;

use crate::server::random;

/// The beginning of the SDK's own names in `_meta` and in `experimental`.
pub(crate) const MARKS: &str = "hooks-sdk/";

/// The entry that holds members that rmcp's types lack, until the message is sent. Members for the top level of a
/// server's `capabilities` are in `experimental`, members for the top level of a tool's result in `_meta`.
///
/// [`marked`] makes its value, and [`unmarked`] reads it. A value that this process did not make is dropped.
pub(crate) const LIFT: &str = "hooks-sdk/lift";

/// The name under which the value of [`LIFT`] holds its members: 128 random bits, so that no author, no upstream and no
/// other process can write it.
static KEY: LazyLock<String> = LazyLock::new(|| format!("{:032x}", u128::from_be_bytes(random())));

/// Returns the value of [`LIFT`] for these members.
pub(crate) fn marked(members: JsonObject) -> JsonObject {
    JsonObject::from_iter([(KEY.clone(), Value::Object(members))])
}

/// Returns the members in a value of [`LIFT`], or `None` if another process or an author wrote the value.
pub(crate) fn unmarked(held: Value) -> Option<JsonObject> {
    let Value::Object(mut held) = held else {
        return None;
    };
    match held.remove(&*KEY) {
        Some(Value::Object(members)) => Some(members),
        _ => None,
    }
}

/// The method of a notification about a task. It carries the whole task, with its result.
pub(crate) const TASKS: &str = "notifications/tasks";

/// The method of the answer to `subscriptions/listen` that comes before its notifications.
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

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
pub(crate) fn remove(members: &mut JsonObject) -> bool {
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

/// Removes the SDK's names from the data of an error. Returns whether it had any.
pub(crate) fn remove_from_data(data: &mut Value) -> bool {
    let is_changed = remove_marks(data);
    data.as_object_mut().is_some_and(remove) || is_changed
}

/// Removes the SDK's names from the result of a task, or from its error.
pub(crate) fn remove_from_payload(payload: &mut TaskPayload) {
    match payload {
        TaskPayload::Completed { result } => {
            if let Some(Value::Object(meta)) = result.get_mut("_meta") {
                remove(meta);
            }
        }
        TaskPayload::Failed { error } => {
            if let Some(data) = error.get_mut("data") {
                remove_from_data(data);
            }
        }
        _ => {}
    }
}

/// Removes the SDK's names from the params of a notification. One about a task carries a result or an error. Returns whether
/// it had any.
pub(crate) fn remove_from_params(method: &str, params: &mut Value) -> bool {
    let mut is_changed = remove_marks(params);
    if method == TASKS {
        is_changed |= params.get_mut("result").is_some_and(remove_marks);
        let data = params
            .get_mut("error")
            .and_then(|error| error.get_mut("data"));
        is_changed |= data.is_some_and(remove_from_data);
    }
    is_changed
}

/// Removes the contents of a task from the params of a notification. Returns whether there were any.
fn withhold_task(params: &mut Value) -> bool {
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

/// The mark of an acknowledgement that the SDK sends, in this process.
#[derive(Clone, Copy, Debug)]
struct Granted;

/// Marks the acknowledgement of a subscription that the middleware have let pass.
pub(crate) fn mark_granted(notification: &mut ServerNotification) {
    notification.extensions_mut().insert(Granted);
}

/// Returns whether a message acknowledges a subscription before the middleware have let it pass. rmcp sends such a message,
/// and the SDK sends a marked one later.
pub(crate) fn is_early(message: &ServerJsonRpcMessage) -> bool {
    let JsonRpcMessage::Notification(message) = message else {
        return false;
    };
    let acknowledges = match &message.notification {
        ServerNotification::SubscriptionsAcknowledgedNotification(_) => true,
        ServerNotification::CustomNotification(told) => told.method == ACKNOWLEDGED,
        _ => false,
    };
    let mark = message.notification.extensions().get::<Granted>();
    acknowledges && mark.is_none()
}

/// The method of a notification about a resource.
const UPDATED: &str = "notifications/resources/updated";

/// Returns the URI of a resource that was updated.
pub(crate) fn updated(message: &ServerJsonRpcMessage) -> Option<&str> {
    let JsonRpcMessage::Notification(told) = message else {
        return None;
    };
    match &told.notification {
        ServerNotification::ResourceUpdatedNotification(updated) => Some(&updated.params.uri),
        // An author may send it by its method.
        ServerNotification::CustomNotification(told) if told.method == UPDATED => {
            told.params.as_ref()?.get("uri")?.as_str()
        }
        _ => None,
    }
}

/// Removes from a notification of the author what must not leave. `withholds_tasks` is whether a notification about a task
/// leaves without the contents of the task.
pub(crate) fn of_notification(message: &mut ServerJsonRpcMessage, withholds_tasks: bool) {
    let JsonRpcMessage::Notification(message) = message else {
        return;
    };
    let notification = &mut message.notification;
    let is_task = matches!(notification, ServerNotification::TaskStatusNotification(_));
    let extensions = notification.extensions_mut();
    if let Some(NotificationMetaObject(MetaObject(meta))) = extensions.get_mut() {
        remove(meta);
        if withholds_tasks && is_task {
            meta.retain(|name, _| name == SUBSCRIPTION);
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
            } else {
                remove_from_payload(&mut params.task.payload);
                if let Some(meta) = &mut params.meta {
                    remove(&mut meta.0.0);
                }
            }
        }
        ServerNotification::CustomNotification(told) => {
            if let Some(params) = &mut told.params {
                remove_from_params(&told.method, params);
                if withholds_tasks && told.method == TASKS {
                    withhold_task(params);
                }
            }
        }
        _ => {}
    }
}
