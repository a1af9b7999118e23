//! MCPL over a session of rmcp's HTTP service, where notifications come in no order.

use std::time::Duration;

use hooks_sdk::{
    Collected,
    core::Registry,
    mcpl::{
        self, BeforeInference, Context, Definition, Enabled, EventId, FeatureSet, Injection,
        McplHook, Position, Push, Pushed, point,
    },
};
use hooks_tests::client::Client;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;

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
