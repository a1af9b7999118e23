//! One policy, asked in the server's process and at a URL.

// ANCHOR: use
use std::time::Duration;

use hooks_sdk::{
    Hooked,
    aos::{
        Agent, CompletedToolCall, Guardian, GuardianClient, Memory, Posture, StepInfo,
        ToolCallRequest,
    },
    core::{BuildErrors, Verdict, Violation},
    http::{self, GuardianServer, HttpError},
    prelude::*,
};
// ANCHOR_END: use
use hooks_sdk::testing::TestHost;
use rmcp::{
    ServerHandler, handler::server::wrapper::Parameters, schemars, tool, tool_handler, tool_router,
};
use serde_json::json;

// ANCHOR: policy
/// What agents may do with notes.
pub(crate) struct NotePolicy;

#[hooks_sdk::hooks]
impl NotePolicy {
    /// Only people delete notes.
    #[aos::hook(tool_call_request, priority = 10)]
    async fn people_only(&self, call: &ToolCallRequest, cx: &StepInfo) -> Verdict<ToolCallRequest> {
        if call.tool_id != "delete_note" {
            return Verdict::Allow;
        }
        let user = cx.context().and_then(|context| context.user.as_ref());
        if user.is_some() {
            return Verdict::Allow;
        }
        let mut violation = Violation::new("notes are deleted by people only");
        violation.code = "PEOPLE_ONLY".to_owned();
        Verdict::Deny(violation)
    }

    /// No result shows a token.
    #[aos::hook(tool_call_result)]
    async fn no_tokens(&self, call: &CompletedToolCall) -> Verdict<CompletedToolCall> {
        let mut changed = call.clone();
        for output in &mut changed.result.outputs {
            output.text = output.text.replace("token-4711", "[removed]");
        }
        Verdict::Modify(changed)
    }

    /// Memory keeps no passwords.
    #[aos::hook(memory_store, deadline = "500ms")]
    async fn no_passwords(&self, memory: &Memory) -> Verdict<Memory> {
        if memory.memory.iter().any(|text| text.contains("password")) {
            return Verdict::Deny(Violation::new("passwords are not stored"));
        }
        Verdict::Allow
    }
}
// ANCHOR_END: policy

// ANCHOR: server
#[derive(Clone)]
pub(crate) struct Notes;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Text {
    text: String,
}

#[tool_router]
#[hooks_sdk::hooks]
impl Notes {
    #[tool]
    async fn delete_note(&self) -> String {
        "deleted".to_owned()
    }

    #[tool]
    async fn read_note(&self) -> String {
        "the build server takes token-4711".to_owned()
    }

    // ANCHOR: memory
    #[tool]
    #[aos::memory_store(content = "args.text")]
    async fn save_note(&self, Parameters(note): Parameters<Text>) -> String {
        format!("saved: {}", note.text)
    }
    // ANCHOR_END: memory
}

#[tool_handler]
impl ServerHandler for Notes {}
// ANCHOR_END: server

// ANCHOR: local
fn guarded_here() -> Result<Hooked<Notes>, BuildErrors> {
    let guardian = Guardian::local(NotePolicy)
        .agent(Agent::new("notes", "Notes").provider("Example", "https://example.com"))
        .posture(Posture::Deny);
    Ok(Notes.with_hooks()?.guardian(guardian))
}
// ANCHOR_END: local

// ANCHOR: http
fn guarded_at(url: &str, secret: &str) -> Result<Hooked<Notes>, BuildErrors> {
    let guardian = Guardian::http(url)
        .bearer(secret)
        .timeout(Duration::from_secs(2))
        .agent(Agent::new("notes", "Notes").provider("Example", "https://example.com"))
        .posture(Posture::Deny);
    Ok(Notes.with_hooks()?.guardian(guardian))
}
// ANCHOR_END: http

// ANCHOR: serve
pub(crate) async fn serve_policy(secret: String) -> Result<(), HttpError> {
    GuardianServer::new(Guardian::of(NotePolicy))
        .bearer(secret)
        .serve("127.0.0.1:8787")
        .await
}
// ANCHOR_END: serve

// ANCHOR: mount
pub(crate) async fn serve_both(notes: Hooked<Notes>) -> Result<(), HttpError> {
    http::Server::new(notes)
        .guardian_at("/aos", Guardian::of(NotePolicy))
        .serve("127.0.0.1:8080")
        .await
}
// ANCHOR_END: mount

// ANCHOR: ask
/// Asks before the server starts work of its own.
pub(crate) async fn nightly(guardian: &GuardianClient) -> bool {
    use hooks_sdk::aos::{AgentTrigger, Part, StepOutcome, TextPart, TriggerEvent, point};

    let event = TriggerEvent::new("schedule", "nightly-summary");
    let content = vec![Part::Text(TextPart::new("summarize the notes of today"))];
    let trigger = AgentTrigger::new(event, content);
    match guardian.ask(point::agent_trigger, trigger).await {
        StepOutcome::Allowed | StepOutcome::Bypassed(_) => true,
        StepOutcome::Modified(_) | StepOutcome::Denied(_) => false,
    }
}
// ANCHOR_END: ask

async fn check(server: Hooked<Notes>) {
    let host = TestHost::connect(server).await.unwrap();
    let deleted = host.call_tool("delete_note", json!({})).await.unwrap();
    assert!(deleted.is_error());
    assert!(
        deleted.text().contains("notes are deleted by people only"),
        "{}",
        deleted.text()
    );
    let read = host.call_tool("read_note", json!({})).await.unwrap();
    assert_eq!(read.text(), "the build server takes [removed]");
    let saved = host.call_tool("save_note", json!({"text": "milk"})).await;
    assert_eq!(saved.unwrap().text(), "saved: milk");
    let saved = host.call_tool("save_note", json!({"text": "my password"}));
    assert!(saved.await.unwrap().is_error());
}

#[tokio::test]
async fn one_policy_decides_here_and_at_a_url() {
    check(guarded_here().unwrap()).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/aos", listener.local_addr().unwrap());
    let guardian = GuardianServer::new(Guardian::of(NotePolicy)).bearer("secret");
    let serving = tokio::spawn(guardian.serve_on(listener, std::future::pending::<()>()));
    check(guarded_at(&url, "secret").unwrap()).await;
    serving.abort();
}

#[tokio::test]
async fn work_of_the_server_s_own_needs_a_hook() {
    let guardian = Guardian::local(NotePolicy)
        .agent(Agent::new("notes", "Notes").provider("Example", "https://example.com"))
        .posture(Posture::Deny);
    assert!(!nightly(&guardian).await);
    assert_eq!(guardian.counts().refused, 1);
}
