//! The time and the characters that a client gives.

use std::time::Duration;

use futures::future::{BoxFuture, pending};
use hooks_sdk::{
    clients::{self, ALL, Client, Delivery, Excess, Limit},
    core::HookError,
    lifecycle::{
        Event,
        host::{ClientControls, ContextTools, LifecycleHost, NoTools},
    },
};
use hooks_tests::long_texts::{Script, length};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::recorded::{client, text};

const START: &[u8] = br#"{"hook_event_name": "SessionStart"}"#;

/// Tools that never answer, or panic.
struct Broken;

impl ContextTools for Broken {
    fn call<'a>(
        &'a self,
        _server: &'a str,
        tool: &'a str,
        _args: Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, HookError>> {
        assert_eq!(tool, "hang", "it panics");
        Box::pin(pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_hung_tool_takes_no_text_with_it() {
    let mut host = LifecycleHost::new(ClientControls::default());
    host.register(
        "memory",
        &json!({ "declarations": [
        {"event": "session_start", "context_tool": "hang", "priority": "required"},
        {"event": "session_start", "context_tool": "panic", "priority": "required"},
        {"event": "session_start", "context": "Look it up.", "priority": "suggestion"},
    ] }),
    );
    let began = Instant::now();
    let fired = clients::fire(client("codex"), None, &["memory"], START, &host, &Broken).await;
    assert_eq!(began.elapsed(), Duration::from_secs(4));
    assert_eq!(
        fired.output["hookSpecificOutput"]["additionalContext"],
        "Hook of the MCP server `memory` (suggestion):\n> Look it up."
    );
    let failed: Vec<String> = fired
        .report
        .unwrap()
        .failed
        .iter()
        .map(|failed| failed.failure.to_string())
        .collect();
    assert_eq!(failed[0], "it took longer than 4000 ms");
    assert!(failed[1].starts_with("it panicked"), "{}", failed[1]);
}

#[test]
fn patience_ends_before_the_client_does() {
    for client in ALL {
        for event in Event::ALL {
            assert!(client.patience(event) < client.mapping(event).deadline);
            assert!(client.patience(event) <= Duration::from_secs(4));
            assert!(client.patience(event) >= Duration::from_secs(1));
        }
    }
    assert_eq!(
        client("codex").mapping(Event::SessionEnd).deadline,
        Duration::from_secs(3)
    );
}

#[tokio::test]
async fn what_does_not_fit_is_left_out_whole() {
    let mut host = LifecycleHost::new(ClientControls::default());
    // The host counts the texts, the client the lines around them too.
    let texts = ["é".repeat(4_980), "b".repeat(4_980), "c".repeat(10)];
    let declarations: Vec<Value> = texts
        .iter()
        .map(|text| json!({"event": "session_start", "context": text, "priority": "suggestion"}))
        .collect();
    host.register("memory", &json!({ "declarations": declarations }));
    let start = Event::SessionStart;
    let now = |client: &&Client| client.mapping(start).delivery == Delivery::Context;
    let ours = |client: &&Client| client.budget(start).most == 10_000;
    for client in ALL.into_iter().filter(now).filter(ours) {
        let fired = clients::fire(client, Some(start), &[], b"{}", &host, &NoTools).await;
        let text = text(&fired.output).unwrap();
        let budget = client.budget(Event::SessionStart);
        assert!(budget.length(text) <= budget.most);
        assert!(text.contains(&texts[0]) && !text.contains('b'.to_string().repeat(9).as_str()));
        assert!(text.ends_with(&texts[2]));
        let injected: Vec<usize> = fired
            .report
            .unwrap()
            .injected
            .iter()
            .map(|one| one.index)
            .collect();
        assert_eq!(injected, [0, 2]);
        assert_eq!(
            fired.problem,
            Some(format!(
                "these hooks do not fit into the {budget} of one answer: 1 of `memory`"
            ))
        );
    }
}

/// A tool whose answer is a text of any length.
struct Says(String);

impl ContextTools for Says {
    fn call<'a>(
        &'a self,
        _server: &'a str,
        _tool: &'a str,
        _args: Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, HookError>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

/// Fires one text, and returns whether it was sent.
async fn is_sent(name: &str, event: Event, said: &str) -> bool {
    let mut policy = ClientControls::default();
    policy.max_characters = usize::MAX;
    let mut host = LifecycleHost::new(policy);
    host.register(
        "memory",
        &json!({ "declarations": [{"event": event, "context_tool": "say", "priority": "suggestion"}] }),
    );
    let client = client(name);
    let fired = clients::fire(
        client,
        Some(event),
        &[],
        br#"{"stop_hook_active": false}"#,
        &host,
        &Says(said.to_owned()),
    )
    .await;
    let sent = text(&fired.output);
    // Whole, or not at all.
    assert!(sent.is_none_or(|sent| sent.ends_with(said)));
    let report = &fired.report;
    assert_ne!(
        sent.is_some(),
        fired.problem.is_some(),
        "{name} {event}: {report:?}"
    );
    sent.is_some()
}

#[tokio::test]
async fn a_text_is_counted_as_the_client_counts_it() {
    let start = Event::SessionStart;
    for (name, event, letter, most) in [
        // UTF-16 units: an emoji has two.
        ("claude-code", start, "x", 9_950),
        ("claude-code", start, "я", 9_950),
        ("claude-code", Event::PostToolUse, "漢", 9_950),
        ("claude-code", Event::PreToolUse, "😀", 4_970),
        // Bytes.
        ("copilot", Event::PostToolUse, "я", 4_970),
        ("copilot", Event::PostToolUse, "漢", 3_310),
        ("copilot", start, "漢", 9_950),
        // Tokens of four bytes, which the entry raises, and not at the end of a turn.
        ("codex", start, "😀", 30_000),
        ("codex", Event::PostToolUse, "漢", 30_000),
        ("codex", Event::PreRequest, "x", 30_000),
        ("codex", Event::PostRequest, "я", 4_970),
        // Characters.
        ("gemini", start, "😀", 9_950),
    ] {
        assert!(
            is_sent(name, event, &letter.repeat(most)).await,
            "{name} {event} {letter}"
        );
        let more = most * 5;
        assert!(
            !is_sent(name, event, &letter.repeat(more)).await,
            "{name} {event} {letter}"
        );
    }
    for (name, event, letter, more) in [
        ("claude-code", start, "😀", 4_990),
        ("copilot", Event::PostToolUse, "я", 4_990),
        ("codex", Event::PostRequest, "漢", 3_330),
    ] {
        assert!(
            !is_sent(name, event, &letter.repeat(more)).await,
            "{name} {event} {letter}"
        );
    }
}

#[tokio::test]
async fn a_client_that_counts_bytes_gets_as_many() {
    let mut host = LifecycleHost::new(ClientControls::default());
    let texts = ["é".repeat(4_800), "é".repeat(4_960), "c".repeat(10)];
    let declarations = texts
        .clone()
        .map(|text| json!({"event": "post_tool_use", "context": text, "priority": "suggestion"}));
    host.register("memory", &json!({ "declarations": declarations }));
    let copilot = client("copilot");
    let input = br#"{"hook_event_name": "PostToolUse", "tool_name": "Bash"}"#;
    let fired = clients::fire(copilot, None, &[], input, &host, &NoTools).await;
    let said = text(&fired.output).unwrap();
    assert!(said.len() <= 10_000 && said.contains(&texts[0]) && said.ends_with(&texts[2]));
    assert_eq!(
        fired.problem.as_deref(),
        Some("these hooks do not fit into the 10000 bytes of one answer: 1 of `memory`")
    );
    let characters = Limit::characters(9, Excess::Cut);
    assert_eq!((characters.length("aé€😀"), characters.length("")), (4, 0));
    assert_eq!(Limit::bytes(9, Excess::Cut).length("aé€😀"), 10);
    let start = |name| client(name).budget(Event::SessionStart);
    assert_eq!(start("claude-code").length("aé€😀"), 5);
    let tokens = start("codex");
    assert_eq!((tokens.length("aé€😀"), tokens.length("")), (3, 0));
}

#[tokio::test]
async fn no_tool_is_called_for_a_text_that_nobody_reads() {
    let mut host = LifecycleHost::new(ClientControls::default());
    let events = ["session_end", "pre_tool_use"];
    let declarations = events
        .map(|event| json!({"event": event, "context_tool": "panic", "priority": "required"}));
    host.register("memory", &json!({ "declarations": declarations }));
    let all = ALL.into_iter().flat_map(|client| {
        let unread = move |event: &Event| !client.mapping(*event).delivery.reaches_agent();
        let events = [Event::SessionEnd, Event::PreToolUse].into_iter();
        events.filter(unread).map(move |event| (client, event))
    });
    let unread: Vec<_> = all.collect();
    assert!(unread.len() >= ALL.len() + 2);
    for (client, event) in unread {
        let fired = clients::fire(client, Some(event), &[], b"{}", &host, &Broken).await;
        assert_eq!(fired.output, json!({}));
        assert!(fired.report.is_none() && fired.seen.is_some() && fired.problem.is_none());
    }
}

#[test]
fn a_long_text_fills_the_limit_and_does_not_exceed_it() {
    let event = Event::PostToolUse;
    let budgets = ALL.map(|client| client.budget(event));
    for limit in budgets.into_iter().chain([Limit::bytes(200, Excess::Cut)]) {
        for script in Script::ALL {
            let text = script.text(event, "memory", limit);
            let length = length(&text, "memory", limit);
            let (least, most) = (limit.most * 97 / 100, limit.most * 99 / 100);
            let is_long = length > least || limit.most < 1_000;
            assert!(is_long && length <= most, "{limit} {script}: {length}");
            assert!(text.starts_with(" is the delivery probe of post_tool_use."));
        }
    }
}
