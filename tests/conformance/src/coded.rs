//! The tools that log, report progress, and tell subscribers.
#![expect(deprecated, reason = "the suite still asks for logs and sampling")]

use std::time::Duration;

use rmcp::{
    ErrorData, Peer, RoleServer,
    model::{
        CallToolResult, ClientCapabilities, ContentBlock, LoggingLevel,
        LoggingMessageNotificationParam, ProgressNotificationParam,
    },
    service::RequestContext,
};
use serde_json::json;
use tokio::time::sleep;

use crate::{handler::Fixtures, rounds::internal};

/// Between two notifications.
const PAUSE: Duration = Duration::from_millis(50);

impl Fixtures {
    pub(crate) async fn coded(
        &self,
        name: &str,
        cx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        match name {
            "test_tool_with_logging" => {
                for text in ["started", "processing data", "completed"] {
                    log(
                        &cx.peer,
                        LoggingLevel::Info,
                        &format!("Tool execution {text}"),
                    )
                    .await;
                    sleep(PAUSE).await;
                }
            }
            "test_logging_tool" => {
                if let Some(level) = cx.meta.log_level() {
                    log(&cx.peer, level, "the request asked for logs").await;
                }
            }
            "test_tool_with_progress" => {
                for progress in [0.0, 50.0, 100.0] {
                    if let Some(token) = cx.meta.get_progress_token() {
                        let progress = ProgressNotificationParam::new(token, progress);
                        let told = cx.peer.notify_progress(progress.with_total(100.0)).await;
                        told.map_err(internal)?;
                    }
                    sleep(PAUSE).await;
                }
            }
            "test_reconnection" => sleep(2 * PAUSE).await,
            "test_missing_capability" => {
                let declared = cx.meta.client_capabilities();
                if declared.is_none_or(|declared| declared.sampling.is_none()) {
                    let needed = ClientCapabilities::builder().enable_sampling().build();
                    return Err(ErrorData::missing_required_client_capability(needed));
                }
            }
            "test_trigger_tool_change" => {
                for subscriber in self.subscribers() {
                    // A subscriber that is gone is told nothing.
                    let _ = subscriber.notify_tool_list_changed().await;
                }
            }
            "test_trigger_prompt_change" => {
                for subscriber in self.subscribers() {
                    let _ = subscriber.notify_prompt_list_changed().await;
                }
            }
            _ => return Err(internal(format!("`{name}` has no code"))),
        }
        let text = ContentBlock::text(format!("{name} is done"));
        Ok(CallToolResult::success(vec![text]))
    }
}

async fn log(peer: &Peer<RoleServer>, level: LoggingLevel, text: &str) {
    let log = LoggingMessageNotificationParam::new(level, json!(text));
    // A client that is gone reads no logs.
    let _ = peer.notify_logging_message(log).await;
}
