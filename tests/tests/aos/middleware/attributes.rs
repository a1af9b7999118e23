//! Annotated tools, a hook that is a tool itself, and the tool that opens a session.

use hooks_sdk::{
    aos::{Agent, Posture},
    prelude::*,
    rmcp::{
        self, ServerHandler, handler::server::wrapper::Parameters, schemars, tool, tool_handler,
        tool_router,
    },
    server::Sessions,
    session::Machine,
    testing::TestHost,
};
use serde::Deserialize;
use serde_json::json;

use super::{KNOWLEDGE, REQUEST, RESULT, RETRIEVAL, STORE, client_of, desk::Desk, soon};
use crate::observed::stand_in::StandIn;

struct Notes;

#[derive(Deserialize, schemars::JsonSchema)]
struct Note {
    text: String,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Search {
    q: String,
}

#[tool_router]
#[hooks_sdk::hooks]
impl Notes {
    #[tool(description = "Keeps a note.")]
    #[aos::memory_store(content = "args.text")]
    async fn keep(&self, Parameters(note): Parameters<Note>) -> String {
        format!("kept {}", note.text)
    }

    #[tool(description = "What was noted.")]
    #[aos::memory_retrieval]
    async fn noted(&self) -> String {
        "buy milk".to_owned()
    }

    #[tool(description = "Finds pages.")]
    #[aos::knowledge(query = "args.q")]
    async fn find(&self, Parameters(search): Parameters<Search>) -> String {
        format!("a page about {}", search.q)
    }
}

#[tool_handler]
impl ServerHandler for Notes {}

fn methods(guardian: &StandIn) -> serde_json::Value {
    let questions = guardian.questions();
    questions
        .iter()
        .map(|question| question.body["method"].clone())
        .collect()
}

#[tokio::test]
async fn annotated_tools_are_steps_of_memory_and_of_knowledge() {
    let guardian = StandIn::start(|question| question.allow()).await;
    let agent = Agent::new("notes", "Notes").provider("Example", "https://example.com");
    let client = client_of(&guardian).agent(agent).posture(Posture::Deny);
    let server = Notes.with_hooks().unwrap().guardian(client);
    server.check().unwrap();
    let host = soon(TestHost::connect(server)).await.unwrap();
    let kept = soon(host.call_tool("keep", json!({"text": "milk"}))).await;
    assert_eq!(kept.unwrap().text(), "kept milk");
    soon(host.call_tool("noted", json!({}))).await.unwrap();
    soon(host.call_tool("find", json!({"q": "milk"})))
        .await
        .unwrap();
    let expected = [
        [REQUEST, STORE, RESULT],
        [REQUEST, RETRIEVAL, RESULT],
        [REQUEST, KNOWLEDGE, RESULT],
    ];
    assert_eq!(methods(&guardian), json!(expected.concat()));
}

#[tokio::test]
async fn a_tool_of_a_middleware_is_asked_about_like_any_other() {
    let guardian = StandIn::start(|question| question.deny()).await;
    let machine = Machine::standard()
        .opening("open")
        .only("echo")
        .build()
        .unwrap();
    let client = client_of(&guardian).posture(Posture::Deny);
    let server = Desk::default().hooked().guardian(client);
    let server = server.sessions(Sessions::on(machine));
    let host = soon(TestHost::connect(server)).await.unwrap();
    let answer = soon(host.call_tool("open", json!({}))).await.unwrap();
    assert!(answer.is_error(), "{answer:?}");
    assert_eq!(methods(&guardian), json!([REQUEST]));
    // A denied opening has opened nothing.
    let answer = soon(host.call_tool("echo", json!({"text": "a"})))
        .await
        .unwrap();
    assert!(answer.text().contains("session"), "{answer:?}");
    assert_eq!(methods(&guardian), json!([REQUEST]));
}
