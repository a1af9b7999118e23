//! A server whose tools say, ask and tell what a test wants.

use std::sync::{Arc, Mutex};

use hooks_sdk::rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceError,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientResult, ContentBlock,
        CustomNotification, CustomRequest, CustomResult, ServerCapabilities, ServerConfig,
        ServerNotification, ServerRequest,
    },
    service::{NotificationContext, RequestContext},
};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// The words of an argument are joined, so that a guardian sees the whole only when it leaves.
#[derive(Clone, Default)]
pub(crate) struct Desk {
    /// What the tools were called with, in their order.
    ran: Arc<Mutex<Vec<String>>>,
    /// The texts of the notifications, in their order.
    heard: Arc<Mutex<Vec<String>>>,
    changed: Arc<Notify>,
}

impl Desk {
    pub(crate) fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }

    /// Waits until so many notifications have come; their texts.
    pub(crate) async fn heard(&self, number: usize) -> Vec<String> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let heard = self.heard.lock().unwrap().clone();
            if heard.len() >= number {
                return heard;
            }
            tokio::time::timeout(super::PATIENCE, changed)
                .await
                .expect("a notification in time");
        }
    }

    async fn run(&self, tool: &str, text: &str, cx: &RequestContext<RoleServer>) -> String {
        match tool {
            "ask" => {
                let question = CustomRequest::new("client/question", Some(json!({"text": text})));
                let question = ServerRequest::CustomRequest(question);
                match cx.peer.send_request(question).await {
                    Ok(ClientResult::CustomResult(answer)) => answer.0["text"].to_string(),
                    Ok(other) => format!("{other:?}"),
                    Err(ServiceError::McpError(error)) => {
                        format!("failed: {} {}", error.code.0, error.message)
                    }
                    Err(other) => other.to_string(),
                }
            }
            "tell" => {
                for text in text.split(',') {
                    let note =
                        CustomNotification::new("notifications/note", Some(json!({"text": text})));
                    let note = ServerNotification::CustomNotification(note);
                    cx.peer.send_notification(note).await.expect("a connection");
                }
                "told".to_owned()
            }
            _ => text.to_owned(),
        }
    }
}

impl ServerHandler for Desk {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let words = arguments["words"].as_array().expect("words");
        let text: String = words.iter().filter_map(Value::as_str).collect();
        self.ran.lock().unwrap().push(text.clone());
        let said = self.run(&request.name, &text, &cx).await;
        Ok(CallToolResult::success(vec![ContentBlock::text(said)]).into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let params = request.params.unwrap_or_default();
        self.ran.lock().unwrap().push(params["text"].to_string());
        Ok(CustomResult::new(json!({"text": params["text"]})))
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _: NotificationContext<RoleServer>,
    ) {
        let params = notification.params.unwrap_or_default();
        let text = params["text"].as_str().expect("a text").to_owned();
        self.heard.lock().unwrap().push(text);
        self.changed.notify_waiters();
    }
}
