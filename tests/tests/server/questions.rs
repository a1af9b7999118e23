//! Questions of the server to its client: each belongs to the call that asks.

use std::{future::pending, time::Duration};

use hooks_sdk::CallDeadline;
use hooks_tests::{
    client::peer::Stream,
    toy_server::{ToolCall, ToyServer},
};
use serde_json::{Value, json};

const DEADLINE: Duration = Duration::from_secs(60);

const ANSWERED: &str = r#"{"action":"accept","content":{}}"#;

/// A server whose tools ask at different times.
fn asking() -> ToyServer {
    let asks = async |call: ToolCall| call.ask("well?").await;
    ToyServer::default()
        .tool("ask", asks)
        .tool("ask_beside", async |call: ToolCall| {
            let beside = tokio::spawn(async move { call.ask("well?").await });
            beside.await.unwrap()
        })
        .tool("ask_when_cancelled", async |call: ToolCall| {
            call.cx.ct.cancelled().await;
            call.ask("well?").await
        })
        .tool("ask_when_answered", async |call: ToolCall| {
            tokio::spawn(async move {
                call.cx.ct.cancelled().await;
                call.ask("well?").await
            });
            "later".to_owned()
        })
        .tool("hang", async |_| pending().await)
}

struct Client(Stream);

impl Client {
    /// A client that answers questions, of a server whose calls have a deadline.
    async fn of(deadline: CallDeadline) -> Client {
        let stream = Stream::legacy(asking().bare().call_deadline(deadline)).await;
        Client(stream.without_patience())
    }

    async fn call(&mut self, id: u64, tool: &str) {
        let params = json!({"name": tool, "arguments": {}});
        self.0.send(Some(id), "tools/call", params).await;
    }

    async fn question(&mut self) -> Value {
        let question = self.0.next().await;
        assert_eq!(question["method"], "elicitation/create", "{question}");
        question["id"].clone()
    }

    async fn accept(&mut self, question: &Value) {
        let result = json!({"action": "accept", "content": {}});
        let answer = json!({"jsonrpc": "2.0", "id": question, "result": result});
        self.0.write(&answer).await;
    }

    /// Returns the id and the text of the next answer.
    async fn answer(&mut self) -> (u64, String) {
        let answer = self.0.next().await;
        let text = answer["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{answer}"));
        (answer["id"].as_u64().unwrap(), text.to_owned())
    }
}

#[tokio::test(start_paused = true)]
async fn calls_that_ask_wait_for_their_own_questions_only() {
    let mut client = Client::of(DEADLINE.into()).await;
    client.call(1, "ask").await;
    let first = client.question().await;
    client.call(2, "ask_beside").await;
    let second = client.question().await;
    assert_ne!(first, second);
    client.call(3, "hang").await;
    let (id, text) = client.answer().await;
    assert!(
        id == 3 && text.contains("did not end within 60 s"),
        "{id} {text}"
    );
    tokio::time::sleep(DEADLINE * 4).await;
    client.accept(&second).await;
    assert_eq!(client.answer().await, (2, ANSWERED.to_owned()));
    client.accept(&first).await;
    assert_eq!(client.answer().await, (1, ANSWERED.to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_question_after_its_call_reaches_the_client() {
    for deadline in [DEADLINE.into(), CallDeadline::none()] {
        let mut client = Client::of(deadline).await;
        client.call(1, "ask_when_cancelled").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let cancelled = json!({"requestId": 1});
        client.0.notify("notifications/cancelled", cancelled).await;
        let question = client.question().await;
        client.accept(&question).await;
        client.call(2, "ask_when_answered").await;
        assert_eq!(client.answer().await, (2, "later".to_owned()));
        let question = client.question().await;
        client.accept(&question).await;
        client.call(3, "ask").await;
        let question = client.question().await;
        client.accept(&question).await;
        assert_eq!(client.answer().await, (3, ANSWERED.to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn the_peers_of_old_calls_are_given_up() {
    let mut client = Client::of(DEADLINE.into()).await;
    client.call(1, "ask_when_answered").await;
    assert_eq!(client.answer().await, (1, "later".to_owned()));
    client.question().await;
    for id in 2..100 {
        client.call(id, "ask").await;
        let question = client.question().await;
        client.accept(&question).await;
        assert_eq!(client.answer().await, (id, ANSWERED.to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_of_the_revision_without_questions_asks_none_in_any_session() {
    for deadline in [DEADLINE.into(), CallDeadline::none()] {
        let mut client = Client::of(deadline).await;
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        });
        for (id, tool) in [(1, "ask"), (2, "ask_beside")] {
            let params = json!({"name": tool, "arguments": {}, "_meta": meta});
            client.0.send(Some(id), "tools/call", params).await;
            let (answered, text) = client.answer().await;
            assert_eq!(answered, id);
            assert!(
                text.contains("not allowed on protocol 2026-07-28"),
                "{text}"
            );
        }
    }
}
