//! Calls of one session in the order of their arrival, and no more order than that.

use std::{sync::Arc, time::Duration};

use futures::future::join_all;
use hooks_sdk::{
    Hooked,
    server::Sessions,
    session::{Machine, State},
    testing::TestHost,
};
use hooks_tests::{faulty_store::FaultyStore, toy_server::ToyServer};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::desk::{two_states, with_tools};

fn desk() -> ToyServer {
    with_tools(&["work", "search", "session_init", "session_clear"])
}

/// Sends 2,000 pairs of an opening call and another one at once, and counts the others that were refused.
async fn pairs(server: Hooked<ToyServer>) -> usize {
    let host = TestHost::connect(server).await.unwrap();
    // Numbers without a pattern, the same in each run.
    let delay = |pair: u64| pair.wrapping_mul(6_364_136_223_846_793_005) >> 33 & 0x7FF;
    let calls = (0..2_000_u64).flat_map(|pair| {
        [("session_init", delay(pair)), ("work", 0)].map(|(name, us)| {
            host.request(
                "tools/call",
                json!({
                    "name": name,
                    "arguments": {"us": us, "pair": pair},
                    "_meta": {"sessionId": format!("pair {pair}")},
                }),
            )
        })
    });
    let answers = join_all(calls).await;
    answers
        .into_iter()
        .filter(|answer| answer.as_ref().unwrap()["isError"] == true)
        .count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_2000_pipelined_pairs_none_is_refused_and_without_the_gate_some_are() {
    assert_eq!(pairs(desk().machine(two_states())).await, 0);
    assert_ne!(pairs(desk().bare()).await, 0);
}

#[tokio::test(start_paused = true)]
async fn slow_calls_of_one_session_overlap() {
    for machine in [two_states(), Machine::standard().build().unwrap()] {
        let desk = with_tools(&["work", "session_init", "session_clear", "search"]);
        let host = TestHost::connect(desk.machine(machine)).await.unwrap();
        host.call_tool("session_init", json!({})).await.unwrap();
        let slow = (0..3).map(|_| host.call_tool("work", json!({"ms": 300})));
        assert!(
            join_all(slow)
                .await
                .iter()
                .all(|answer| !answer.as_ref().unwrap().is_error())
        );
        assert_eq!(desk.most_at_once(), 3);
    }
}

#[tokio::test]
async fn other_sessions_and_unguarded_tools_do_not_wait() {
    let host = TestHost::connect(desk().machine(two_states()))
        .await
        .unwrap();
    let call = |name: &str, session: &str, then: &str| {
        let params =
            json!({"name": name, "arguments": {"then": then}, "_meta": {"sessionId": session}});
        host.request("tools/call", params)
    };
    let hung = call("session_init", "one", "hang");
    let others = async {
        call("search", "one", "ok").await.unwrap();
        call("session_init", "two", "ok").await.unwrap();
        call("work", "two", "ok").await.unwrap()
    };
    let others = tokio::time::timeout(Duration::from_secs(10), others);
    match futures::future::select(Box::pin(hung), Box::pin(others)).await {
        futures::future::Either::Right((others, _)) => {
            assert_eq!(others.unwrap()["isError"], false)
        }
        futures::future::Either::Left(_) => panic!("it hangs"),
    }
}

async fn line(host: &TestHost, message: Value) {
    host.send_line(message.to_string().as_bytes())
        .await
        .unwrap();
}

async fn answer(host: &TestHost, id: &str) -> Value {
    let until = Instant::now() + Duration::from_secs(20);
    while Instant::now() < until {
        let answer = host
            .frames()
            .into_iter()
            .find(|frame| frame.message["id"] == id && frame.message.get("result").is_some());
        if let Some(frame) = answer {
            return frame.message["result"].clone();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("no answer to {id}");
}

fn call(id: &str, name: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
}

#[tokio::test(start_paused = true)]
async fn a_hung_opening_call_that_is_cancelled_releases_those_behind_it() {
    let host = TestHost::connect(desk().machine(two_states()))
        .await
        .unwrap();
    line(&host, call("hung", "session_init", json!({"then": "hang"}))).await;
    line(&host, call("behind", "work", json!({}))).await;
    line(&host, call("again", "session_init", json!({}))).await;
    line(&host, call("last", "work", json!({}))).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(
        host.frames()
            .iter()
            .all(|frame| frame.message["id"] != "behind")
    );
    let cancelled = json!({"requestId": "hung"});
    host.notify("notifications/cancelled", cancelled)
        .await
        .unwrap();
    assert_eq!(answer(&host, "behind").await["isError"], true);
    assert_eq!(answer(&host, "again").await["isError"], false);
    assert_eq!(answer(&host, "last").await["isError"], false);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_moves_nothing_even_if_its_tool_goes_on() {
    let desk = desk();
    let host = TestHost::connect(desk.machine(two_states())).await.unwrap();
    line(&host, call("slow", "session_init", json!({"ms": 200}))).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    host.notify("notifications/cancelled", json!({"requestId": "slow"}))
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(desk.ran(), ["session_init"]);
    assert!(host.call_tool("work", json!({})).await.unwrap().is_error());
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_only_so_long() {
    let sessions = Sessions::on(two_states()).wait(Duration::from_millis(100));
    let desk = desk();
    let host = TestHost::connect(desk.sessions(sessions)).await.unwrap();
    line(&host, call("hung", "session_init", json!({"then": "hang"}))).await;
    line(&host, call("behind", "work", json!({}))).await;
    let refused = answer(&host, "behind").await;
    assert_eq!(refused["isError"], true);
    assert_eq!(refused["_meta"]["hooks-sdk/retryable"], true);
    assert_eq!(
        refused["content"][0]["text"],
        "Tool \"work\" was not run: an earlier call of this session did not end within 0.1 s. Call it again later."
    );
    assert_eq!(desk.ran(), ["session_init"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_panics_or_never_reaches_the_server_holds_nobody_up() {
    let host = TestHost::connect(desk().machine(two_states()))
        .await
        .unwrap();
    line(
        &host,
        call("burst", "session_init", json!({"then": "panic"})),
    )
    .await;
    // rmcp refuses it for its protocol version before the gate sees it.
    let mut strange = call("strange", "session_init", json!({}));
    strange["params"]["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2099-01-01"});
    line(&host, strange).await;
    line(&host, call("behind", "work", json!({}))).await;
    assert_eq!(answer(&host, "behind").await["isError"], true);
    host.call_tool("session_init", json!({})).await.unwrap();
    assert!(!host.call_tool("work", json!({})).await.unwrap().is_error());
}

#[tokio::test(start_paused = true)]
async fn many_connections_have_an_order_each() {
    let hooked = Arc::new(desk().machine(two_states()));
    let hosts = join_all((0..20).map(|_| TestHost::connect((*hooked).clone()))).await;
    let pairs = hosts.iter().map(|host| {
        let host = host.as_ref().unwrap();
        futures::future::join(
            host.call_tool("session_init", json!({"ms": 30})),
            host.call_tool("work", json!({})),
        )
    });
    for (_, work) in join_all(pairs).await {
        assert!(!work.unwrap().is_error());
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_moves_the_session_lets_earlier_ones_look_at_it_first() {
    let store = FaultyStore::default();
    let hooked = desk().sessions(Sessions::on(two_states()).store(store.clone()));
    let host = TestHost::connect(hooked).await.unwrap();
    host.call_tool("session_init", json!({})).await.unwrap();
    store.delay_next_load(Duration::from_millis(200));
    line(&host, call("work", "work", json!({}))).await;
    line(&host, call("clear", "session_clear", json!({}))).await;
    let work = answer(&host, "work").await;
    assert_eq!(work["isError"], false, "{work}");
    assert_eq!(answer(&host, "clear").await["isError"], false);
    assert!(host.call_tool("work", json!({})).await.unwrap().is_error());
}

/// Three states in a circle, each left by one tool that is refused in the other two.
fn circle() -> Machine {
    Machine::builder()
        .state(State::new("A").start().next("to_b", "B"))
        .state(State::new("B").next("to_c", "C"))
        .state(State::new("C").next("to_a", "A"))
        .build()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_of_one_session_run_in_the_order_of_their_arrival() {
    const TOOLS: [&str; 3] = ["to_b", "to_c", "to_a"];
    for round in 1..=3_u64 {
        let desk = with_tools(&TOOLS);
        let host = TestHost::connect(desk.machine(circle())).await.unwrap();
        let delay = |at: u64| (at * round).wrapping_mul(6_364_136_223_846_793_005) >> 33 & 0x3FF;
        let sent: Vec<(&str, u64)> = (0..300)
            .map(|at| (TOOLS[at as usize % 3], delay(at)))
            .collect();
        let calls = sent
            .iter()
            .map(|(name, us)| host.call_tool(name, json!({"us": us})));
        for answer in join_all(calls).await {
            let answer = answer.unwrap();
            assert!(!answer.is_error(), "{answer:?}");
        }
        let ran: Vec<(String, Value)> = desk.calls().clone();
        let ran: Vec<(&str, u64)> = ran
            .iter()
            .map(|(name, arguments)| (&**name, arguments["us"].as_u64().unwrap()))
            .collect();
        assert_eq!(ran, sent);
        assert_eq!(desk.most_at_once(), 1);
    }
}

#[tokio::test]
async fn a_call_behind_no_other_reads_the_store_once() {
    for version in ["2025-11-25", "2026-07-28"] {
        let store = FaultyStore::default();
        let hooked = desk().sessions(Sessions::on(two_states()).store(store.clone()));
        let builder = TestHost::builder().version(version);
        let host = builder.connect(hooked).await.unwrap();
        host.call_tool("session_init", json!({})).await.unwrap();
        let before = store.loads();
        for _ in 0..5 {
            let work = host.call_tool("work", json!({})).await.unwrap();
            assert!(!work.is_error(), "{version}");
        }
        let loads = store.loads() - before;
        assert_eq!(loads, 5, "{version}");
    }
}
