//! Messages that a running request sends before its answer.

use std::time::Duration;

use hooks_sdk::rmcp::{
    RoleServer,
    model::{
        ClientResult, CustomNotification, CustomRequest, Notification, ServerNotification,
        ServerRequest,
    },
    service::RequestContext,
};
use serde_json::json;

use crate::{
    author::{Author, Plan},
    live,
    output::Output,
    results,
    secret::Form,
};

/// How long the answer to a question is waited for. A client that is gone never answers.
const QUESTION: Duration = Duration::from_secs(20);

/// Sends what the plan of a request wants.
pub(crate) async fn before(
    author: &Author,
    number: usize,
    plan: Plan,
    cx: &RequestContext<RoleServer>,
) {
    let Plan { output, form, .. } = plan;
    let told = match output {
        Output::Progress => {
            let Some(token) = cx.meta.get_progress_token() else {
                return;
            };
            let params = json!({"progressToken": token, "progress": 1.0, "message": form.text()});
            let params = results::read(params).expect("progress");
            ServerNotification::ProgressNotification(Notification::new(params))
        }
        Output::Log => {
            let params = json!({"level": "error", "data": form.value()});
            let params = results::read(params).expect("a log message");
            ServerNotification::LoggingMessageNotification(Notification::new(params))
        }
        Output::Note => {
            let params = json!({"text": form.value()});
            let note = CustomNotification::new("notifications/note", Some(params));
            ServerNotification::CustomNotification(note)
        }
        Output::Updated => {
            let uri = match form {
                Form::Harmless => "plan://0".to_owned(),
                form => format!("hidden://{}", form.text()),
            };
            let params = results::read(json!({ "uri": uri })).expect("an update");
            ServerNotification::ResourceUpdatedNotification(Notification::new(params))
        }
        Output::UpdatedMeta => {
            let params = json!({"uri": "plan://0", "_meta": {"note": form.value()}});
            let params = results::read(params).expect("an update");
            ServerNotification::ResourceUpdatedNotification(Notification::new(params))
        }
        Output::NotedText | Output::NotedOdd | Output::NotedFailed | Output::NotedStatus => {
            let task = results::task(number, plan);
            ServerNotification::TaskStatusNotification(Notification::new(task.into()))
        }
        Output::Question => {
            let params = json!({"text": form.text()});
            let question = CustomRequest::new("client/question", Some(params));
            let asked = cx.peer.send_request(ServerRequest::CustomRequest(question));
            match tokio::time::timeout(QUESTION, asked).await {
                Ok(Ok(ClientResult::CustomResult(answer))) => author.hears(answer.0),
                Ok(other) => author.hears(format!("{other:?}")),
                Err(_) => {}
            }
            return;
        }
        Output::Pushed | Output::Inferred | Output::Channel | Output::Incoming => {
            return live::send(author, number, plan, cx).await;
        }
        _ => return,
    };
    // A client that is gone is told nothing.
    _ = cx.peer.send_notification(told).await;
}
