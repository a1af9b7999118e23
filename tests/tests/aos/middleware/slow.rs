//! A client that sends slowly: its guardian's time begins when the message is whole.

use std::time::Duration;

use hooks_sdk::{
    WireTransport,
    aos::{GuardianClient, Messages, Posture},
    http::Server,
};
use hooks_tests::{clock::passes, toy_server};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWrite, AsyncWriteExt, duplex, split},
    net::TcpStream,
};

use super::{client_of, desk::Desk, soon};
use crate::observed::stand_in::{Question, StandIn};

/// The time of a question. The client takes longer to send its request.
const SHORT: Duration = Duration::from_millis(1_500);

fn message() -> String {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "echo", "arguments": {"text": "x".repeat(1000)}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    message.to_string()
}

/// Writes a text in ten parts, for four times as long as a question may take.
async fn drip(to: &mut (impl AsyncWrite + Unpin), text: &str) {
    for part in text.as_bytes().chunks(text.len() / 10) {
        to.write_all(part).await.unwrap();
        to.flush().await.unwrap();
        passes(SHORT * 4 / 10).await;
    }
}

fn clients(guardian: &StandIn) -> [GuardianClient; 2] {
    let client = || {
        client_of(guardian)
            .timeout(SHORT)
            .on_bypass(|bypass| panic!("{bypass:?}"))
            .posture(Posture::Proceed)
    };
    [client(), client().messages(Messages::Both)]
}

fn denied_in_whole(guardian: &StandIn, desk: &Desk, answer: &str) {
    assert!(answer.contains("no text messages at night"), "{answer}");
    assert_eq!(desk.ran(), 0);
    let question = guardian.questions().pop().expect("a question").body;
    assert!(
        question.to_string().contains(&"x".repeat(1000)),
        "{question}"
    );
}

#[tokio::test]
async fn a_slow_upload_over_http_is_asked_about_in_whole() {
    let guardian = StandIn::start(Question::deny).await;
    for client in clients(&guardian) {
        let desk = Desk::default();
        let address = toy_server::serve(Server::new(desk.guarded(client))).await;
        let body = message();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = TcpStream::connect(address).await.unwrap();
        drip(&mut stream, &head).await;
        drip(&mut stream, &body).await;
        let mut answer = String::new();
        soon(stream.read_to_string(&mut answer)).await.unwrap();
        denied_in_whole(&guardian, &desk, &answer);
    }
}

#[tokio::test]
async fn so_is_a_slow_line_of_a_stream() {
    let guardian = StandIn::start(Question::deny).await;
    for client in clients(&guardian) {
        let desk = Desk::default();
        let (mut ours, theirs) = duplex(1024 * 1024);
        let (read, write) = split(theirs);
        let serving = desk.guarded(client).serve(WireTransport::new(read, write));
        tokio::spawn(async move { serving.await.unwrap().waiting().await });
        drip(&mut ours, &(message() + "\n")).await;
        let answer = soon(async {
            let mut answer = Vec::new();
            while !answer.ends_with(b"\n") {
                answer.push(ours.read_u8().await.unwrap());
            }
            answer
        });
        let answer: Value = serde_json::from_slice(&answer.await).unwrap();
        denied_in_whole(&guardian, &desk, &answer.to_string());
    }
}
