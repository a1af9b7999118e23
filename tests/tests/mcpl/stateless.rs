//! A host on MCP 2026-07-28: it can ask the server, and the server cannot ask it.

use hooks_sdk::{
    core,
    mcpl::{EventId, Inference, McplHook, Push as Event, Scope, SendError, point},
    prelude::*,
    testing::{Side, TestHost, TestHostBuilder},
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::{
    bench::{Before, Bench, Channels, Files, Inferring, Pushing, Watching},
    rig::{ErrorCode, before, fixture, serve},
};

fn host(version: &str) -> TestHostBuilder {
    let mcpl = json!({"experimental": {"mcpl": {"version": version}}});
    TestHost::builder().version("2026-07-28").capabilities(mcpl)
}

fn declared(host: &TestHost) -> &Value {
    &host.handshake()["capabilities"]["experimental"]["mcpl"]
}

fn injects() -> core::Hook {
    let hook = McplHook::answering_any::<Before, _, _>(
        "inject",
        point::before_inference,
        |_: &BeforeInference, _| {
            Box::pin(async { mcpl::Injection::new("n", Position::BeforeUser, "x") })
        },
    );
    hook.into()
}

/// What each sender says to being used.
async fn senders(call: mcpl::Call) -> Vec<Result<(), SendError>> {
    let host = call.host();
    let event = Event::new(EventId::of("a", 1), "a");
    let prompt = Inference::prompt("a");
    vec![
        host.push::<Pushing>(&event).await.map(drop),
        host.infer::<Inferring>(&prompt).await.map(drop),
        host.infer_streaming::<Inferring>(&prompt).map(drop),
        host.model_info::<Inferring>().await.map(drop),
        host.register_channels::<Channels>(Vec::new())
            .await
            .map(drop),
        host.channels_changed::<Channels>(mcpl::wire::ChannelsChanged::new())
            .await
            .map(drop),
        host.list_channels::<Channels>().await.map(drop),
        host.incoming::<Channels>(Vec::new()).await.map(drop),
    ]
}

async fn allow(host: &TestHost, version: &str) {
    if version == "0.4" {
        let update = json!({"enabled": ["*"]});
        host.notify("featureSets/update", update).await.unwrap();
    } else {
        let paths = mcpl::wire::uses(mcpl::Version::V05);
        let update = json!({"effectiveCapabilities": paths});
        host.request("featureSets/update", update).await.unwrap();
    }
}

#[tokio::test]
async fn what_asks_the_host_is_not_advertised_and_refused_and_the_rest_works() {
    for version in ["0.4", "0.5"] {
        let server = Bench::new()
            .tool("send", |call, _| async move {
                let refused = senders(call).await.into_iter().map(Result::unwrap_err);
                let methods = refused.map(|error| match error {
                    SendError::NoRequests { method } => json!(method),
                    other => panic!("{other}"),
                });
                Value::Array(methods.collect())
            })
            .tool("change", |call, _| async move {
                let change = mcpl::FeatureSetChange::new().add::<Watching>();
                json!(
                    call.host()
                        .change_feature_sets(change)
                        .await
                        .map_err(|error| error.to_string())
                )
            })
            .tool("elevate", |call, _| async move {
                let asked = call.host().elevate::<Files>(Scope::new("/a")).await;
                json!(asked.unwrap_err().to_string())
            });
        let edit = McplHook::tool::<Files, Bench>("elevate").unguarded();
        let watch = McplHook::answering_any::<Watching, _, _>(
            "watch",
            point::lifecycle,
            |_: &mcpl::InferenceLifecycle, _| Box::pin(async {}),
        );
        let hooks = [
            Pushing::hook(),
            Inferring::hook(),
            Channels::hook(),
            injects(),
            edit.into(),
            watch.into(),
        ];
        let host = host(version).connect(server.with(hooks)).await.unwrap();
        let mcpl = declared(&host);
        for member in ["pushEvents", "inferenceRequest", "modelInfo", "channels"] {
            assert!(mcpl.get(member).is_none(), "{member} in {mcpl}");
        }
        let sets: Vec<_> = mcpl["featureSets"].as_object().unwrap().keys().collect();
        assert_eq!(sets, ["bench.before", "bench.files"]);
        allow(&host, version).await;
        let answer = host
            .request("context/beforeInference", before())
            .await
            .unwrap();
        assert_eq!(answer["contextInjections"].as_array().unwrap().len(), 1);
        let answer = host.call_tool("send", json!({})).await.unwrap();
        let methods: Value = serde_json::from_str(&answer.text()).unwrap();
        assert_eq!(
            methods,
            json!([
                "push/event",
                "inference/request",
                "inference/request",
                "model/info",
                "channels/register",
                "channels/changed",
                "channels/list",
                "channels/incoming",
            ])
        );
        let answer = host.call_tool("elevate", json!({})).await.unwrap().text();
        let wrong = if version == "0.4" {
            "2026-07-28"
        } else {
            "MCPL 0.5"
        };
        assert!(
            answer.contains("scope/elevate") && answer.contains(wrong),
            "{answer}"
        );
        let answer = host.call_tool("change", json!({})).await.unwrap();
        assert_eq!(answer.text(), json!({"Ok": null}).to_string(), "{version}");
        let frames = host.frames().into_iter();
        let theirs = frames.filter(|frame| frame.from == Side::Server);
        let told = theirs.filter_map(|frame| Some(frame.message["method"].as_str()?.to_owned()));
        let expected: &[&str] = match version {
            "0.4" => &[],
            _ => &["mcpl/manifestChanged"],
        };
        assert_eq!(told.collect::<Vec<_>>(), expected);
    }
}

#[tokio::test]
async fn state_channels_and_lists_work_on_a_stream_without_requests_to_the_host() {
    let host = host("0.4").connect(fixture()).await.unwrap();
    allow(&host, "0.4").await;
    let add = json!({"name": "acc_note_add", "arguments": {"text": "one"}});
    let added = host.request("tools/call", add).await.unwrap();
    let checkpoint = &added["state"]["checkpoint"];
    assert!(checkpoint.is_string(), "{added}");
    let back = json!({"featureSet": "acc.notes", "checkpoint": checkpoint});
    let back = host.request("state/rollback", back).await.unwrap();
    assert_eq!(back["success"], true);
    // A set that registers channels is not declared.
    let open = json!({"type": "acc", "address": {"room": "lobby"}});
    assert_eq!(
        host.request("channels/open", open).await.code_or_0(),
        -32001
    );
    let listed = host.request("tools/list", json!({})).await.unwrap();
    assert_eq!(listed["cacheScope"], "private");
    let tools = listed["tools"].as_array().unwrap();
    let add = tools
        .iter()
        .find(|tool| tool["name"] == "acc_note_add")
        .unwrap();
    assert_eq!(add["_meta"]["featureSet"], "acc.notes");
}

/// A client that looks first, and then begins as hosts of MCPL do.
#[tokio::test]
async fn a_handshake_behind_a_discovery_opens_the_whole_of_mcpl() {
    let (stream, _serving) = serve(fixture());
    let (read, mut write) = tokio::io::split(stream);
    let mut lines = BufReader::new(read).lines();
    let experimental = json!({"mcpl": {"version": "0.4"}});
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "h", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"experimental": experimental},
    });
    let handshake = json!({
        "protocolVersion": "2024-11-05", "capabilities": {"experimental": experimental},
        "clientInfo": {"name": "h", "version": "1"},
    });
    let request = |id: u32, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let update =
        json!({"jsonrpc": "2.0", "method": "featureSets/update", "params": {"enabled": ["*"]}});
    let push = json!({"name": "acc_push", "arguments": {"text": "a"}});
    let mut declared = Vec::new();
    for message in [
        request(1, "server/discover", json!({"_meta": meta})),
        request(2, "initialize", handshake),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        update,
        request(3, "tools/call", push),
    ] {
        write
            .write_all(format!("{message}\n").as_bytes())
            .await
            .unwrap();
        if message["id"].is_null() {
            continue;
        }
        let answer = lines.next_line().await.unwrap().unwrap();
        declared.push(serde_json::from_str::<Value>(&answer).unwrap());
    }
    let mcpl = |at: usize| &declared[at]["result"]["capabilities"]["experimental"]["mcpl"];
    assert!(mcpl(0)["version"] == "0.4" && mcpl(0).get("pushEvents").is_none());
    assert_eq!(mcpl(1)["pushEvents"], true);
    assert_eq!(declared[2]["method"], "push/event", "{}", declared[2]);
}
