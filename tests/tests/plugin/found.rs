//! Twenty ways to write a secret beside something else, against `redact`.

use hooks_sdk::{
    Policy,
    core::Verdict,
    plugin::{PluginHook, ToolResult, point, ready::Redact},
};
use serde_json::{Value, json};

use crate::server::{Files, hooked_with, host};

const KEY: &str = "ghp_a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8a1B2";
const CARD: &str = "4111 1111 1111 1111";

fn patterns() -> [(Value, &'static str); 20] {
    let text = |said: String| json!({"content": [{"type": "text", "text": said}]});
    let structured = |value: Value| json!({"content": [], "structuredContent": value});
    [
        (text(KEY.to_owned()), KEY),
        (text(format!("\"{KEY}\"")), KEY),
        (text(format!("'{KEY}',")), KEY),
        (text(format!("`{KEY}`")), KEY),
        (text(format!("({KEY})")), KEY),
        (text(format!("<b>{KEY}</b>")), KEY),
        (text(format!("key={KEY};path=/")), KEY),
        (text(format!("https://{KEY}@example.org/a")), KEY),
        (text(format!("https://example.org/?token={KEY}&a=b")), KEY),
        (text(format!("Authorization: Bearer {KEY}")), KEY),
        (text(format!("one\n{KEY}\ntwo")), KEY),
        (text(format!("one\t{KEY}\ttwo")), KEY),
        (text(format!("{KEY} {KEY}")), KEY),
        (text(format!("{}{KEY}", "word ".repeat(5_000))), KEY),
        (text(format!("paid with {CARD} today")), CARD),
        (
            text("password: hunter2-and-more".to_owned()),
            "hunter2-and-more",
        ),
        (
            structured(json!({"password": "hunter2-and-more"})),
            "hunter2-and-more",
        ),
        (structured(json!({"a": [[{"b": [KEY]}]]})), KEY),
        (structured(json!({KEY: 1})), KEY),
        (
            structured(json!({"api_key": ["abc-def-123"]})),
            "abc-def-123",
        ),
    ]
}

#[tokio::test]
async fn no_pattern_carries_a_secret_past_redact() {
    for (at, (result, secret)) in patterns().into_iter().enumerate() {
        let answers = PluginHook::answering_any::<_, Verdict<ToolResult>>(
            "answers",
            point::tool_post_invoke,
            move |answer, _| {
                let answer = ToolResult::new(answer.name.clone(), result.clone());
                Box::pin(async move { Verdict::Modify(answer) })
            },
        );
        let files = Files::default();
        let policy = Policy::new().with(Redact::new());
        let server = hooked_with(&files, [answers.priority(-1)], [], policy, None);
        let answer = host(server)
            .await
            .call_tool("read_file", json!({"path": "a"}))
            .await;
        let answer = answer.expect("an answer").as_value().to_string();
        assert!(!answer.contains(secret), "{at}: {answer}");
        assert!(answer.contains("[REDACTED]"), "{at}: {answer}");
    }
}
