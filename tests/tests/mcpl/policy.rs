//! The policy: closed until it comes, obeyed at once, also by what is under way.

use std::{sync::Arc, time::Duration};

use hooks_sdk::{
    core,
    mcpl::{Enabled, EventId, Hook, Host, Inference, Modified, Push, Settings, point},
    prelude::*,
    testing::{
        McplHost, Side,
        mcpl::{Policy, Reaction},
    },
};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::{
    bench::{After, Before, Bench, Channels, Inferring, Log, Pushing, Watching},
    rig::{before, fixture, tool, until},
};

/// A hook that begins, and ends when it is let.
struct Slow {
    began: Arc<Semaphore>,
    go: Arc<Semaphore>,
}

fn slow_before() -> (Slow, core::Hook) {
    let (began, go) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let slow = Slow {
        began: began.clone(),
        go: go.clone(),
    };
    let hook = Hook::answering_any::<Before, _, _>(
        "slow",
        point::before_inference,
        move |_: &BeforeInference, _| {
            let (began, go) = (began.clone(), go.clone());
            Box::pin(async move {
                began.add_permits(1);
                go.acquire().await.unwrap().forget();
                Injection::new("bench", Position::System, "late")
            })
        },
    );
    (slow, hook.into())
}

fn slow_after() -> (Slow, core::Hook) {
    let (began, go) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let slow = Slow {
        began: began.clone(),
        go: go.clone(),
    };
    let hook = Hook::answering_any::<After, _, _>(
        "slow",
        point::after_inference,
        move |_: &AfterInference, _| {
            let (began, go) = (began.clone(), go.clone());
            Box::pin(async move {
                began.add_permits(1);
                go.acquire().await.unwrap().forget();
                Modified::to("modified")
            })
        },
    );
    (slow, hook.blocking().into())
}

#[tokio::test]
async fn what_is_revoked_while_a_hook_runs_is_not_said() {
    let (slow, hook) = slow_before();
    let host = McplHost::builder()
        .connect(Bench::new().with([hook]))
        .await
        .unwrap();
    let revoking = async {
        slow.began.acquire().await.unwrap().forget();
        host.disable([Before::NAME]).await.unwrap();
        host.request("ping", json!({})).await.unwrap();
        slow.go.add_permits(1);
    };
    let (answer, ()) = tokio::join!(host.request("context/beforeInference", before()), revoking);
    assert_eq!(
        answer.unwrap(),
        json!({"featureSet": Before::NAME, "contextInjections": []})
    );

    let (slow, hook) = slow_after();
    let host = McplHost::builder()
        .connect(Bench::new().with([hook]))
        .await
        .unwrap();
    let revoking = async {
        slow.began.acquire().await.unwrap().forget();
        host.disable([After::NAME]).await.unwrap();
        host.request("ping", json!({})).await.unwrap();
        slow.go.add_permits(1);
    };
    let asking = host.request("context/afterInference", super::rig::after("a"));
    let (answer, ()) = tokio::join!(asking, revoking);
    assert_eq!(answer.unwrap(), json!({"featureSet": After::NAME}));
}

#[tokio::test]
async fn a_position_revoked_while_a_hook_runs_is_left_out() {
    let (slow, hook) = slow_before();
    let builder = McplHost::builder().version("0.5");
    let host = builder.connect(Bench::new().with([hook])).await.unwrap();
    let revoking = async {
        slow.began.acquire().await.unwrap().forget();
        let fewer = Policy::new().grant(["contextHooks.beforeInference.observe"]);
        host.update_feature_sets(&fewer).await.unwrap();
        slow.go.add_permits(1);
    };
    let (answer, ()) = tokio::join!(host.request("context/beforeInference", before()), revoking);
    assert_eq!(answer.unwrap()["contextInjections"], json!([]));
}

