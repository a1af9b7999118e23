//! Handles: how a session of protocol 2026-07-28 is named, and what a wrong name does.

use std::time::Duration;

use futures::future::join_all;
use hooks_sdk::{
    server::Sessions,
    session::{Handle, Machine, State},
    testing::TestHost,
};
use hooks_tests::toy_server::ToyServer;
use serde_json::{Value, json};

use super::desk::{tool, two_states, with_tool, with_tools};

const STATELESS: &str = "2026-07-28";

fn desk() -> ToyServer {
    with_tools(&["work", "search", "session_init", "session_clear"])
}

async fn connect(desk: &ToyServer) -> TestHost {
    TestHost::builder()
        .version(STATELESS)
        .without_session_handle()
        .connect(desk.machine(two_states()))
        .await
        .unwrap()
}

async fn open(host: &TestHost) -> String {
    let opened = host
        .call_tool("session_init", json!({"then": "structured"}))
        .await
        .unwrap();
    opened.as_value()["_meta"]["hooks-sdk/session"]
        .as_str()
        .expect("a handle")
        .to_owned()
}

async fn works(host: &TestHost, session: &Value) -> bool {
    !host
        .call_tool("work", json!({"session": session}))
        .await
        .unwrap()
        .is_error()
}

#[tokio::test]
async fn the_opening_tool_returns_a_handle_that_opens_the_others() {
    let desk = desk();
    let host = connect(&desk).await;
    let opened = host
        .call_tool("session_init", json!({"then": "structured"}))
        .await
        .unwrap();
    let opened = opened.as_value();
    let handle = opened["_meta"]["hooks-sdk/session"].as_str().unwrap();
    assert_eq!(opened["structuredContent"], json!({"done": "session_init"}));
    let last = opened["content"].as_array().unwrap().last().unwrap()["text"]
        .as_str()
        .unwrap();
    assert_eq!(
        last,
        format!("session: {handle}\nPass it as the argument `session` with every further call.")
    );

    // As an argument it is stripped; in `_meta` it does the same.
    assert_eq!(
        host.call_tool("work", json!({"session": handle, "ms": 1}))
            .await
            .unwrap()
            .text(),
        "work done"
    );
    assert_eq!(desk.calls().last().unwrap().1, json!({"ms": 1}));
    let by_meta = json!({"name": "work", "arguments": {}, "_meta": {"hooks-sdk/session": handle}});
    assert_eq!(
        host.request("tools/call", by_meta).await.unwrap()["isError"],
        false
    );
    // The connection is no session.
    let refused = host.call_tool("work", json!({})).await.unwrap();
    assert!(
        refused.is_error()
            && refused
                .text()
                .ends_with("pass its handle as the argument `session`."),
        "{refused:?}"
    );
}

#[tokio::test]
async fn guarded_tools_show_the_argument_to_that_generation_only() {
    for (version, shown) in [("2025-11-25", false), (STATELESS, true)] {
        let host = TestHost::builder()
            .version(version)
            .connect(desk().machine(two_states()))
            .await
            .unwrap();
        let before = host.list_tools().await.unwrap();
        let property = |tool: &Value| tool["inputSchema"]["properties"].get("session").cloned();
        let with: Vec<&str> = before
            .iter()
            .filter(|tool| property(tool).is_some())
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            with,
            if shown {
                vec!["work", "session_clear"]
            } else {
                vec![]
            },
            "{version}"
        );
        if shown {
            let description = "The session's handle, as returned by session_init.";
            assert_eq!(
                property(&before[0]),
                Some(json!({"type": "string", "description": description}))
            );
            assert_eq!(before[0]["inputSchema"].get("required"), None);
        }
        host.call_tool("session_init", json!({})).await.unwrap();
        assert_eq!(
            host.list_tools().await.unwrap(),
            before,
            "lists never vary by session"
        );
    }
}

#[tokio::test]
async fn what_names_no_open_session_is_as_good_as_nothing() {
    let host = connect(&desk()).await;
    let handle = open(&host).await;
    let other = Handle::mint().unwrap().to_string();
    let wrong = [
        json!(other),
        json!(handle[1..]),
        json!(handle.to_uppercase()),
        json!(format!("{handle} ")),
        json!(""),
        json!(null),
        json!(7),
        json!({"a": [handle]}),
        json!("x".repeat(100_000)),
        json!("\u{0}é"),
    ];
    for session in wrong {
        assert!(!works(&host, &session).await, "{session}");
        // In the start state nothing has to be named.
        let search = host
            .call_tool("search", json!({"session": session}))
            .await
            .unwrap();
        assert_eq!(search.text(), "search done");
    }
    let refused = host
        .call_tool("work", json!({"session": other}))
        .await
        .unwrap()
        .text();
    assert!(
        refused.contains("is not the handle of an open session"),
        "{refused}"
    );
    assert!(works(&host, &json!(handle)).await);
}

#[tokio::test]
async fn a_handle_that_the_caller_made_up_is_never_adopted() {
    let host = connect(&desk()).await;
    let made_up = Handle::mint().unwrap().to_string();
    let opened = host
        .call_tool("session_init", json!({"session": made_up}))
        .await
        .unwrap();
    let minted = opened.as_value()["_meta"]["hooks-sdk/session"].clone();
    assert_ne!(minted, json!(made_up));
    assert!(!works(&host, &json!(made_up)).await);
    assert!(works(&host, &minted).await);
}

