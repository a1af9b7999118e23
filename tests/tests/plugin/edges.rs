//! The edges of rules: spellings, names, sizes, times and bytes that a client, a model or a user chooses.

use std::{thread, time::Duration};

use hooks_sdk::{
    Policy,
    core::{Verdict, Violation, condition::Condition},
    plugin::{Outcome, PluginHook, Question, ToolCall, point, ready::RateLimit},
    testing::TestHost,
};
use hooks_tests::client::{mcp_head, raw};
use serde_json::{Value, json};

use crate::{
    http::serve,
    server::{Files, hooked, hooked_with, host},
};

fn condition(text: &str) -> Condition {
    Condition::parse(text).unwrap()
}

fn deny(id: &'static str) -> PluginHook {
    PluginHook::deny(id, point::tool_pre_invoke, "this path is not allowed")
}

async fn is_refused(host: &TestHost, path: &str) -> bool {
    let answer = host.call_tool("read_file", json!({"path": path})).await;
    answer.unwrap().is_error()
}

#[tokio::test]
async fn no_reading_of_a_path_leads_out_of_the_folder_that_a_rule_names() {
    for (folder, inside, outside) in [
        (
            "/srv/exports",
            &["/srv/exports/a/b.txt", "/srv/exports/a/../b.txt"][..],
            &[
                r"/srv/exports/a\b\c/../../../etc/cron.d/notes",
                r"/srv/exports/..\..\etc\passwd",
                "/srv/exports/%2e%2e/%2e%2e/etc/passwd",
                "/srv/exports/..%2f..%2fetc/passwd",
                "/srv/exports/..%5c..%5cetc/passwd",
                "/srv/exports/x\0/../../../etc/passwd",
                "/srv/exports/.. /.. /etc/passwd",
            ][..],
        ),
        (
            "file:///srv",
            &["file:///srv/a/b.txt"][..],
            &[
                "file:///srv/x?/../../etc/passwd",
                "file:///srv/x#/../../etc/passwd",
                "file:///srv/..%2fetc/passwd",
                "file:///srv/%2e%2e/etc/passwd",
                "file:///srv/..%5cetc/passwd",
                r"file:///srv/..\etc\passwd",
            ][..],
        ),
    ] {
        let rule = deny("stay").unless(condition(&format!("args.path = inside({folder:?})")));
        let files = Files::default();
        let host = host(hooked(&files, [rule])).await;
        for path in outside {
            assert!(is_refused(&host, path).await, "{path:?} leads out");
        }
        assert_eq!(files.ran(), 0);
        for path in inside {
            assert!(!is_refused(&host, path).await, "{path:?} is inside");
        }
    }
}

