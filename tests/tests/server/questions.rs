//! Questions of the server to its client: each belongs to the call that asks.

use std::time::Duration;

use hooks_sdk::{CallDeadline, Collected, WireTransport, core::Registry};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientResult, ContentBlock,
        ElicitRequest, ServerCapabilities, ServerConfig, ServerRequest,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex,
    split,
};

const DEADLINE: Duration = Duration::from_secs(60);

struct Asking;

async fn asks(peer: rmcp::Peer<RoleServer>) -> String {
    let params = json!({"mode": "form", "message": "well?",
        "requestedSchema": {"type": "object", "properties": {}}});
    let request = ElicitRequest::new(serde_json::from_value(params).unwrap());
    match peer
        .send_request(ServerRequest::ElicitRequest(request))
        .await
    {
        Ok(ClientResult::ElicitResult(_)) => "answered".to_owned(),
        Ok(other) => format!("{other:?}"),
        Err(error) => error.to_string(),
    }
}

impl ServerHandler for Asking {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let peer = cx.peer.clone();
        let said = match &*request.name {
            "ask" => asks(peer).await,
            "ask_beside" => tokio::spawn(asks(peer)).await.unwrap(),
            "ask_when_cancelled" => {
                cx.ct.cancelled().await;
                asks(peer).await
            }
            "ask_when_answered" => {
                tokio::spawn(async move {
                    cx.ct.cancelled().await;
                    asks(peer).await
                });
                "later".to_owned()
            }
            _ => std::future::pending().await,
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(said)]).into())
    }
}

struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
}

impl Client {
    /// A client that answers questions, of a server whose calls have a deadline.
    async fn of(deadline: CallDeadline) -> Client {
        let (ours, theirs) = duplex(64 * 1024);
        let (read, write) = split(theirs);
        let hooked = Collected::of(Registry::default()).unwrap().wrap(Asking);
        let hooked = hooked.unwrap().call_deadline(deadline);
        tokio::spawn(async move {
            let running = hooked.serve(WireTransport::new(read, write)).await.unwrap();
            running.waiting().await
        });
        let (read, write) = split(ours);
        let lines = BufReader::new(read).lines();
        let mut client = Client { lines, write };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "test", "version": "1"}});
        client
            .send(json!({"id": 0, "method": "initialize", "params": params}))
            .await;
        client.next().await;
        client
            .send(json!({"method": "notifications/initialized"}))
            .await;
        client
    }

    async fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        let line = format!("{message}\n");
        self.write.write_all(line.as_bytes()).await.unwrap();
    }

    async fn call(&mut self, id: u32, tool: &str) {
        let params = json!({"name": tool, "arguments": {}});
        self.send(json!({"id": id, "method": "tools/call", "params": params}))
            .await;
    }

    async fn next(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }

    async fn question(&mut self) -> Value {
        let question = self.next().await;
        assert_eq!(question["method"], "elicitation/create", "{question}");
        question["id"].clone()
    }

    async fn accept(&mut self, question: &Value) {
        let result = json!({"action": "accept", "content": {}});
        self.send(json!({"id": question, "result": result})).await;
    }

    /// Returns the id and the text of the next answer.
    async fn answer(&mut self) -> (u64, String) {
        let answer = self.next().await;
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
    assert_eq!(client.answer().await, (2, "answered".to_owned()));
    client.accept(&first).await;
    assert_eq!(client.answer().await, (1, "answered".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_question_after_its_call_reaches_the_client() {
    for deadline in [DEADLINE.into(), CallDeadline::none()] {
        let mut client = Client::of(deadline).await;
        client.call(1, "ask_when_cancelled").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let cancelled = json!({"requestId": 1});
        client
            .send(json!({"method": "notifications/cancelled", "params": cancelled}))
            .await;
        let question = client.question().await;
        client.accept(&question).await;
        client.call(2, "ask_when_answered").await;
        assert_eq!(client.answer().await, (2, "later".to_owned()));
        let question = client.question().await;
        client.accept(&question).await;
        client.call(3, "ask").await;
        let question = client.question().await;
        client.accept(&question).await;
        assert_eq!(client.answer().await, (3, "answered".to_owned()));
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
        assert_eq!(client.answer().await, (id.into(), "answered".to_owned()));
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
            client
                .send(json!({"id": id, "method": "tools/call", "params": params}))
                .await;
            let (answered, text) = client.answer().await;
            assert_eq!(answered, id);
            assert!(
                text.contains("not allowed on protocol 2026-07-28"),
                "{text}"
            );
        }
    }
}