#[tokio::test]
async fn a_failed_opening_returns_no_handle() {
    let host = connect(&desk()).await;
    for then in ["error", "ask"] {
        let answer = host
            .call_tool("session_init", json!({"then": then}))
            .await
            .unwrap();
        assert_eq!(answer.as_value().get("_meta"), None, "{then}");
    }
}

#[tokio::test]
async fn a_reset_ends_the_handle() {
    let host = connect(&desk()).await;
    let (one, other) = (json!(open(&host).await), json!(open(&host).await));
    assert!(works(&host, &one).await && works(&host, &other).await);
    assert!(
        !host
            .call_tool("session_clear", json!({"session": one}))
            .await
            .unwrap()
            .is_error()
    );
    assert!(!works(&host, &one).await && works(&host, &other).await);
}

#[tokio::test]
async fn a_right_handle_is_not_called_wrong() {
    let machine = Machine::builder()
        .state(State::new("New").start().next("session_init", "Open"))
        .state(State::new("Open").next("search", "Ready"))
        .state(State::new("Ready").allow_any())
        .build()
        .unwrap();
    let hooked = desk().machine(machine);
    let host = TestHost::builder()
        .version(STATELESS)
        .without_session_handle()
        .connect(hooked)
        .await
        .unwrap();
    let session = open(&host).await;
    let refused = host
        .call_tool("work", json!({"session": session}))
        .await
        .unwrap();
    assert_eq!(
        refused.text(),
        "Tool \"work\" is not available in the session's state \"Open\". It becomes available after search."
    );
    assert!(
        !host
            .call_tool("search", json!({"session": session}))
            .await
            .unwrap()
            .is_error()
    );
    assert!(works(&host, &json!(session)).await);
}

/// A session of `time_to_live` whose one call after the opening comes when this much of it has passed; whether it
/// is still there when this much more has passed.
async fn lives(time_to_live: u64, call_after: u64, then: u64) -> bool {
    let sessions = Sessions::on(two_states()).time_to_live(Duration::from_millis(time_to_live));
    let host = TestHost::builder()
        .version(STATELESS)
        .connect(desk().sessions(sessions))
        .await
        .unwrap();
    host.call_tool("session_init", json!({})).await.unwrap();
    tokio::time::sleep(Duration::from_millis(call_after)).await;
    assert!(!host.call_tool("work", json!({})).await.unwrap().is_error());
    tokio::time::sleep(Duration::from_millis(then)).await;
    !host.call_tool("work", json!({})).await.unwrap().is_error()
}

#[tokio::test(start_paused = true)]
async fn a_session_lives_its_whole_time_after_its_last_call_wherever_that_falls() {
    let waits = [300, 600, 1200, 1500];
    let lived = join_all(waits.map(|call_after| lives(2000, call_after, 1700))).await;
    assert_eq!(lived, [true; 4], "{waits:?}");
}

#[tokio::test(start_paused = true)]
async fn a_session_expires_after_its_last_call() {
    assert!(!lives(400, 100, 500).await);
}

#[tokio::test]
async fn one_handle_of_two_principals_is_two_sessions() {
    // Stands for what an authenticating layer tells.
    let sessions = Sessions::on(two_states()).principal(|request| {
        request
            .meta
            .get("user")
            .and_then(|user| Some(user.as_str()?.to_owned()))
    });
    let host = TestHost::builder()
        .version(STATELESS)
        .without_session_handle()
        .connect(desk().sessions(sessions))
        .await
        .unwrap();
    let call = async |tool: &str, user: &str, session: &Value| {
        let params =
            json!({"name": tool, "arguments": {"session": session}, "_meta": {"user": user}});
        host.request("tools/call", params).await.unwrap()
    };
    let opened = call("session_init", "ann", &Value::Null).await;
    let handle = &opened["_meta"]["hooks-sdk/session"];
    assert_eq!(call("work", "ann", handle).await["isError"], false);
    assert_eq!(call("work", "bob", handle).await["isError"], true);
    assert_eq!(call("session_clear", "bob", handle).await["isError"], true);
    assert_eq!(call("work", "ann", handle).await["isError"], false);
    // The same for the ids that clients give their sessions.
    let by_client = async |tool: &str, user: &str| {
        let params =
            json!({"name": tool, "arguments": {}, "_meta": {"user": user, "sessionId": "1"}});
        host.request("tools/call", params).await.unwrap()["isError"].clone()
    };
    assert_eq!(by_client("session_init", "ann").await, false);
    assert_eq!(
        (
            by_client("work", "ann").await,
            by_client("work", "bob").await
        ),
        (json!(false), json!(true))
    );
}

#[tokio::test]
async fn the_argument_has_the_name_its_author_gives_it() {
    let sessions = Sessions::on(two_states()).argument("desk_session");
    let desk = with_tools(&["session_init", "session_clear"]);
    let desk = with_tool(desk, tool("work", &["session"]));
    let host = TestHost::builder()
        .version(STATELESS)
        .without_session_handle()
        .connect(desk.sessions(sessions))
        .await
        .unwrap();
    let handle = open(&host).await;
    let work = host
        .call_tool("work", json!({"desk_session": handle, "session": "mine"}))
        .await
        .unwrap();
    assert_eq!(work.text(), "work done");
    assert_eq!(desk.calls().last().unwrap().1, json!({"session": "mine"}));
}