#[tokio::test]
async fn one_reading_of_a_path_into_a_forbidden_folder_is_enough() {
    let rule = deny("etc").when(condition(r#"args.path = inside("/etc")"#));
    let files = Files::default();
    let host = host(hooked(&files, [rule])).await;
    for path in [
        "/etc/passwd",
        "/srv/../etc/passwd",
        r"\etc\passwd",
        r"/srv\..\etc\passwd",
        "/%65tc/passwd",
        "/etc%2fpasswd",
        "/etc%5cpasswd",
        "/etc/passwd?a=b",
        "file:///etc/passwd",
    ] {
        assert!(is_refused(&host, path).await, "{path:?} leads into it");
    }
    assert_eq!(files.ran(), 0);
    assert!(!is_refused(&host, "/srv/etc/passwd").await);
}

#[tokio::test]
async fn a_flooder_with_many_long_names_throttles_nobody_else_and_stays_counted() {
    let policy = Policy::new().with(RateLimit::new().per_hour(3));
    let server = hooked_with(&Files::default(), [], [], policy, None);
    let (flooder, honest) = (host(server.clone()).await, host(server).await);
    for _ in 0..3 {
        assert!(!is_refused(&flooder, "a").await);
    }
    let long = "x".repeat(16 * 1024);
    for at in 0..300 {
        _ = flooder.call_tool(&format!("{at}{long}"), json!({})).await;
    }
    for _ in 0..3 {
        assert!(!is_refused(&honest, "a").await);
    }
    for host in [&flooder, &honest] {
        assert!(is_refused(host, "a").await);
    }
}

#[tokio::test]
async fn a_hook_that_allows_after_its_deadline_allows_nothing() {
    let late = PluginHook::answering_any::<_, Verdict<ToolCall>>(
        "late",
        point::tool_pre_invoke,
        |_, _| {
            // Without an await, no timer can end it.
            thread::sleep(Duration::from_millis(80));
            Box::pin(async { Verdict::Allow })
        },
    )
    .deadline(Duration::from_millis(20));
    let files = Files::default();
    let host = host(hooked(&files, [late])).await;
    let answer = host.call_tool("read_file", json!({"path": "a"})).await;
    let text = answer.unwrap().text();
    assert!(text.ends_with("[plugin_timeout]"), "{text}");
    assert_eq!(files.ran(), 0);
}

/// A hook that asks with this question, and goes on with whatever the user answered.
fn asking(question: Question) -> PluginHook {
    PluginHook::answering_any::<_, Outcome<ToolCall>>(
        "ask",
        point::tool_pre_invoke,
        move |_, cx| {
            let outcome = match cx.elicitation_responses.is_empty() {
                true => Outcome::ask(question.clone()),
                false => Outcome::allow(),
            };
            Box::pin(async move { outcome })
        },
    )
}

async fn answered(files: &Files, question: Question, content: Value) -> String {
    let user = move |_: &_| json!({"action": "accept", "content": content});
    let host = TestHost::builder().version("2025-11-25").user(user);
    let host = host
        .connect(hooked(files, [asking(question)]))
        .await
        .unwrap();
    let answer = host.call_tool("read_file", json!({"path": "a"})).await;
    answer.unwrap().text()
}

#[tokio::test]
async fn no_question_asks_for_a_secret_whatever_its_field_is_called() {
    let files = Files::default();
    let text = json!({"type": "string"});
    for name in [
        "password",
        "passwords",
        "password2",
        "pwd",
        "passcode",
        "credentials",
        "apiKeys",
        "APIToken",
        "pin",
        "cvc",
        "cardNumber",
        "Passwort",
    ] {
        let said = answered(
            &files,
            Question::new("Please.", json!({name: text})),
            json!({name: "x"}),
        )
        .await;
        assert!(said.ends_with("[plugin_error]"), "{name}: {said}");
    }
    let titled = json!({"value": {"type": "string", "title": "Your password"}});
    let said = answered(
        &files,
        Question::new("Please.", titled),
        json!({"value": "x"}),
    )
    .await;
    assert!(said.ends_with("[plugin_error]"), "{said}");
    assert_eq!(files.ran(), 0);
}

#[tokio::test]
async fn an_answer_with_a_member_that_nobody_asked_for_does_not_pass() {
    let files = Files::default();
    for content in [
        json!({"confirm": true, "admin": true}),
        json!({"confirm": true, "more": {"deep": [[[1]]]}}),
    ] {
        let said = answered(&files, Question::confirm("Sure?"), content).await;
        assert!(said.ends_with("[elicitation_invalid]"), "{said}");
    }
    assert_eq!(files.ran(), 0);
    answered(&files, Question::confirm("Sure?"), json!({"confirm": true})).await;
    assert_eq!(files.ran(), 1);
}

#[tokio::test]
async fn a_rule_sees_a_header_whatever_bytes_its_value_has() {
    let rule = PluginHook::answering_any::<_, Verdict<ToolCall>>(
        "header",
        point::tool_pre_invoke,
        |call, _| {
            let headers = call.headers.as_ref();
            let is_there = headers.is_some_and(|headers| headers.contains("x-forbidden"));
            Box::pin(async move {
                match is_there {
                    true => Verdict::Deny(Violation::new("forbidden").code("FORBIDDEN")),
                    false => Verdict::Allow,
                }
            })
        },
    );
    let files = Files::default();
    let address = serve(&files, rule, Policy::new()).await;
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "read_file", "arguments": {"path": "a"}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    let message = message.to_string();
    for (value, ran) in [(&b"plain"[..], 0), (b"caf\xe9", 0), ("é".as_bytes(), 0)] {
        let mut request = mcp_head(
            "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: read_file\r\nX-Forbidden: ",
        )
        .into_bytes();
        request.extend_from_slice(value);
        let rest = format!("\r\nContent-Length: {}\r\n\r\n{message}", message.len());
        request.extend_from_slice(rest.as_bytes());
        let answer = raw(address, request).await;
        assert!(answer.contains("FORBIDDEN"), "{answer}");
        assert_eq!(files.ran(), ran, "{answer}");
    }
}
