//! Reports hooks that were skipped or failed: in the log, and to a client that wants log messages.

use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use serde_json::json;

use super::GuidedClient;
use hooks_core::guidance::ComposedHooksResult;

/// The logger name in these messages.
const LOGGER: &str = "hooks";

impl GuidedClient {
    /// Reports the hooks that are missing in a composition, with the composition's own notices.
    ///
    /// Implements the Hooks System document, "Transparency (Notices)" and "Failure Handling".
    pub(super) async fn notice(&self, composed: &ComposedHooksResult) {
        let failures = usize::from(!composed.failed_hooks.is_empty());
        let skips = composed.notices.len() - failures;
        for (at, notice) in composed.notices.iter().enumerate() {
            let level = if at < skips {
                tracing::info!(target: "hooks_sdk::server", %notice, "hooks were left out");
                LoggingLevel::Notice
            } else {
                tracing::error!(target: "hooks_sdk::server", %notice, "hooks have no text");
                LoggingLevel::Error
            };
            // In a box, since each composition has room for this future and few have notices.
            Box::pin(self.send(level, notice)).await;
        }
    }

    async fn send(&self, level: LoggingLevel, notice: &str) {
        let wanted = self.level.is_some_and(|from| from as u8 <= level as u8);
        if !wanted {
            return;
        }
        let mut message = LoggingMessageNotificationParam::new(level, json!(notice));
        message.logger = Some(LOGGER.to_owned());
        if let Err(error) = self.peer().notify_logging_message(message).await {
            tracing::debug!(
                target: "hooks_sdk::server",
                %error, "a notice did not reach the client"
            );
        }
    }
}
