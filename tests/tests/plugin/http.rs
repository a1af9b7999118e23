//! Plugin hooks over rmcp's HTTP service: headers, and a question that one replica asks and another one takes up.

use std::{net::SocketAddr, sync::Arc};

use hooks_sdk::{
    Collected, Policy,
    core::{Registry, Verdict},
    plugin::{Outcome, PluginHook, Question, ToolCall, point},
    rmcp::model::RequestStateCodec,
    store::MemoryStore,
};
use hooks_tests::{client::Client, toy_server};
use hyper::{Request, body::Incoming, service::service_fn};
use hyper_util::rt::TokioIo;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::server::Files;

pub(crate) async fn serve(files: &Files, hook: PluginHook, policy: Policy) -> SocketAddr {
    let registry = Registry::builder().add(hook.into()).build().unwrap();
    let collected = Collected::of(registry).unwrap().policy(policy);
    let files = files.clone();
    let factory = move || collected.wrap(files.clone()).map_err(std::io::Error::other);
    let sessions = Arc::new(LocalSessionManager::default());
    let config = StreamableHttpServerConfig::default();
    let service = StreamableHttpService::new(factory, sessions, config);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = service.clone();
            let answer = service_fn(move |request: Request<Incoming>| {
                let service = service.clone();
                async move { Ok::<_, std::convert::Infallible>(service.handle(request).await) }
            });
            let builder = hyper::server::conn::http1::Builder::new();
            tokio::spawn(builder.serve_connection(TokioIo::new(stream), answer));
        }
    });
    address
}

#[tokio::test]
async fn hooks_see_headers_but_no_secrets_and_the_tool_sees_what_they_left() {
    for (policy, expected) in [
        (Policy::new(), json!([false, false])),
        (
            Policy::new().expose_header("Authorization"),
            json!([true, false]),
        ),
    ] {
        let hook = PluginHook::answering_any::<_, Verdict<ToolCall>>(
            "mark",
            point::tool_pre_invoke,
            |call, _| {
                Box::pin(async move {
                    let mut call = call.clone();
                    let headers = call.headers.as_mut().unwrap();
                    let seen = json!([
                        headers.contains("authorization"),
                        headers.contains("cookie")
                    ]);
                    headers.set("X-A", "1");
                    call.args.insert("seen".into(), seen);
                    Verdict::Modify(call)
                })
            },
        );
        let files = Files::default();
        let client = Client::stateless(serve(&files, hook, policy).await)
            .with("authorization", "Bearer secret")
            .with("cookie", "secret");
        let answer = client.call("read_file", json!({"path": "a"})).await;
        let said = &answer["structuredContent"];
        assert_eq!(said["args"]["seen"], expected, "{answer}");
        assert_eq!(said["headers"]["X-A"], "1");
    }
}

/// A hook that asks once.
fn asking() -> PluginHook {
    PluginHook::answering_any::<_, Outcome<ToolCall>>("ask", point::tool_pre_invoke, |_, cx| {
        let asked = !cx.elicitation_responses.is_empty();
        Box::pin(async move {
            if asked {
                Outcome::allow()
            } else {
                Outcome::ask(Question::confirm("Sure?"))
            }
        })
    })
}

