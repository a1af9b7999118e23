//! A host of MCPL on a WebSocket.

use hooks_tests::toy_server;

use super::*;

/// A server that tells an MCPL host who it is.
struct Greeter;

impl ServerHandler for Greeter {}

/// Greet the host
#[mcpl::feature_set("greeting", server = Greeter)]
struct Greeting;

#[hooks_sdk::hooks]
impl Greeter {
    #[mcpl::hook(before_inference, feature_set = Greeting, inject(before_user))]
    async fn greet(&self, _: &BeforeInference, cx: &mcpl::Context) -> Option<Injection> {
        let text = format!("{:?} {:?}", cx.host_name(), cx.principal());
        Some(Injection::new("greeting", Position::BeforeUser, text))
    }
}

/// Connects an MCPL host of this name and this user. Returns what is injected before its inference.
async fn greeted(hooked: Hooked<Greeter>, name: &str, user: &str) -> Value {
    let server = http::Server::new(hooked)
        .principal(|parts| Some(parts.headers.get("x-user")?.to_str().ok()?.to_owned()));
    let address = toy_server::serve(server).await;
    let mut host = Client::open(address, "/mcpl", &[("x-user", user)]).await;
    let mcpl =
        json!({"version": "0.4", "contextHooks": {"beforeInference": true}, "featureSets": true});
    let params = json!({
        "protocolVersion": LEGACY,
        "capabilities": {"experimental": {"mcpl": mcpl}},
        "clientInfo": {"name": name, "version": "1"},
    });
    let answer = host.ask(0, "initialize", params).await;
    let declared = &answer["result"]["capabilities"]["experimental"]["mcpl"];
    assert_eq!(
        declared["contextHooks"]["beforeInference"], true,
        "{answer}"
    );
    let update =
        json!({"jsonrpc": "2.0", "method": "featureSets/update", "params": {"enabled": ["*"]}});
    for told in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        update,
    ] {
        host.send(told.to_string()).await;
    }
    let turn = json!({
        "inferenceId": "1", "conversationId": "c", "turnIndex": 0, "userMessage": "hello",
        "model": {"id": "m", "vendor": "v", "contextWindow": 1000, "capabilities": []},
    });
    let mut answer = host.ask(1, "context/beforeInference", turn).await;
    answer["result"]["contextInjections"][0]["content"].take()
}

#[tokio::test]
async fn a_host_of_mcpl_connects_at_its_path_and_its_user_is_known() {
    let hooked = Greeter.with_hooks().expect("sound hooks");
    let text = greeted(hooked, "connectome", "kim").await.to_string();
    assert!(
        text.contains("connectome") && text.contains("kim"),
        "{text}"
    );
}
