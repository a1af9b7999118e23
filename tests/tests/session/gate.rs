//! What the gate allows, refuses and tells, on both generations.

use futures::FutureExt;
use hooks_sdk::{
    Collected,
    core::Registry,
    lifecycle::{LifecycleHook, event, point, strength},
    server::Sessions,
    session::{Machine, State},
    testing::TestHost,
};
use hooks_tests::toy_server::ToyServer;
use serde_json::{Value, json};

use super::desk::{two_states, with_tools};

const SENTENCE: &str = "Tool \"work\" requires session initialization. You MUST call session_init first before \
                        using this tool. Available now: search.";

fn desk() -> ToyServer {
    with_tools(&["work", "search", "session_init", "session_clear"])
}

fn texts(answer: &Value) -> Vec<&str> {
    answer["content"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|block| block["text"].as_str())
        .collect()
}

#[tokio::test]
async fn before_initialization_a_call_is_refused_with_what_to_call_first() {
    for version in ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"] {
        let desk = desk();
        let host = TestHost::builder()
            .version(version)
            .connect(desk.machine(two_states()))
            .await
            .unwrap();
        let refused = host.call_tool("work", json!({})).await.unwrap();
        assert!(refused.is_error(), "{version}");
        assert_eq!(texts(refused.as_value())[0], SENTENCE, "{version}");
        assert_eq!(
            host.call_tool("search", json!({})).await.unwrap().text(),
            "search done"
        );
        assert_eq!(desk.ran(), ["search"]);
    }
}

#[tokio::test]
async fn a_connection_is_a_session_on_the_older_generation() {
    let desk = desk();
    let host = TestHost::connect(desk.machine(two_states())).await.unwrap();
    let opened = host
        .call_tool("session_init", json!({"then": "structured"}))
        .await
        .unwrap();
    assert_eq!(
        texts(opened.as_value()).last(),
        Some(&"Store what you learn.")
    );
    assert_eq!(
        opened.as_value()["structuredContent"],
        json!({"done": "session_init"})
    );
    assert_eq!(opened.as_value().get("_meta"), None);
    assert_eq!(
        host.call_tool("work", json!({})).await.unwrap().text(),
        "work done"
    );
    assert_eq!(
        host.call_tool("session_clear", json!({}))
            .await
            .unwrap()
            .text(),
        "session_clear done"
    );
    assert_eq!(
        host.call_tool("work", json!({})).await.unwrap().text(),
        SENTENCE
    );
}

#[tokio::test]
async fn two_clients_of_one_process_never_see_each_others_state() {
    for shim in [true, false] {
        let hooked = desk().machine(two_states());
        let connect = || {
            let builder = TestHost::builder();
            if shim {
                builder
            } else {
                builder.without_shim()
            }
            .connect(hooked.clone())
        };
        let (one, other) = (connect().await.unwrap(), connect().await.unwrap());
        one.call_tool("session_init", json!({})).await.unwrap();
        assert!(
            !one.call_tool("work", json!({})).await.unwrap().is_error(),
            "{shim}"
        );
        assert!(
            other.call_tool("work", json!({})).await.unwrap().is_error(),
            "{shim}"
        );
        // A second handshake is no new session.
        let again = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
        one.request("initialize", again).await.unwrap();
        assert!(
            !one.call_tool("work", json!({})).await.unwrap().is_error(),
            "{shim}"
        );
    }
}

#[tokio::test]
async fn only_success_moves() {
    let desk = desk();
    let host = TestHost::builder()
        .version("2026-07-28")
        .connect(desk.machine(two_states()))
        .await
        .unwrap();
    let call = async |tool: &str, then: &str| {
        let params =
            json!({"name": tool, "arguments": {"then": then}, "_meta": {"sessionId": "s"}});
        host.request("tools/call", params).await
    };
    for then in ["error", "refuse", "panic", "ask"] {
        _ = call("session_init", then).await;
        assert_eq!(call("work", "ok").await.unwrap()["isError"], true, "{then}");
    }
    call("session_init", "ok").await.unwrap();
    assert_eq!(call("work", "ok").await.unwrap()["isError"], false);
    _ = call("session_clear", "error").await;
    assert_eq!(call("work", "ok").await.unwrap()["isError"], false);
}

#[tokio::test]
async fn the_clients_own_session_id_names_a_session() {
    for version in ["2025-06-18", "2026-07-28"] {
        let hooked = desk().machine(two_states());
        let host = TestHost::builder()
            .version(version)
            .connect(hooked.clone())
            .await
            .unwrap();
        let call = async |host: &TestHost, tool: &str, id: &str| {
            let params =
                json!({"name": tool, "arguments": {}, "_meta": {"sessionId": id, "threadId": "t"}});
            host.request("tools/call", params).await.unwrap()
        };
        let opened = call(&host, "session_init", "codex-1").await;
        assert_eq!(
            opened
                .get("_meta")
                .and_then(|meta| meta.get("hooks-sdk/session")),
            None,
            "{version}"
        );
        assert_eq!(call(&host, "work", "codex-1").await["isError"], false);
        assert_eq!(call(&host, "work", "codex-2").await["isError"], true);
        // The session is the client's, whichever connection it comes by.
        let later = TestHost::builder()
            .version(version)
            .connect(hooked.clone())
            .await
            .unwrap();
        assert_eq!(call(&later, "work", "codex-1").await["isError"], false);
    }
}

