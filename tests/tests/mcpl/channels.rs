//! Channels as the host uses them: opened, written to within scopes, acknowledged, and closed.

use std::{future::pending, time::Duration};

use hooks_sdk::{
    core,
    mcpl::{
        Acknowledge, Acknowledged, ChannelDescriptor, ChannelsClose, ChannelsOpen, Direction,
        Elevation, ErrorObject, FeatureSet, McplHook, Publish, Published, Typing, point,
        wire::ChannelsChanged,
    },
    prelude::*,
    testing::{McplHost, McplHostBuilder, mcpl::McplGrants},
};
use serde_json::{Value, json};

use super::{
    bench::{Bench, Channels, Log},
    rig::{ErrorCode, publish, raw, sent, until},
};

/// Has channels that are scopes
#[mcpl::feature_set("bench.scoped", scoped, server = Bench)]
struct Scoped;

fn channel(id: &str) -> ChannelDescriptor {
    ChannelDescriptor::new(id, "b", "A channel", Direction::Bidirectional)
}

/// Opens whatever is asked for by name, and fails as it is told.
fn opens<F: FeatureSet>() -> core::Hook {
    let hook = McplHook::answering_any::<F, _, Result<ChannelDescriptor, ErrorObject>>(
        "opens",
        point::channels_open,
        |open: &ChannelsOpen, _| {
            let name = open.address["room"].as_str().unwrap_or_default().to_owned();
            Box::pin(async move {
                match name.as_str() {
                    "own" => Err(ErrorObject::new(-32099, "own")),
                    "broken" => Err(ErrorObject::internal("broken")),
                    "panic" => panic!("no room"),
                    "hang" => pending().await,
                    name => Ok(channel(name)),
                }
            })
        },
    );
    hook.into()
}

fn closes() -> core::Hook {
    let hook = McplHook::answering_any::<Channels, _, Result<(), ErrorObject>>(
        "closes",
        point::channels_close,
        |close: &ChannelsClose, _| {
            let stuck = close.channel_id == "stuck";
            Box::pin(async move {
                match stuck {
                    true => Err(ErrorObject::new(-32098, "stuck")),
                    false => Ok(()),
                }
            })
        },
    );
    hook.into()
}

/// Delivers to the log; a text `hang` never arrives.
fn delivers<F: FeatureSet>(log: Log) -> core::Hook {
    let hook = McplHook::answering_any::<F, _, Published>(
        "delivers",
        point::channels_publish,
        move |message: &Publish, _| {
            let text = message.content[0].as_text().unwrap_or_default().to_owned();
            let log = log.clone();
            Box::pin(async move {
                if text == "hang" {
                    pending::<()>().await;
                }
                log.add(text);
                Published::delivered()
            })
        },
    );
    hook.into()
}

async fn host(builder: McplHostBuilder, log: &Log) -> McplHost {
    let hooks = [
        Channels::hook(),
        opens::<Channels>(),
        closes(),
        delivers::<Channels>(log.clone()),
    ];
    builder.connect(Bench::new().with(hooks)).await.unwrap()
}

async fn open(host: &McplHost, room: &str) -> i64 {
    host.open_channel("b", json!({"room": room}))
        .await
        .code_or_0()
}

#[tokio::test(start_paused = true)]
async fn opening_and_closing_fail_with_their_own_codes_and_change_nothing() {
    let host = host(McplHost::builder(), &Log::default()).await;
    for (room, code) in [
        ("own", -32099),
        ("broken", -32024),
        ("panic", -32024),
        ("hang", -32024),
        ("a", 0),
    ] {
        assert_eq!(open(&host, room).await, code, "{room}");
    }
    assert_eq!(open(&host, "a").await, 0, "it may be opened twice");
    assert_eq!(open(&host, "stuck").await, 0);
    let open_now = async || {
        let listed = host.list_channels().await.unwrap().into_iter();
        listed.map(|channel| channel.id).collect::<Vec<_>>()
    };
    assert_eq!(open_now().await, ["a", "stuck"]);
    assert_eq!(host.close_channel("stuck").await.code_or_0(), -32098);
    assert_eq!(host.close_channel("nowhere").await.code_or_0(), -32023);
    assert_eq!(open_now().await, ["a", "stuck"]);
    assert!(host.close_channel("a").await.unwrap());
    assert_eq!(host.close_channel("a").await.code_or_0(), -32023);
    assert_eq!(open_now().await, ["stuck"]);
}

