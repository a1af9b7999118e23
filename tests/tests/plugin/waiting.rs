//! A call that waits for its user: other calls go on, and the gate decides again.

use std::{sync::Arc, time::Duration};

use hooks_sdk::{
    Hooked, Policy, http,
    plugin::{Outcome, PluginHook, Question, ToolCall, point},
    server::Sessions,
    session::Machine,
    store::MemoryStore,
    testing::TestHost,
};
use hooks_tests::{client::Client, subscriber::Logged, toy_server};
use serde_json::{Value, json};
use tracing::Level;

use crate::server::{Files, hooked_with};

fn ask() -> PluginHook {
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
    .items(&["delete_file"])
}

/// Returns the id of the question that the client got.
async fn question(host: &TestHost) -> Value {
    loop {
        let frames = host.frames();
        let asked = frames
            .iter()
            .find(|frame| frame.message["method"] == "elicitation/create");
        if let Some(asked) = asked {
            return asked.message["id"].clone();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn others_go_on_while_a_user_is_asked_and_the_gate_decides_again() {
    for ends in [false, true] {
        let files = Files::default();
        let machine = Machine::standard()
            .only("delete_file")
            .reset("internal_sync");
        let sessions = Sessions::on(machine.build().unwrap());
        let server = hooked_with(&files, [ask()], [], Policy::new(), Some(sessions));
        let host = TestHost::builder().capabilities(json!({"elicitation": {}}));
        let host = Arc::new(host.connect(server).await.unwrap());
        host.call_tool("session_init", json!({})).await.unwrap();
        let waiting = tokio::spawn({
            let host = host.clone();
            async move { host.call_tool("delete_file", json!({"path": "a"})).await }
        });
        let id = question(&host).await;
        let before = files.ran();
        let other = if ends { "internal_sync" } else { "read_file" };
        let other = tokio::time::timeout(
            Duration::from_secs(5),
            host.call_tool(other, json!({"path": "b"})),
        );
        other.await.unwrap().unwrap();
        assert_eq!(files.ran(), before + 1);
        let answer = json!({
            "jsonrpc": "2.0", "id": id,
            "result": {"action": "accept", "content": {"confirm": true}},
        });
        host.send_line(format!("{answer}\n").as_bytes())
            .await
            .unwrap();
        let answer = waiting.await.unwrap().unwrap();
        // The session ended while the user thought.
        assert_eq!(answer.is_error(), ends, "{answer:?}");
        assert_eq!(files.ran(), before + 1 + usize::from(!ends));
    }
}

#[tokio::test]
async fn who_cancels_the_call_need_not_answer_the_question() {
    let files = Files::default();
    let server = hooked_with(&files, [ask()], [], Policy::new(), None);
    let host = TestHost::builder().capabilities(json!({"elicitation": {}}));
    let host = Arc::new(host.connect(server).await.unwrap());
    let waiting = tokio::spawn({
        let host = host.clone();
        async move { host.call_tool("delete_file", json!({"path": "a"})).await }
    });
    question(&host).await;
    let call = host
        .frames()
        .into_iter()
        .find(|frame| frame.message["method"] == "tools/call");
    let id = call.unwrap().message["id"].clone();
    host.notify("notifications/cancelled", json!({"requestId": id}))
        .await
        .unwrap();
    // Whatever is answered to a cancelled call, the tool did not run.
    let other = host
        .call_tool("read_file", json!({"path": "b"}))
        .await
        .unwrap();
    assert!(!other.is_error());
    assert_eq!(files.ran(), 1);
    waiting.abort();
}

#[tokio::test]
async fn two_connections_do_not_share_their_requests() {
    let files = Files::default();
    let note = PluginHook::answering_any::<_, Outcome<ToolCall>>(
        "note",
        point::tool_pre_invoke,
        |call, cx| {
            let before = cx
                .global
                .state
                .insert("path".to_owned(), call.args["path"].clone());
            let own = cx.get_state("n").and_then(Value::as_u64).unwrap_or(0);
            cx.set_state("n", own + 1);
            Box::pin(async move {
                match (before, own) {
                    (None, 0) => Outcome::allow(),
                    _ => panic!("another request was seen"),
                }
            })
        },
    );
    let server = hooked_with(&files, [note], [], Policy::new(), None);
    let one = TestHost::connect(server.clone()).await.unwrap();
    let two = TestHost::connect(server).await.unwrap();
    for at in 0..20 {
        let path = json!({"path": at.to_string()});
        let (first, second) = tokio::join!(
            one.call_tool("read_file", path.clone()),
            two.call_tool("read_file", path),
        );
        assert!(!first.unwrap().is_error() && !second.unwrap().is_error());
    }
    assert_eq!(files.ran(), 40);
}

#[tokio::test]
async fn one_client_cannot_take_the_place_of_the_questions_of_another() {
    const SHARE: usize = 256;
    let files = Files::default();
    let server = hooked_with(&files, [ask()], [], Policy::new(), None);
    let builder = || TestHost::builder().version("2026-07-28");
    let builder = || builder().capabilities(json!({"elicitation": {}}));
    let one = builder().connect(server.clone()).await.unwrap();
    let other = builder().connect(server).await.unwrap();
    let call = |path: &str| json!({"name": "delete_file", "arguments": {"path": path}});
    let mut first = None;
    for at in 0..SHARE {
        let asked = one.request("tools/call", call(&at.to_string())).await;
        let asked = asked.unwrap();
        assert_eq!(asked["resultType"], "input_required", "{at}: {asked}");
        first.get_or_insert(asked["requestState"].clone());
    }
    let refuses = async |host: &TestHost, path: &str| {
        let asked = host.request("tools/call", call(path)).await.unwrap();
        let text = asked["content"][0]["text"].as_str().unwrap_or_default();
        text.contains("too many questions of this client wait")
            && text.ends_with("[elicitation_unavailable]")
    };
    assert!(refuses(&one, "more").await);
    assert!(!refuses(&other, "more").await);
    // A question that was answered leaves its place to another one.
    let mut answered = call("0");
    answered["requestState"] = first.unwrap();
    answered["inputResponses"] =
        json!({"hook:ask": {"action": "accept", "content": {"confirm": true}}});
    let done = one.request("tools/call", answered).await.unwrap();
    assert!(files.ran() == 1 && done["isError"] != true, "{done}");
    assert!(!refuses(&one, "more").await);
    assert!(refuses(&one, "more").await);
    // Few questions with many bytes are too many, too.
    let large = "x".repeat(300_000);
    let mut refused = 0;
    for _ in 0..20 {
        refused += usize::from(refuses(&other, &large).await);
    }
    assert!((5..=19).contains(&refused), "{refused}");
}

#[tokio::test]
async fn only_a_server_whose_keys_end_with_it_logs_that_its_questions_do() {
    for shares in [false, true] {
        let log = Logged::listen(Level::INFO);
        let hooked = hooked_with(&Files::default(), [ask()], [], Policy::new(), None);
        let params = json!({"name": "delete_file", "arguments": {"path": "a"}});
        let asked = match shares {
            true => asked_over_http(hooked, params).await,
            false => {
                let builder = TestHost::builder().version("2026-07-28");
                let builder = builder.capabilities(json!({"elicitation": {}}));
                let host = builder.connect(hooked).await.unwrap();
                host.request("tools/call", params).await.unwrap()
            }
        };
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let logged = log.take();
        assert_eq!(logged.contains("no keys are set"), !shares, "{logged}");
    }
}

/// Calls a replica of a server. Returns the question of the result.
async fn asked_over_http(hooked: Hooked<Files>, mut params: Value) -> Value {
    let server = http::Server::new(hooked).store(MemoryStore::new());
    let address = toy_server::serve(server).await;
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});
    let client = Client::stateless(address);
    let mut asked = client.ask("tools/call", params).await;
    asked["result"].take()
}
