//! Questions of hooks to the user: the document's example (§5.3.2), its four use cases (§5.3.3), and a hook after the tool.

use std::{convert::Infallible, time::Duration};

use hooks_sdk::{
    core::{Verdict, Violation},
    plugin::{Action, Outcome},
    prelude::*,
    testing::TestHost,
};
use rmcp::{
    ServerHandler, handler::server::wrapper::Parameters, schemars, tool, tool_handler, tool_router,
};
use serde_json::{Value, json};

pub(crate) struct Files;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct At {
    path: String,
}

#[tool_router]
impl Files {
    #[tool]
    async fn delete_file(&self, Parameters(at): Parameters<At>) -> String {
        format!("deleted {}", at.path)
    }

    #[tool]
    async fn share_file(&self, Parameters(at): Parameters<At>) -> String {
        format!("contents of {}", at.path)
    }
}

#[tool_handler]
impl ServerHandler for Files {}

// ANCHOR: delete
#[hooks_sdk::hooks]
impl Files {
    /// The example of the hook architecture document, §5.3.2.
    #[plugin::hook(tool_pre_invoke, tool = "delete_file")]
    async fn confirm_deletion(&self, call: &ToolCall, cx: &mut PluginContext) -> Outcome<ToolCall> {
        let Some(answer) = cx.elicitation_responses.first() else {
            let path = call.args.get("path").unwrap_or(&Value::Null);
            let schema = json!({
                "type": "object",
                "properties": {
                    "confirm_deletion": {"type": "boolean", "description": "Confirm file deletion"},
                    "backup_first": {"type": "boolean", "default": true}
                },
                "required": ["confirm_deletion"]
            });
            let question = Question::new(format!("Confirm deletion of file: {path}"), schema);
            return Outcome::ask(question.timeout(Duration::from_secs(60)));
        };
        if !answer.confirmed("confirm_deletion") {
            let mut violation = Violation::new("User declined operation");
            violation.description = "File deletion was cancelled by user".to_owned();
            violation.code = "USER_DECLINED".to_owned();
            return Outcome::deny(violation);
        }
        let backup = answer
            .data
            .as_ref()
            .and_then(|data| data.get("backup_first"));
        let backup = backup.and_then(Value::as_bool).unwrap_or(true);
        if backup {
            // A hook after the tool finds it under the same id.
            cx.set_state("create_backup", true);
        }
        Outcome::allow()
    }
    // ANCHOR_END: delete

    // ANCHOR: post
    /// Asks after the tool ran. The tool does not run again.
    #[plugin::hook(tool_post_invoke, tool = "share_file")]
    async fn may_share(
        &self,
        _shared: &ToolResult,
        cx: &mut PluginContext,
    ) -> Verdict<Infallible, Question> {
        match cx.elicitation_responses.first() {
            None => Verdict::Ask(Question::confirm("Send the file to the model?")),
            Some(answer) if answer.confirmed("confirm") => Verdict::Allow,
            Some(_) => Verdict::Deny(Violation::new("the user keeps the file")),
        }
    }
}
// ANCHOR_END: post

// ANCHOR: cases
/// The four use cases of the hook architecture document, §5.3.3.
fn cases() -> [Question; 4] {
    [
        Question::confirm("Delete the whole archive?"),
        Question::new(
            "Which format do you want?",
            json!({"format": {"enum": ["json", "xml"]}}),
        ),
        Question::new(
            "The code from your authenticator",
            json!({"otp_code": {"type": "string", "pattern": "^[0-9]{6}$"}}),
        ),
        Question::new(
            "May your data be processed, and for how long?",
            json!({"consent": {"type": "boolean"}, "data_retention_days": {"type": "number"}}),
        ),
    ]
}
// ANCHOR_END: cases

#[test]
fn the_cases_become_flat_objects() {
    for question in cases() {
        let asking = question.asked().unwrap();
        assert_eq!(asking.sent["type"], "object");
        let properties = asking.sent["properties"].as_object().unwrap();
        let required = asking.sent["required"].as_array().unwrap();
        assert_eq!(required.len(), properties.len());
    }
    let code = cases()[2].asked().unwrap();
    let shown = &code.sent["properties"]["otp_code"];
    assert_eq!(
        *shown,
        json!({"type": "string", "description": "Format: ^[0-9]{6}$"})
    );
}

#[tokio::test]
async fn the_user_is_asked_on_both_generations() {
    for version in ["2025-11-25", "2026-07-28"] {
        for (action, content, expected) in [
            (
                Action::Accept,
                json!({"confirm_deletion": true, "confirm": true}),
                ["deleted a", "contents of a"],
            ),
            (
                Action::Decline,
                json!({}),
                [
                    "User declined operation: File deletion was cancelled by user [USER_DECLINED]",
                    "the user keeps the file [plugin_deny]",
                ],
            ),
        ] {
            let answer = json!({"action": action, "content": content});
            let host = TestHost::builder()
                .version(version)
                .user(move |_| answer.clone());
            let server = Files.with_hooks().unwrap();
            let host = host.connect(server).await.unwrap();
            for (tool, expected) in ["delete_file", "share_file"].into_iter().zip(expected) {
                let answer = host.call_tool(tool, json!({"path": "a"})).await.unwrap();
                assert_eq!(answer.text(), expected, "{version}");
            }
        }
    }
}