#[tokio::test(start_paused = true)]
async fn a_delivery_that_hangs_holds_the_others_up_for_no_longer_than_its_deadline() {
    let log = Log::default();
    let host = host(McplHost::builder(), &log).await;
    open(&host, "a").await;
    let start = tokio::time::Instant::now();
    host.notify_publish("c", "a", "one").await.unwrap();
    let hanging = json!({"jsonrpc": "2.0", "id": "h", "method": "channels/publish", "params": publish("a", "hang")});
    raw(&host, hanging).await;
    raw(&host, json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "h"}})).await;
    host.notify_publish("c", "a", "hang").await.unwrap();
    host.notify_publish("c", "a", "two").await.unwrap();
    let published = host.publish("c", "a", "three").await.unwrap();
    assert!(published.delivered);
    assert_eq!(log.all(), ["one", "two", "three"]);
    assert!(
        start.elapsed() <= Duration::from_secs(21),
        "{:?}",
        start.elapsed()
    );
    let hangs = host.publish("c", "a", "hang").await;
    assert_eq!(hangs.code_or_0(), -32603);
}

#[tokio::test]
async fn a_disabled_set_delivers_in_neither_form() {
    for version in ["0.4", "0.5"] {
        let log = Log::default();
        let host = host(McplHost::builder().version(version), &log).await;
        open(&host, "a").await;
        host.notify_publish("c", "a", "one").await.unwrap();
        until(&host, || log.all() == ["one"]).await;
        host.disable([Channels::NAME]).await.unwrap();
        host.notify_publish("c", "a", "two").await.unwrap();
        assert_eq!(host.publish("c", "a", "three").await.code_or_0(), -32001);
        assert_eq!(open(&host, "a").await, -32001);
        assert_eq!(host.close_channel("a").await.code_or_0(), -32001);
        host.request("ping", json!({})).await.unwrap();
        assert_eq!(log.all(), ["one"]);
    }
}

#[tokio::test]
async fn nothing_is_delivered_to_a_channel_that_is_the_models_own() {
    let log = Log::default();
    let host = host(McplHost::builder(), &log).await;
    assert_eq!(open(&host, "thinking").await, 0);
    assert_eq!(host.publish("c", "thinking", "a").await.code_or_0(), -32017);
    host.notify_publish("c", "thinking", "a").await.unwrap();
    assert_eq!(host.publish("c", "nowhere", "a").await.code_or_0(), -32023);
    assert_eq!(log.all(), [""; 0]);
}

#[tokio::test]
async fn a_scoped_sets_channels_are_scopes() {
    let log = Log::default();
    let policy = McplGrants::trusting().whitelist("bench.scoped", ["white"]);
    let builder = McplHost::builder().grants(policy).decide(|set, scope| {
        assert_eq!(set, "bench.scoped");
        match &*scope.label {
            "asked" => Elevation::approved(None),
            _ => Elevation::denied("no"),
        }
    });
    let hooks = [opens::<Scoped>(), delivers::<Scoped>(log.clone())];
    let host = builder.connect(Bench::new().with(hooks)).await.unwrap();
    for room in ["white", "asked", "denied"] {
        assert_eq!(open(&host, room).await, 0);
    }
    assert!(host.publish("c", "white", "1").await.unwrap().delivered);
    assert_eq!(sent(&host), [""; 0]);
    assert!(host.publish("c", "asked", "2").await.unwrap().delivered);
    assert_eq!(host.publish("c", "denied", "3").await.code_or_0(), -32017);
    for room in ["denied", "asked", "white"] {
        host.notify_publish("c", room, room).await.unwrap();
    }
    until(&host, || log.all().len() == 4).await;
    assert_eq!(log.all(), ["1", "2", "asked", "white"]);
    assert_eq!(sent(&host), ["scope/elevate"; 4]);
}