#[tokio::test]
async fn an_update_is_seen_by_the_request_behind_it() {
    let host = McplHost::builder().silent().keep(10);
    let host = host.connect(fixture()).await.unwrap();
    for round in 0..1000 {
        let (list, expected) = match round % 2 {
            0 => ("enabled", 3),
            _ => ("disabled", 0),
        };
        // On this one thread both are written before the server reads either.
        let update = json!({list: ["acc.context"]});
        host.notify("featureSets/update", update).await.unwrap();
        let asking = host.request("context/beforeInference", before());
        let answer = asking.await.unwrap();
        let injections = answer["contextInjections"].as_array().unwrap();
        assert_eq!(injections.len(), expected, "round {round}");
    }
}

/// Pushes as soon as it may.
fn eager(log: Log) -> core::Hook {
    let hook = Hook::answering_any::<Pushing, _, _>(
        "eager",
        point::enabled,
        move |enabled: &Enabled, _| {
            let (host, log) = (enabled.host().clone(), log.clone());
            Box::pin(async move {
                let event = Push::new(EventId::of("start", 1), "here");
                log.add(format!("{:?}", host.push::<Pushing>(&event).await.is_ok()));
            })
        },
    );
    hook.into()
}

/// The places in the frames at which the receipt `at` and the first push stand.
fn order(host: &McplHost, at: usize) -> (usize, usize) {
    let frames = host.frames();
    let theirs = |is: &dyn Fn(&Value) -> bool| {
        let mut all = frames.iter().enumerate();
        let all = all
            .by_ref()
            .filter(|(_, frame)| frame.from == Side::Server && is(&frame.message));
        all.map(|(at, _)| at).collect::<Vec<_>>()
    };
    let receipts = theirs(&|message| message["result"]["accepted"] == true);
    let pushes = theirs(&|message| message["method"] == "push/event");
    (receipts[at], pushes[0])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_enabled_hook_sends_when_the_receipt_has_left() {
    let log = Log::default();
    let server = Bench::new().with([Pushing::hook(), eager(log.clone())]);
    let host = McplHost::builder()
        .version("0.5")
        .connect(server)
        .await
        .unwrap();
    host.wait_for("push/event").await.unwrap();
    let (receipt, push) = order(&host, 0);
    assert!(receipt < push);

    // The same where an earlier policy did not allow it, however the tasks of the server run.
    for _ in 0..50 {
        let server = Bench::new().with([Pushing::hook(), eager(log.clone())]);
        let policy = Policy::new().enable(["other"]);
        let builder = McplHost::builder().version("0.5").policy(policy);
        let host = builder.connect(server).await.unwrap();
        host.update_feature_sets(&Policy::trusting()).await.unwrap();
        host.wait_for("push/event").await.unwrap();
        let (receipt, push) = order(&host, 1);
        assert!(receipt < push, "{:#?}", host.frames());
        assert!(host.failures().is_empty());
    }
    assert!(log.all().iter().all(|accepted| accepted == "true"));
}

#[tokio::test(start_paused = true)]
async fn a_silent_0_4_host_enables_nothing_unless_the_author_says_so() {
    let push = || {
        Bench::new().tool("push", |call, _| async move {
            let event = Push::new(EventId::of("a", 1), "a");
            json!(
                call.host()
                    .push::<Pushing>(&event)
                    .await
                    .map(drop)
                    .map_err(|error| error.to_string())
            )
        })
    };
    let host = McplHost::builder().silent();
    let host = host.connect(push().with([Pushing::hook()])).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert!(tool(&host, "push", json!({})).await["Err"].is_string());

    let settings = Settings::new().enable_silent_hosts_after(Duration::from_secs(5));
    for (version, opens) in [("0.4", true), ("0.5", false)] {
        let log = Log::default();
        let server = push().with_settings(settings, [Pushing::hook(), eager(log.clone())]);
        let builder = McplHost::builder().version(version).silent();
        let host = builder.connect(server).await.unwrap();
        tokio::time::sleep(Duration::from_secs(4)).await;
        assert!(tool(&host, "push", json!({})).await["Err"].is_string());
        tokio::time::sleep(Duration::from_secs(2)).await;
        let answer = tool(&host, "push", json!({})).await;
        assert_eq!(answer.get("Ok").is_some(), opens, "{version} {answer}");
        assert_eq!(log.all().len(), usize::from(opens));
    }
    // One that speaks in time is obeyed, and is not opened behind its back.
    let host = McplHost::builder().policy(Policy::new().enable(["other"]));
    let host = host
        .connect(push().with_settings(settings, [Pushing::hook()]))
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(
        tool(&host, "push", json!({})).await["Err"]
            .as_str()
            .unwrap()
            .contains("not enabled")
    );
}

/// A server that asks its host from wherever it can, also before it has read a policy.
struct Hasty {
    log: Log,
}

/// Asks at once
#[mcpl::feature_set("hasty.ask", sends(push, inference, register), optional(model_info), server = Hasty)]
struct Hastily;

impl rmcp::ServerHandler for Hasty {
    async fn on_initialized(&self, _context: rmcp::service::NotificationContext<rmcp::RoleServer>) {
        self.log.add("initialized");
    }
}

#[hooks_sdk::hooks]
impl Hasty {
    #[mcpl::hook(enabled, feature_set = Hastily)]
    async fn start(&self, enabled: &Enabled) {
        let host = enabled.host();
        let model = host.model_info::<Hastily>().await;
        self.log.add(format!("model {}", model.is_ok()));
        let registered = host.register_channels::<Hastily>(Vec::new()).await;
        self.log.add(format!("registered {}", registered.is_ok()));
        let inferred = host.infer::<Hastily>(&Inference::prompt("p")).await;
        self.log.add(format!("inferred {}", inferred.is_ok()));
    }
}

#[tokio::test]
async fn a_server_that_asks_as_soon_as_it_may_does_not_lock_up() {
    for version in ["0.4", "0.5"] {
        let log = Log::default();
        let server = Hasty { log: log.clone() }.with_hooks().unwrap();
        let host = McplHost::builder()
            .version(version)
            .connect(server)
            .await
            .unwrap();
        until(&host, || log.all().len() == 4).await;
        let expected = [
            "initialized",
            "model true",
            "registered true",
            "inferred true",
        ];
        assert_eq!(log.all(), expected);
        // Disabling ends it, enabling begins anew.
        host.disable([Hastily::NAME]).await.unwrap();
        host.update_feature_sets(&Policy::trusting()).await.unwrap();
        until(&host, || log.all().len() == 7).await;
        // A policy that changes nothing does not.
        host.update_feature_sets(&Policy::trusting()).await.unwrap();
        host.request("ping", json!({})).await.unwrap();
        assert_eq!(log.all().len(), 7);
        assert!(host.failures().is_empty());
    }
}

#[tokio::test]
async fn a_tool_that_asks_before_the_policy_is_refused_and_the_policy_still_comes() {
    for version in ["0.4", "0.5"] {
        let server = Bench::new().tool("model", |call, _| async move {
            let model = call.host().model_info::<Inferring>().await;
            json!(model.map(drop).map_err(|error| error.code()))
        });
        let server = server.with([Inferring::hook()]);
        let host = McplHost::builder()
            .version(version)
            .silent()
            .connect(server)
            .await
            .unwrap();
        let asks = futures::future::join_all((0..10).map(|_| tool(&host, "model", json!({}))));
        for answer in asks.await {
            let code = if version == "0.4" { -32001 } else { -32002 };
            assert_eq!(answer, json!({"Err": code}));
        }
        host.update_feature_sets(&Policy::trusting()).await.unwrap();
        assert_eq!(tool(&host, "model", json!({})).await, json!({"Ok": null}));
    }
}

#[tokio::test]
async fn a_stream_that_begins_when_its_set_was_revoked_is_not_sent() {
    let server = Bench::new().tool("infer", |call, _| async move {
        use futures::StreamExt;
        let host: &Host = call.host();
        let mut stream = host
            .infer_streaming::<Inferring>(&Inference::prompt("p"))
            .unwrap();
        while host.is_enabled::<Inferring>() {
            tokio::task::yield_now().await;
        }
        let first = stream.next().await.is_some();
        let end = stream
            .finish()
            .await
            .map(drop)
            .map_err(|error| error.code());
        json!({"first": first, "end": end})
    });
    let host = McplHost::builder()
        .connect(server.with([Inferring::hook()]))
        .await
        .unwrap();
    let revoking = async {
        tokio::task::yield_now().await;
        host.disable([Inferring::NAME]).await.unwrap();
    };
    let (answer, ()) = tokio::join!(tool(&host, "infer", json!({})), revoking);
    assert_eq!(answer, json!({"first": false, "end": {"Err": -32001}}));
    assert!(host.received("inference/request").is_empty());
}

#[tokio::test]
async fn phases_that_wait_are_not_told_when_their_grant_is_gone() {
    let log = Log::default();
    let (began, go) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let hook = {
        let (log, began, go) = (log.clone(), began.clone(), go.clone());
        Hook::answering_any::<Watching, _, _>(
            "watch",
            point::lifecycle,
            move |_: &mcpl::InferenceLifecycle, _| {
                let (log, began, go) = (log.clone(), began.clone(), go.clone());
                Box::pin(async move {
                    log.add("told");
                    began.add_permits(1);
                    go.acquire().await.unwrap().forget();
                })
            },
        )
    };
    let server = Bench::new().tool("add", |call, _| async move {
        let change = mcpl::FeatureSetChange::new().add::<Watching>();
        json!(call.host().change_feature_sets(change).await.is_ok())
    });
    let server = server.with([hook.into(), Pushing::hook()]);
    let host = McplHost::builder()
        .version("0.5")
        .connect(server)
        .await
        .unwrap();
    tool(&host, "add", json!({})).await;
    host.update_feature_sets(&Policy::trusting()).await.unwrap();
    let phase =
        json!({"inferenceId": "i", "conversationId": "c", "turnIndex": 0, "phase": "started"});
    for _ in 0..3 {
        host.notify("inference/lifecycle", phase.clone())
            .await
            .unwrap();
    }
    began.acquire().await.unwrap().forget();
    host.update_feature_sets(&Policy::new().grant(["pushEvents"]))
        .await
        .unwrap();
    go.add_permits(3);
    host.request("ping", json!({})).await.unwrap();
    tokio::task::yield_now().await;
    assert_eq!(log.all(), ["told"]);
}

#[tokio::test]
async fn channel_senders_need_their_own_paths() {
    let server = Bench::new().tool("ask", |call, which| async move {
        let host = call.host();
        let code = match which["which"].as_str().unwrap() {
            "register" => host
                .register_channels::<Channels>(Vec::new())
                .await
                .map(drop),
            "incoming" => host.incoming::<Channels>(Vec::new()).await.map(drop),
            _ => host.list_channels::<Channels>().await.map(drop),
        };
        json!(code.map_err(|error| error.code()))
    });
    let builder = McplHost::builder()
        .version("0.5")
        .grant(["channels.incoming"]);
    let host = builder
        .connect(server.with([Channels::hook()]))
        .await
        .unwrap();
    let ask = async |which: &str| tool(&host, "ask", json!({"which": which})).await;
    host.react(
        "channels/incoming",
        Reaction::result(json!({"results": []})),
    );
    assert_eq!(ask("register").await, json!({"Err": -32002}));
    assert_eq!(ask("list").await, json!({"Err": -32002}));
    assert_eq!(ask("incoming").await, json!({"Ok": null}));
}
