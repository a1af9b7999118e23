//! Which stream carries a message of the server: that of its call, or that of the session. How a stream is read on.

use std::{net::SocketAddr, time::Duration};

use futures::future::join_all;
use hooks_sdk::{CallDeadline, http::Server};
use hooks_tests::{
    client::{Answer, Client, LEGACY, told},
    toy_server::{ToolCall, ToyServer},
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::desk::{desk, serve, served};

/// How many streams of calls a session keeps.
const KEPT: usize = 16;

async fn client() -> Client {
    client_of(serve().await.0).await
}

async fn client_of(address: SocketAddr) -> Client {
    let opened = Client::of(LEGACY, address, json!({"elicitation": {}}));
    opened.await.0
}

/// Calls a tool that asks. Returns the call and its question.
async fn asking(client: &Client) -> (Answer, Value) {
    let mut call = client.start("ask", json!({})).await;
    let question = call.until("elicitation/create").await;
    (call, question["id"].clone())
}

async fn accept(client: &Client, id: &Value) {
    client.respond(id, json!({"action": "accept"})).await;
}

#[tokio::test]
async fn a_question_of_no_call_leaves_on_the_only_call_or_on_the_session() {
    let client = client().await;
    let mut session = client.listen().await;
    let (mut first, one) = asking(&client).await;
    let (second, two) = asking(&client).await;
    // Two calls run, so nobody knows which one it is for.
    client.notify("desk/ask", json!({})).await;
    let asked = session.until("elicitation/create").await;
    accept(&client, &asked["id"]).await;
    accept(&client, &two).await;
    assert_eq!(told(&second.result().await)["action"], "accept");

    client.notify("desk/ask", json!({})).await;
    let asked = first.until("elicitation/create").await;
    accept(&client, &asked["id"]).await;
    accept(&client, &one).await;
    assert_eq!(told(&first.result().await)["action"], "accept");
}

/// A server with hooks, and one without.
#[tokio::test]
async fn a_question_of_a_call_without_a_deadline_leaves_on_its_own_stream() {
    let (hooked, _heard) = desk();
    let toys = ToyServer::default().tool("ask", async |call: ToolCall| {
        let asks = tokio::spawn(async move { call.ask("Sure?").await });
        asks.await.expect("no panic")
    });
    for server in [
        Server::new(hooked.call_deadline(CallDeadline::none())),
        Server::new(toys.bare().call_deadline(CallDeadline::none())),
    ] {
        let client = client_of(served(server).await).await;
        let (first, one) = asking(&client).await;
        let (second, two) = asking(&client).await;
        accept(&client, &two).await;
        assert_eq!(told(&second.result().await)["action"], "accept");
        accept(&client, &one).await;
        assert_eq!(told(&first.result().await)["action"], "accept");
    }
}

/// The peer of a call works until 16 later calls have ended. A ping is no call.
#[tokio::test]
async fn a_request_that_is_no_call_ends_no_peer_of_a_call() {
    let toys = ToyServer::default().tool("later", async |call: ToolCall| {
        tokio::spawn(async move {
            call.wait_for_leave().await;
            call.ask("Sure?").await
        });
        "It goes on.".to_owned()
    });
    for deadline in [
        CallDeadline::none(),
        CallDeadline::after(Duration::from_secs(60)),
    ] {
        let server = Server::new(toys.bare().call_deadline(deadline));
        let client = client_of(served(server).await).await;
        let mut session = client.listen().await;
        client.call("later", json!({})).await;
        for _ in 0..=KEPT {
            assert_eq!(client.ask("ping", json!({})).await["result"], json!({}));
        }
        toys.leave.add_permits(1);
        let asked = session.until("elicitation/create");
        let asked = timeout(Duration::from_secs(10), asked).await;
        accept(&client, &asked.expect("the question")["id"]).await;
    }
}

#[tokio::test]
async fn the_oldest_streams_of_calls_are_forgotten() {
    let client = client().await;
    let mut calls = Vec::new();
    for _ in 0..KEPT + 2 {
        let mut call = client.start("ask", json!({})).await;
        let question = call.until_event("elicitation/create").await;
        drop(call);
        accept(&client, &question.message["id"]).await;
        calls.push(question.id.expect("an id"));
    }
    let resumed = calls.iter().map(|event| client.resume(event));
    let resumed = join_all(resumed).await.into_iter();
    let answers = join_all(resumed.map(async |mut stream| stream.last().await)).await;
    for (at, answer) in answers.iter().enumerate() {
        let is_kept = at >= 2;
        assert_eq!(answer.get("result").is_some(), is_kept, "{at}: {answer}");
    }
}

#[tokio::test]
async fn a_second_stream_of_a_session_waits_for_the_first() {
    let client = client().await;
    let mut first = client.listen().await;
    client.notify("desk/one", json!({})).await;
    first.until("desk/one").await;
    let mut second = client.listen().await;
    client.notify("desk/two", json!({})).await;
    first.until("desk/two").await;
    drop(first);
    // The server sees a moment later that the connection is closed.
    let next = loop {
        client.notify("desk/three", json!({})).await;
        if let Ok(next) = timeout(Duration::from_millis(200), second.next()).await {
            break next.expect("a message");
        }
    };
    assert_eq!(next["method"], "desk/three", "each message comes once");
}

/// Gemini CLI of today speaks 2025-06-18. An event without data ends its connection.
#[tokio::test]
async fn a_stream_begins_without_data_only_for_who_can_read_it() {
    for (version, is_primed) in [(LEGACY, true), ("2025-06-18", false), ("2025-03-26", false)] {
        let mut client = client().await;
        client.version = version;
        let mut stream = client.listen().await;
        client.notify("desk/one", json!({})).await;
        let text = stream.raw_until("desk/one").await;
        assert_eq!(text.contains("data: \n"), is_primed, "{version}: {text}");
    }
}
