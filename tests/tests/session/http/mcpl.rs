//! MCPL over a session of rmcp's HTTP service, where notifications come in no order.

use std::{net::SocketAddr, time::Duration};

use hooks_sdk::{
    Collected, Policy,
    core::Registry,
    mcpl::{
        self, BeforeInference, Context, Definition, Enabled, EventId, FeatureSet, Injection,
        McplHook, Position, Push, Pushed, point,
    },
    plugin::ready::Redact,
};
use hooks_tests::client::Client;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::mpsc::unbounded_channel};

use super::office::{Office, serve_with};

struct Memos;

impl FeatureSet for Memos {
    const DEFINITION: Definition = Definition::new("office.memos", "Show the memos");
}

fn offices() -> Collected<Office> {
    let memo = McplHook::answering::<Memos, _, _, _>(
        "memo",
        point::before_inference,
        |_office: &Office, turn: &BeforeInference, _cx: &Context| {
            let said = turn.user_message.clone().unwrap_or_default();
            Box::pin(async move { Injection::new("office", Position::BeforeUser, said) })
        },
    );
    with(memo)
}

fn with(hook: McplHook) -> Collected<Office> {
    let registry = Registry::builder().add(hook.into()).build();
    Collected::of(registry.expect("one hook")).expect("a sound hook")
}

async fn ask(host: &Client) -> Value {
    let turn = json!({
        "inferenceId": "inf",
        "conversationId": "conv",
        "turnIndex": 0,
        "userMessage": "What is new?",
        "model": {},
    });
    let mut answer = host.ask("context/beforeInference", turn).await;
    answer["result"]["contextInjections"].take()
}

#[tokio::test]
async fn a_session_is_a_connection_with_a_policy_of_its_own() {
    let served = serve_with(offices(), StreamableHttpServerConfig::default()).await;
    let mcpl = json!({"experimental": {"mcpl": {"version": "0.4"}}});
    let (host, handshake) = Client::stranger(served.address)
        .capable(mcpl.clone())
        .shake_hands()
        .await;
    let declared = &handshake["capabilities"]["experimental"]["mcpl"];
    assert_eq!(declared["contextHooks"], json!({"beforeInference": true}));
    let (other, _) = Client::stranger(served.address)
        .capable(mcpl)
        .shake_hands()
        .await;
    assert_eq!(ask(&host).await, json!([]), "before the policy");

    host.notify("featureSets/update", json!({"enabled": ["office.*"]}))
        .await;
    let mut injections = json!([]);
    for _ in 0..600 {
        injections = ask(&host).await;
        if injections != json!([]) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(injections[0]["content"], "What is new?");
    assert_eq!(ask(&other).await, json!([]), "another session");
}

/// Says what became of a push.
#[mcpl::feature_set("office.post", sends(push), server = Office)]
struct Post;

#[tokio::test]
async fn a_server_asks_its_host_on_the_stream_of_the_session() {
    let (tell, mut told) = unbounded_channel();
    let deliver = McplHook::answering::<Post, _, _, _>(
        "deliver",
        point::enabled,
        move |_office: &Office, now: &Enabled, _cx: &Context| {
            let (host, tell) = (now.host().clone(), tell.clone());
            Box::pin(async move {
                let letter = Push::new(EventId::of("letter", "1"), "A letter came.");
                _ = tell.send(host.push::<Post>(&letter).await);
            })
        },
    );
    let served = serve_with(with(deliver), StreamableHttpServerConfig::default()).await;
    let mcpl = json!({"experimental": {"mcpl": {"version": "0.4"}}});
    let (host, _) = Client::stranger(served.address)
        .capable(mcpl)
        .shake_hands()
        .await;
    let mut heard = host.listen().await;
    host.notify("featureSets/update", json!({"enabled": ["office.post"]}))
        .await;
    let push = loop {
        let message = heard.next().await.expect("a message");
        if message["method"] == "push/event" {
            break message;
        }
    };
    assert_eq!(push["params"]["featureSet"], "office.post");
    host.respond(&push["id"], json!({"accepted": true})).await;
    let outcome = told.recv().await.expect("an outcome");
    assert!(matches!(outcome, Ok(Pushed::Accepted(_))), "{outcome:?}");
}

#[tokio::test]
async fn a_plain_client_is_told_nothing() {
    let served = serve_with(offices(), StreamableHttpServerConfig::default()).await;
    let (client, handshake) = Client::stranger(served.address)
        .capable(json!({}))
        .shake_hands()
        .await;
    assert_eq!(handshake["capabilities"]["experimental"].get("mcpl"), None);
    let answer = client.ask("context/beforeInference", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601);
}

const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

#[tokio::test]
async fn what_an_mcpl_server_sends_in_a_session_has_no_secret() {
    let deliver = McplHook::answering::<Post, _, _, _>(
        "deliver",
        point::enabled,
        |_office: &Office, now: &Enabled, _cx: &Context| {
            let host = now.host().clone();
            Box::pin(async move {
                let nested = json!({"log": format!("x\n{TOKEN}")}).to_string();
                for (event, said) in [("1", TOKEN), ("2", &nested)] {
                    let letter = Push::new(EventId::of("letter", event), said);
                    _ = host.push::<Post>(&letter).await;
                }
            })
        },
    );
    let redacting = || Policy::new().with(Redact::new());
    let delivering = with(deliver).policy(redacting());
    let mcpl = json!({"experimental": {"mcpl": {"version": "0.4"}}});
    let (host, _) = Client::stranger(served(delivering).await)
        .capable(mcpl.clone())
        .shake_hands()
        .await;
    let mut heard = host.listen().await;
    host.notify("featureSets/update", json!({"enabled": ["office.post"]}))
        .await;
    for event in ["letter#1", "letter#2"] {
        let push = loop {
            let message = heard.next().await.expect("a message");
            assert!(!message.to_string().contains(TOKEN), "{message}");
            if message["method"] == "push/event" {
                break message;
            }
        };
        assert!(push.to_string().contains("[REDACTED]"), "{push}");
        assert_eq!(push["params"]["eventId"], event, "{push}");
        host.respond(&push["id"], json!({"accepted": true})).await;
    }
    let (host, _) = Client::stranger(served(offices().policy(redacting())).await)
        .capable(mcpl.clone())
        .shake_hands()
        .await;
    host.notify("featureSets/update", json!({"enabled": ["office.*"]}))
        .await;
    let turn = json!({
        "inferenceId": "inf", "conversationId": "conv", "turnIndex": 0, "model": {},
        "userMessage": format!("use {TOKEN}"),
    });
    let mut answer = json!(null);
    for _ in 0..600 {
        answer = host.ask("context/beforeInference", turn.clone()).await;
        if answer["result"]["contextInjections"] != json!([]) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let injected = &answer["result"]["contextInjections"][0]["content"];
    assert_eq!(injected, "use [REDACTED]", "{answer}");
    let unknown = json!({"featureSet": TOKEN, "checkpoint": TOKEN});
    let answer = host.ask("state/rollback", unknown).await;
    assert!(!answer.to_string().contains(TOKEN), "{answer}");
}

/// Serves by the SDK's own server.
async fn served(offices: Collected<Office>) -> SocketAddr {
    let hooked = offices.wrap(Office::first()).expect("a server");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let server = hooks_sdk::http::Server::new(hooked);
    tokio::spawn(server.serve_on(listener, std::future::pending()));
    address
}
