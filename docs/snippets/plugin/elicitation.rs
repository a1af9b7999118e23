//! A hook that asks the user after the tool ran.

use std::convert::Infallible;

use hooks_sdk::{
    core::{Verdict, Violation},
    prelude::*,
    testing::TestHost,
};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use serde_json::json;

pub(crate) struct Files;

#[tool_router]
impl Files {
    #[tool]
    async fn read_report(&self) -> String {
        "the report".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Files {}

// ANCHOR: post
#[hooks_sdk::hooks]
impl Files {
    /// Asks before the report is sent to the model. The tool does not run again.
    #[plugin::hook(tool_post_invoke, tool = "read_report")]
    async fn may_send(
        &self,
        _report: &ToolResult,
        cx: &mut PluginContext,
    ) -> Verdict<Infallible, Question> {
        match cx.elicitation_responses.first() {
            None => Verdict::Ask(Question::confirm("Send the report to the model?")),
            Some(answer) if answer.confirmed("confirm") => Verdict::Allow,
            Some(_) => Verdict::Deny(Violation::new("the user keeps the report")),
        }
    }
}
// ANCHOR_END: post

#[tokio::test]
async fn the_user_decides_after_the_tool() {
    for version in ["2025-11-25", "2026-07-28"] {
        for (answer, expected) in [
            (
                json!({"action": "accept", "content": {"confirm": true}}),
                "the report",
            ),
            (
                json!({"action": "decline"}),
                "the user keeps the report [plugin_deny]",
            ),
        ] {
            let host = TestHost::builder()
                .version(version)
                .user(move |_| answer.clone());
            let host = host.connect(Files.with_hooks().unwrap()).await.unwrap();
            let read = host.call_tool("read_report", json!({})).await.unwrap();
            assert_eq!(read.text(), expected, "{version}");
        }
    }
}
