//! The ids of the server's own requests: nobody can guess them, and each belongs to one session.

use hooks_tests::client::{Client, LEGACY, told};
use hyper::StatusCode;
use serde_json::{Value, json};

use super::desk::serve;

fn accepted(by: &str) -> Value {
    json!({"action": "accept", "content": {"by": by}})
}

async fn client(address: std::net::SocketAddr) -> Client {
    Client::of(LEGACY, address, json!({"elicitation": {}}))
        .await
        .0
}

#[tokio::test]
async fn a_question_is_answered_on_the_stream_of_its_call() {
    let (address, heard) = serve().await;
    let client = client(address).await;
    let mut call = client.start("ask", json!({})).await;
    let question = call.until("elicitation/create").await;
    let id = question["id"].as_str().expect("a text");
    assert_eq!(id.len(), 65, "{id}");
    assert_eq!(question["params"]["_meta"]["progressToken"], id);
    // The user is asked, and the client reports progress meanwhile. The server hears its own token.
    let progress = |token: &Value| json!({"progressToken": token, "progress": 1});
    client
        .notify("notifications/progress", progress(&json!(0)))
        .await;
    client
        .notify("notifications/progress", progress(&question["id"]))
        .await;
    let token = heard.lock().await.recv().await.expect("progress")["token"].clone();
    assert!(token.is_number(), "{token}");
    assert_eq!(
        client.respond(&question["id"], accepted("me")).await,
        StatusCode::ACCEPTED
    );
    assert_eq!(told(&call.result().await), accepted("me"));
    assert!(
        heard.lock().await.try_recv().is_err(),
        "the guessed token was heard"
    );
}

#[tokio::test]
async fn an_answer_to_a_guessed_id_answers_nothing() {
    let (address, _) = serve().await;
    let client = client(address).await;
    let mut call = client.start("ask", json!({})).await;
    let question = call.until("elicitation/create").await;
    let own = question["id"].as_str().expect("a text");
    let (replica, _) = own.split_once('.').expect("two numbers");
    for guessed in [
        json!(0),
        json!("0"),
        json!(1),
        json!(replica),
        json!(format!("{replica}.{replica}")),
        json!(own.to_uppercase()),
    ] {
        client.respond(&guessed, accepted("a guess")).await;
        let error = json!({"jsonrpc": "2.0", "id": guessed, "error": {"code": 1, "message": "no"}});
        client.post(&error.to_string()).await;
    }
    client.respond(&question["id"], accepted("me")).await;
    assert_eq!(told(&call.result().await), accepted("me"));
}

#[tokio::test]
async fn no_session_answers_for_another() {
    let (address, _) = serve().await;
    let (one, two) = (client(address).await, client(address).await);
    let mut calls = Vec::new();
    for client in [&one, &two] {
        let mut call = client.start("ask", json!({})).await;
        let id = call.until("elicitation/create").await["id"].clone();
        calls.push((call, id));
    }
    // rmcp numbers the requests of each session from 0. The ids that leave differ.
    assert_ne!(calls[0].1, calls[1].1);
    one.respond(&calls[1].1, accepted("one, for two")).await;
    two.respond(&calls[0].1, accepted("two, for one")).await;
    one.respond(&calls[0].1, accepted("one")).await;
    two.respond(&calls[1].1, accepted("two")).await;
    for ((call, _), by) in calls.into_iter().zip(["one", "two"]) {
        assert_eq!(told(&call.result().await), accepted(by));
    }
}
