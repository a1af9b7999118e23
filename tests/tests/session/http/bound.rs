//! Hooks that are bound to a session or request, over HTTP: they reach nobody else, and nothing is left of them.

use std::time::Duration;

use hooks_sdk::server::Guidance;
use hooks_tests::client::{Client, text};
use serde_json::{Value, json};

use super::office::{BOUND, LEAVE, handle, offices, serve};

/// How many hooks with this text are held by anybody.
fn bound(text: &str) -> usize {
    let bound = BOUND.lock().unwrap();
    let of_text = bound.iter().filter(|(each, _)| each == text);
    of_text.filter(|(_, held)| held.strong_count() > 0).count()
}

/// Waits until so many hooks with this text are left.
async fn left(text: &str, count: usize) {
    for _ in 0..3000 {
        if bound(text) == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} hooks `{text}` are left", bound(text));
}

fn bind(to: &str, text: &str, session: &Value) -> Value {
    let mut arguments = json!({"to": to, "text": text});
    if !session.is_null() {
        arguments["session"] = session.clone();
    }
    arguments
}

#[tokio::test]
async fn two_clients_with_equal_request_ids_share_no_hook() {
    let served = serve(offices().guidance(Guidance::new())).await;
    // Each request of this client has the id 1.
    let (one, two) = (
        Client::legacy(served.address).await,
        Client::legacy(served.address).await,
    );
    let stateless = Client::stateless(served.address);
    let mut clients = Vec::new();
    for client in [one, two] {
        client.call("session_init", json!({})).await;
        clients.push((client, Value::Null));
    }
    for _ in 0..2 {
        let opened = stateless.call("session_init", json!({})).await;
        clients.push((stateless.clone(), json!(handle(&opened))));
    }
    let work = async |(client, session): &(Client, Value)| {
        let arguments = bind("", "", session);
        let arguments = json!({"session": arguments.get("session")});
        let arguments = if session.is_null() {
            json!({})
        } else {
            arguments
        };
        text(&client.call("work", arguments).await)
    };
    for pair in clients.chunks(2) {
        let [one, two] = pair else { panic!("pairs") };
        let done = "FOR A REQUEST THAT IS DONE";
        let answer = one.0.call("bind", bind("request", done, &one.1)).await;
        assert!(text(&answer).contains(done), "{answer}");
        for client in [one, two] {
            assert!(!work(client).await.contains(done));
        }
        left(done, 0).await;

        let runs = "FOR A REQUEST THAT RUNS";
        let mut waits = bind("request", runs, &one.1);
        waits["waits"] = json!(true);
        let answers = async {
            left(runs, 1).await;
            let worked = work(two).await;
            let own = two.0.call("bind", bind("request", "OWN", &two.1)).await;
            LEAVE.add_permits(1);
            (worked, own)
        };
        let (answer, (worked, own)) = tokio::join!(one.0.call("bind", waits), answers);
        assert!(text(&answer).contains(runs), "{answer}");
        assert!(!worked.contains(runs), "{worked}");
        assert!(
            text(&own).contains("OWN") && !text(&own).contains(runs),
            "{own}"
        );
        left(runs, 0).await;
        left("OWN", 0).await;
    }
}