#[tokio::test]
async fn one_replica_asks_and_another_one_takes_the_answer() {
    let files = Files::default();
    let store = Arc::new(MemoryStore::new());
    let policy = || {
        let keys = RequestStateCodec::try_new(vec![7; 32]).unwrap();
        Policy::new().store(store.clone()).keys(keys).user(|cx| {
            let parts = cx.extensions.get::<hyper::http::request::Parts>()?;
            Some(parts.headers.get("x-user")?.to_str().ok()?.to_owned())
        })
    };
    let one = Client::stateless(serve(&files, asking(), policy()).await).with("x-user", "ann");
    let other = serve(&files, asking(), policy()).await;
    let meta = json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});
    let params = json!({"name": "delete_file", "arguments": {"path": "a"}, "_meta": meta});
    let asked = one.ask("tools/call", params.clone()).await["result"].take();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let mut retry = params;
    retry["requestState"] = asked["requestState"].clone();
    retry["inputResponses"] =
        json!({"hook:ask": {"action": "accept", "content": {"confirm": true}}});
    let text = |answer: Value| {
        answer["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    // Another user cannot spend it.
    let thief = Client::stateless(other).with("x-user", "bob");
    let refused = thief.ask("tools/call", retry.clone()).await["result"].take();
    assert!(text(refused).ends_with("[elicitation_state]"));
    assert_eq!(files.ran(), 0);
    let other = one.at(other);
    let (first, second) = tokio::join!(
        one.ask("tools/call", retry.clone()),
        other.ask("tools/call", retry.clone())
    );
    let answers = [first, second].map(|mut answer| text(answer["result"].take()));
    let spent = answers
        .iter()
        .filter(|text| text.ends_with("[elicitation_replayed]"))
        .count();
    assert_eq!((spent, files.ran()), (1, 1), "{answers:?}");
}

#[tokio::test]
async fn the_policys_user_never_replaces_the_transports_principal() {
    let whose = || {
        PluginHook::answering_any::<_, Verdict<ToolCall>>(
            "whose",
            point::tool_pre_invoke,
            |call, cx| {
                let (mut call, user) = (call.clone(), cx.global.user.clone());
                call.args.insert("user".into(), json!(user));
                Box::pin(async move { Verdict::Modify(call) })
            },
        )
    };
    let registry = Registry::builder().add(whose().into()).build().unwrap();
    let policy = Policy::new().user(|_| Some("root".to_owned()));
    let hooked = Collected::of(registry)
        .unwrap()
        .policy(policy)
        .wrap(Files::default())
        .unwrap();
    let server = hooks_sdk::http::Server::new(hooked).principal(|parts| {
        let user = parts.headers.get("x-user")?.to_str().ok()?;
        Some(user.to_owned())
    });
    let address = toy_server::serve(server).await;
    let ann = Client::stateless(address).with("x-user", "ann");
    let answer = ann.call("read_file", json!({"path": "a"})).await;
    assert_eq!(
        answer["structuredContent"]["args"]["user"], "ann",
        "{answer}"
    );
    // A request without a principal has the user of the policy.
    let address = serve(
        &Files::default(),
        whose(),
        Policy::new().user(|_| Some("root".to_owned())),
    )
    .await;
    let answer = Client::stateless(address)
        .call("read_file", json!({"path": "a"}))
        .await;
    assert_eq!(
        answer["structuredContent"]["args"]["user"], "root",
        "{answer}"
    );
}

#[tokio::test]
async fn a_request_state_of_another_principal_is_refused_and_stays_good_for_its_own() {
    let files = Files::default();
    let registry = Registry::builder().add(asking().into()).build().unwrap();
    let hooked = Collected::of(registry)
        .unwrap()
        .wrap(files.clone())
        .unwrap();
    let server = hooks_sdk::http::Server::new(hooked).principal(|parts| {
        let user = parts.headers.get("x-user")?.to_str().ok()?;
        Some(user.to_owned())
    });
    let address = toy_server::serve(server).await;
    let [ann, bob] = ["ann", "bob"].map(|user| Client::stateless(address).with("x-user", user));
    let meta = json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});
    let mut params = json!({"name": "delete_file", "arguments": {"path": "a"}, "_meta": meta});
    let asked = ann.ask("tools/call", params.clone()).await["result"].take();
    params["requestState"] = asked["requestState"].clone();
    params["inputResponses"] =
        json!({"hook:ask": {"action": "accept", "content": {"confirm": true}}});
    for (client, ends, ran) in [
        (&bob, "[elicitation_state]", 0),
        (&ann, "", 1),
        (&ann, "[elicitation_replayed]", 1),
        (&bob, "[elicitation_state]", 1),
    ] {
        let answer = client.ask("tools/call", params.clone()).await;
        let text = answer["result"]["content"][0]["text"].as_str();
        assert!(text.is_some_and(|text| text.ends_with(ends)), "{answer}");
        assert_eq!(files.ran(), ran, "{answer}");
    }
}
