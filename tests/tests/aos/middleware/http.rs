//! A guarded server over HTTP, and its readiness.

use std::time::Duration;

use hooks_sdk::{
    aos::{Guardian, GuardianClient, Posture},
    http::Server,
};
use hooks_tests::client::{Client, ask, get};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{RESULT, changes, client_of, desk::Desk, redact, soon};
use crate::observed::stand_in::{Act, StandIn};

/// Serves on a free port, and returns its address.
async fn serve(desk: &Desk, client: GuardianClient) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    serve_on(listener, desk, client)
}

fn serve_on(listener: TcpListener, desk: &Desk, client: GuardianClient) -> std::net::SocketAddr {
    let address = listener.local_addr().expect("an address");
    let server = Server::new(desk.guarded(client)).principal(|_| Some("ann".to_owned()));
    tokio::spawn(server.serve_on(listener, std::future::pending()));
    address
}

#[tokio::test]
async fn both_generations_are_guarded_and_the_principal_is_the_user() {
    let guardian = StandIn::start(changes(RESULT, redact)).await;
    let desk = Desk::default();
    let address = serve(&desk, client_of(&guardian).posture(Posture::Deny)).await;
    let clients = [Client::stateless(address), Client::legacy(address).await];
    for client in clients {
        let answer = soon(client.call("typed", json!({}))).await;
        assert_eq!(
            answer["structuredContent"],
            json!({"secret": "***"}),
            "{answer}"
        );
    }
    let questions = guardian.questions();
    assert_eq!(questions.len(), 4);
    for question in questions {
        assert_eq!(question.body["params"]["context"]["user"]["id"], "ann");
    }
}

async fn readiness(address: std::net::SocketAddr) -> (u16, Value) {
    let reply = ask(address, get("/readyz", "localhost")).await;
    (reply.status.as_u16(), reply.json())
}

#[tokio::test]
async fn readiness_asks_the_guardian_and_shows_the_posture() {
    let pong = |question: &crate::observed::stand_in::Question| {
        assert_eq!(question.body["method"], "ping");
        Act::json(
            json!({"jsonrpc": "2.0", "id": question.body["id"], "result": {
                "status": "connected", "version": "1", "timestamp": "2026-01-01T00:00:00Z",
            }})
            .to_string(),
        )
    };
    let guardian = StandIn::start(pong).await;
    let gone = StandIn::start(pong).await;
    let nobody = client_of(&gone);
    gone.stop().await;
    for (client, posture, status, word) in [
        (client_of(&guardian), Posture::Deny, 200, "ok"),
        (nobody.clone(), Posture::Deny, 503, "failed"),
        (nobody, Posture::Proceed, 200, "failed"),
    ] {
        let desk = Desk::default();
        let address = serve(&desk, client.posture(posture)).await;
        let (code, body) = soon(readiness(address)).await;
        assert_eq!(
            (code, &body["checks"]["guardian"]),
            (status, &json!(word)),
            "{body}"
        );
        let expected = match posture {
            Posture::Deny => "closed when the guardian gives no decision",
            Posture::Proceed => "open when the guardian gives no decision",
        };
        assert_eq!(body["posture"]["guardian"], expected);
    }
}

#[tokio::test]
async fn a_server_that_is_its_own_guardian_comes_to_an_end() {
    for (posture, ran) in [(Posture::Deny, 0), (Posture::Proceed, 1)] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let client = Guardian::http(format!("http://{address}/mcp"))
            .timeout(Duration::from_secs(5))
            .posture(posture);
        let desk = Desk::default();
        serve_on(listener, &desk, client);
        let answer = soon(Client::stateless(address).call("echo", json!({"text": "a"}))).await;
        assert_eq!(answer["isError"] == true, ran == 0, "{answer}");
        assert_eq!(desk.ran(), ran);
    }
}