#[tokio::test]
async fn a_stream_can_belong_to_one_session_of_its_client() {
    use hooks_sdk::{WireTransport, server::ServiceExt};
    let hooked = desk().machine(two_states());
    let connect = async |id: &str| {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (read, write) = tokio::io::split(theirs);
        let transport = WireTransport::new(read, write).client_session(id);
        let server = hooked.clone();
        tokio::spawn(async move {
            ServiceExt::serve(server, transport)
                .await
                .unwrap()
                .waiting()
                .await
        });
        let (read, write) = tokio::io::split(ours);
        TestHost::builder()
            .version("2026-07-28")
            .over(read, write)
            .await
            .unwrap()
    };
    let (one, same, other) = (
        connect("claude-1").await,
        connect("claude-1").await,
        connect("claude-2").await,
    );
    assert_eq!(
        one.call_tool("session_init", json!({}))
            .await
            .unwrap()
            .text(),
        "session_init done\nStore what you learn."
    );
    for (host, open) in [(one, true), (same, true), (other, false)] {
        assert_eq!(
            !host.call_tool("work", json!({})).await.unwrap().is_error(),
            open
        );
    }
}

#[tokio::test]
async fn without_an_opening_tool_of_the_authors_one_is_served() {
    for version in ["2025-11-25", "2026-07-28"] {
        let desk = with_tools(&["work"]);
        let machine = Machine::standard().build().unwrap();
        let host = TestHost::builder()
            .version(version)
            .connect(desk.machine(machine))
            .await
            .unwrap();
        let tools = host.list_tools().await.unwrap();
        let names: Vec<&str> = tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["work", "session_init"], "{version}");
        let opened = host.call_tool("session_init", json!({})).await.unwrap();
        assert_eq!(
            texts(opened.as_value())[0],
            "Session initialized. Ready to work."
        );
        let mut arguments = json!({});
        if let Some(handle) = opened.as_value()["_meta"]["hooks-sdk/session"].as_str() {
            arguments["session"] = handle.into();
        }
        assert_eq!(
            host.call_tool("work", arguments).await.unwrap().text(),
            "work done",
            "{version}"
        );
        assert_eq!(desk.ran(), ["work"]);
    }
}

#[tokio::test]
async fn a_machine_may_list_what_it_refuses() {
    let desk = with_tools(&["work", "deploy"]);
    let machine = Machine::standard().only("deploy").build().unwrap();
    let host = TestHost::connect(desk.machine(machine)).await.unwrap();
    assert!(!host.call_tool("work", json!({})).await.unwrap().is_error());
    assert_eq!(
        host.call_tool("deploy", json!({})).await.unwrap().text(),
        "Tool \"deploy\" requires session initialization. You MUST call session_init first before using this tool."
    );
}

#[tokio::test]
async fn a_transition_may_look_at_the_input() {
    let desk = with_tools(&["login", "work"]);
    let machine = Machine::builder()
        .state(
            State::new("New")
                .start()
                .next_if("login", |input| input.contains_key("name"), "In"),
        )
        .state(State::new("In").allow_any())
        .build()
        .unwrap();
    let host = TestHost::connect(desk.machine(machine)).await.unwrap();
    host.call_tool("login", json!({})).await.unwrap();
    assert!(host.call_tool("work", json!({})).await.unwrap().is_error());
    host.call_tool("login", json!({"name": "me"}))
        .await
        .unwrap();
    assert!(!host.call_tool("work", json!({})).await.unwrap().is_error());
}

#[tokio::test]
async fn the_tools_of_hooks_are_exempt() {
    let recall = LifecycleHook::answering(
        "recall",
        point::session_start,
        strength::important,
        |_: &ToyServer, _: event::SessionStart| async { "remembered" }.boxed(),
    );
    let registry = Registry::builder().add(recall.into()).build().unwrap();
    let collected = Collected::of(registry)
        .unwrap()
        .sessions(Sessions::on(two_states()));
    let host = TestHost::connect(collected.wrap(desk()).unwrap())
        .await
        .unwrap();
    assert_eq!(
        host.call_tool("recall", json!({})).await.unwrap().text(),
        "remembered"
    );
    assert!(host.call_tool("work", json!({})).await.unwrap().is_error());
}

#[tokio::test]
async fn servers_wrapped_one_by_one_share_their_sessions() {
    let collected = Collected::of(Registry::default())
        .unwrap()
        .sessions(Sessions::on(two_states()));
    let connect = async || {
        let hooked = collected.wrap(desk()).unwrap();
        TestHost::builder()
            .version("2026-07-28")
            .connect(hooked)
            .await
            .unwrap()
    };
    let opened = connect()
        .await
        .call_tool("session_init", json!({}))
        .await
        .unwrap();
    let handle = &opened.as_value()["_meta"]["hooks-sdk/session"];
    let work = connect()
        .await
        .call_tool("work", json!({"session": handle}))
        .await
        .unwrap();
    assert_eq!(work.text(), "work done");
}