#[tokio::test]
async fn messages_are_acknowledged_and_typing_is_seen_as_far_as_it_is_granted() {
    let log = Log::default();
    let typing = {
        let log = log.clone();
        McplHook::answering_any::<Channels, _, _>(
            "typing",
            point::channels_typing,
            move |typing: &Typing, _| {
                log.add(json!(typing.op).to_string());
                Box::pin(async {})
            },
        )
    };
    let acknowledges = McplHook::answering_any::<Channels, _, _>(
        "acknowledges",
        point::channels_acknowledge,
        |acknowledge: &Acknowledge, _| {
            let value = acknowledge.value.clone();
            Box::pin(async move {
                match value {
                    Some(value) => Acknowledged::done().representation(value),
                    None => Acknowledged::failed("nothing to show"),
                }
            })
        },
    );
    let hooks = [
        Channels::hook(),
        opens::<Channels>(),
        typing.into(),
        acknowledges.into(),
    ];
    let host = McplHost::builder()
        .version("0.5")
        .connect(Bench::new().with(hooks))
        .await
        .unwrap();
    open(&host, "a").await;
    let acknowledge = async |value: Option<Value>| host.acknowledge("a", "m1", value).await;
    let done = acknowledge(Some(json!("eyes"))).await.unwrap();
    assert_eq!(
        (done.acknowledged, done.representation),
        (true, Some(json!("eyes")))
    );
    assert!(!acknowledge(None).await.unwrap().acknowledged);
    assert_eq!(
        host.acknowledge("nowhere", "m1", None).await.code_or_0(),
        -32023
    );
    host.typing("a", mcpl::wire::TypingOp::Start).await.unwrap();
    host.notify("channels/typing", json!({"channelId": "a", "op": "dance"}))
        .await
        .unwrap();
    host.notify("channels/typing", json!({"channelId": "a"}))
        .await
        .unwrap();
    until(&host, || log.all().len() == 3).await;
    assert_eq!(log.all(), ["\"start\"", "\"dance\"", "null"]);
    host.update_feature_sets(&McplGrants::new().grant(["channels.register"]))
        .await
        .unwrap();
    assert_eq!(acknowledge(None).await.code_or_0(), -32002);
    host.typing("a", mcpl::wire::TypingOp::Stop).await.unwrap();
    host.request("ping", json!({})).await.unwrap();
    assert_eq!(log.all().len(), 3);
}

#[tokio::test]
async fn a_method_in_the_form_that_it_does_not_have_does_nothing() {
    let log = Log::default();
    let host = host(McplHost::builder(), &log).await;
    for (method, params) in [
        (
            "channels/open",
            json!({"type": "b", "address": {"room": "a"}}),
        ),
        ("channels/close", json!({"channelId": "a"})),
        ("channels/list", json!({})),
        ("context/beforeInference", super::rig::before()),
        (
            "state/rollback",
            json!({"featureSet": "a", "checkpoint": "b"}),
        ),
        ("mcpl/manifest", json!({})),
    ] {
        host.notify(method, params).await.unwrap();
    }
    assert!(host.list_channels().await.unwrap().is_empty());
    for method in [
        "channels/outgoing/chunk",
        "channels/outgoing/complete",
        "channels/typing",
        "inference/chunk",
    ] {
        let answer = host.request(method, super::rig::outgoing(0)).await;
        assert_eq!(answer.code_or_0(), -32601, "{method}");
    }
}

#[tokio::test]
async fn two_channels_of_one_id_are_not_sent() {
    let server = Bench::new().tool("twice", |call, _| async move {
        let host = call.host();
        let twice = || vec![channel("a"), channel("b"), channel("a")];
        let registered = host.register_channels::<Channels>(twice()).await;
        let changed = ChannelsChanged::new()
            .added(channel("a"))
            .updated(channel("a"));
        let changed = host.channels_changed::<Channels>(changed).await;
        let once = host.register_channels::<Channels>(vec![channel("a")]).await;
        json!([
            registered.unwrap_err().to_string(),
            changed.unwrap_err().code(),
            once.is_ok(),
        ])
    });
    let host = McplHost::builder()
        .connect(server.with([Channels::hook()]))
        .await;
    let host = host.unwrap();
    let answer = host.call_tool("twice", json!({})).await.unwrap();
    let words = "two channels have the id `a`; give each an id of its own";
    let answer: Value = serde_json::from_str(&answer.text()).unwrap();
    assert_eq!(answer, json!([words, -32602, true]));
    assert_eq!(sent(&host), ["channels/register"]);
}
