//! A connection's beginning and end: other protocol versions, a second handshake, and what outlives it.

use std::sync::{Arc, Mutex};

use futures::StreamExt;
use hooks_sdk::{
    mcpl::{Enabled, EventId, Host, Inference, McplHook, Push, SendError, point},
    testing::{self, McplHost, mcpl::Reaction},
};
use serde_json::{Value, json};

use super::{
    bench::{Bench, Inferring, Pushing},
    rig::{ask_raw, before, connect, fixture, host_04, sent, state, tool, until},
};

#[tokio::test]
async fn mcpl_is_spoken_over_each_version_of_mcp_that_has_a_handshake() {
    for protocol in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        for version in ["0.4", "0.5"] {
            let builder = McplHost::builder().protocol(protocol).version(version);
            let host = connect(builder).await;
            assert_eq!(host.declared()["version"], version, "{protocol}");
            let pushed = tool(&host, "acc_push", json!({"text": "a"})).await;
            assert_eq!(pushed["ok"], true, "{protocol} {version}: {pushed}");
            let injected = host
                .request("context/beforeInference", before())
                .await
                .unwrap();
            assert_eq!(injected["contextInjections"].as_array().unwrap().len(), 3);
        }
    }
}

#[tokio::test]
async fn a_client_without_a_handshake_has_the_tools_and_no_more() {
    let host = testing::TestHost::builder().version("2026-07-28");
    let host = host.connect(fixture()).await.unwrap();
    let answer = host
        .call_tool("acc_push", json!({"text": "a"}))
        .await
        .unwrap();
    let answer: Value = serde_json::from_str(&answer.text()).unwrap();
    assert_eq!(
        (&answer["ok"], &answer["local"]),
        (&json!(false), &json!(true))
    );
    let added = host
        .call_tool("acc_note_add", json!({"text": "a"}))
        .await
        .unwrap();
    assert!(
        !added.as_value().to_string().contains("checkpoint"),
        "{}",
        added.as_value()
    );
}

#[tokio::test]
async fn an_authors_own_request_of_a_host_keeps_its_params() {
    let host = McplHost::builder()
        .connect(Bench::new().with([Inferring::hook()]))
        .await
        .unwrap();
    let params = json!({"a": [1, {"b": null}]});
    let answer = host.request("bench/echo", params.clone()).await;
    assert_eq!(answer.unwrap(), params);
}

#[tokio::test]
async fn a_second_handshake_changes_nothing() {
    let host = host_04().await;
    let params = |mcpl: Value| {
        let capabilities = json!({"experimental": {"mcpl": mcpl}});
        json!({"protocolVersion": "2024-11-05", "capabilities": capabilities, "clientInfo": {"name": "h", "version": "1"}})
    };
    for (id, mcpl) in [("again", json!({"version": "0.5"})), ("plain", json!(true))] {
        let message =
            json!({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": params(mcpl)});
        let answer = ask_raw(&host, message).await;
        assert!(
            answer["result"].is_object() || answer["error"].is_object(),
            "{answer}"
        );
        let seen = state(&host).await;
        assert_eq!(
            (&seen["mcpl"], &seen["hostVersion"]),
            (&json!(true), &json!("0.4"))
        );
        assert_eq!(seen["enabled"].as_array().unwrap().len(), 7);
        assert_eq!(
            tool(&host, "acc_push", json!({"text": "a"})).await["ok"],
            true
        );
    }
}

/// Keeps the host of a connection beyond it.
fn keeps(kept: Arc<Mutex<Option<Host>>>) -> McplHook {
    McplHook::answering_any::<Pushing, _, _>(
        "keeps",
        point::enabled,
        move |enabled: &Enabled, _| {
            *kept.lock().unwrap() = Some(enabled.host().clone());
            Box::pin(async {})
        },
    )
}

#[tokio::test]
async fn a_host_that_was_kept_beyond_its_connection_is_closed() {
    let kept = Arc::new(Mutex::new(None));
    let hooks = [
        Pushing::hook(),
        Inferring::hook(),
        keeps(kept.clone()).into(),
    ];
    let host = McplHost::builder()
        .connect(Bench::new().with(hooks))
        .await
        .unwrap();
    until(&host, || kept.lock().unwrap().is_some()).await;
    let server_side = kept.lock().unwrap().clone().unwrap();
    host.react("push/event", Reaction::never());
    let event = Push::new(EventId::of("a", 1), "a").attempts(5);
    let closing = async {
        host.wait_for("push/event").await.unwrap();
        host.close().await.unwrap();
    };
    let (pushed, ()) = tokio::join!(server_side.push::<Pushing>(&event), closing);
    assert_eq!(pushed, Err(SendError::Closed));
    assert_eq!(
        server_side.push::<Pushing>(&event).await,
        Err(SendError::Closed)
    );
    let stream = server_side.infer_streaming::<Inferring>(&Inference::prompt("p"));
    assert_eq!(stream.err(), Some(SendError::Closed));
    assert_eq!(server_side.check::<Pushing>(), Err(SendError::Closed));
    assert_eq!(host.received("push/event").len(), 1);
}

#[tokio::test]
async fn a_stream_that_is_dropped_is_cancelled_and_its_later_chunks_are_nobodys() {
    let server = Bench::new().tool("peek", |call, _| async move {
        let stream = call
            .host()
            .infer_streaming::<Inferring>(&Inference::prompt("p"));
        let mut stream = stream.unwrap();
        let first = stream.next().await.map(|chunk| chunk.delta);
        drop(stream);
        json!(first)
    });
    let host = McplHost::builder()
        .connect(server.with([Inferring::hook()]))
        .await
        .unwrap();
    host.react("inference/request", Reaction::never());
    let answering = async {
        let request = host.wait_for("inference/request").await.unwrap();
        let chunk = |index: u64| json!({"requestId": request["id"], "index": index, "delta": format!("d{index}")});
        host.notify("inference/chunk", chunk(0)).await.unwrap();
        let cancelled = host.wait_for("notifications/cancelled").await.unwrap();
        assert_eq!(cancelled["params"]["requestId"], request["id"]);
        host.notify("inference/chunk", chunk(1)).await.unwrap();
        let late = json!({"jsonrpc": "2.0", "id": request["id"], "result": {"content": "all"}});
        super::rig::raw(&host, late).await;
    };
    let (peeked, ()) = tokio::join!(tool(&host, "peek", json!({})), answering);
    assert_eq!(peeked, "d0");
    host.be_good();
    assert!(tool(&host, "peek", json!({})).await.is_string());
}

#[tokio::test]
async fn a_call_that_the_host_cancels_asks_nothing_more() {
    let host = host_04().await;
    host.react("model/info", Reaction::never());
    let params = json!({"name": "acc_model_info", "arguments": {}});
    let call = json!({"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": params});
    super::rig::raw(&host, call).await;
    host.wait_for("model/info").await.unwrap();
    host.notify("notifications/cancelled", json!({"requestId": "c"}))
        .await
        .unwrap();
    host.be_good();
    assert_eq!(tool(&host, "acc_model_info", json!({})).await["ok"], true);
    let asked = sent(&host)
        .into_iter()
        .filter(|method| method == "model/info");
    assert_eq!(asked.count(), 2);
}
