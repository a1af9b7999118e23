//! The policy: closed until it comes, obeyed at once, also by what is under way.

use std::sync::Arc;

use hooks_sdk::{
    core,
    mcpl::{Host, Inference, McplHook, Modified, point},
    prelude::*,
    testing::{McplHost, mcpl::McplGrants},
};
use serde_json::json;
use tokio::sync::Semaphore;

use super::{
    bench::{After, Before, Bench, Inferring, Log, Pushing, Watching},
    rig::{before, connect, fixture, host_04, host_05, refused_locally, state, tool},
};

/// A hook that begins, and ends when it is let.
#[derive(Clone)]
struct Slow {
    began: Arc<Semaphore>,
    go: Arc<Semaphore>,
}

impl Slow {
    fn new() -> Slow {
        let none = || Arc::new(Semaphore::new(0));
        Slow {
            began: none(),
            go: none(),
        }
    }

    async fn run(self) {
        self.began.add_permits(1);
        self.go.acquire().await.unwrap().forget();
    }
}

fn slow_before() -> (Slow, core::Hook) {
    let slow = Slow::new();
    let runs = slow.clone();
    let hook = McplHook::answering_any::<Before, _, _>(
        "slow",
        point::before_inference,
        move |_: &BeforeInference, _| {
            let runs = runs.clone();
            Box::pin(async move {
                runs.run().await;
                Injection::new("bench", Position::System, "late")
            })
        },
    );
    (slow, hook.into())
}

fn slow_after() -> (Slow, core::Hook) {
    let slow = Slow::new();
    let runs = slow.clone();
    let hook = McplHook::answering_any::<After, _, _>(
        "slow",
        point::after_inference,
        move |_: &AfterInference, _| {
            let runs = runs.clone();
            Box::pin(async move {
                runs.run().await;
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
        let fewer = McplGrants::new().grant(["contextHooks.beforeInference.observe"]);
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

#[tokio::test]
async fn an_updates_members_of_another_version_or_form_are_unknown_whatever_their_shape() {
    let host = host_04().await;
    let update =
        json!({"disabled": ["acc.push"], "effectiveCapabilities": 5, "deniedCapabilities": {}});
    host.notify("featureSets/update", update).await.unwrap();
    let answer = tool(&host, "acc_push", json!({"text": "a"})).await;
    refused_locally(&answer, -32001);

    let host = host_05().await;
    let update = json!({"effectiveCapabilities": ["pushEvents"], "scopes": 5});
    host.request("featureSets/update", update).await.unwrap();
    let answer = tool(&host, "acc_push", json!({"text": "a"})).await;
    assert_eq!(answer["ok"], true, "{answer}");
    let narrow = json!({"disabled": ["acc.push"], "effectiveCapabilities": 5, "enabled": 5});
    host.notify("featureSets/update", narrow).await.unwrap();
    let answer = tool(&host, "acc_push", json!({"text": "a"})).await;
    refused_locally(&answer, -32001);
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
    let slow = Slow::new();
    let hook = {
        let (log, slow) = (log.clone(), slow.clone());
        McplHook::answering_any::<Watching, _, _>(
            "watch",
            point::lifecycle,
            move |_: &mcpl::InferenceLifecycle, _| {
                log.add("told");
                Box::pin(slow.clone().run())
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
    host.update_feature_sets(&McplGrants::trusting())
        .await
        .unwrap();
    let phase =
        json!({"inferenceId": "i", "conversationId": "c", "turnIndex": 0, "phase": "started"});
    for _ in 0..3 {
        host.notify("inference/lifecycle", phase.clone())
            .await
            .unwrap();
    }
    slow.began.acquire().await.unwrap().forget();
    host.update_feature_sets(&McplGrants::new().grant(["pushEvents"]))
        .await
        .unwrap();
    slow.go.add_permits(3);
    host.request("ping", json!({})).await.unwrap();
    tokio::task::yield_now().await;
    assert_eq!(log.all(), ["told"]);
}

#[tokio::test]
async fn of_a_notification_only_what_cannot_be_read_is_lost() {
    let host = connect(McplHost::builder().silent()).await;
    let enabled = async |update: serde_json::Value| {
        host.notify("featureSets/update", update).await.unwrap();
        state(&host).await["enabled"].clone()
    };
    let update =
        json!({"enabled": ["acc.push", 5, null, "acc.files"], "disabled": null, "scopes": null});
    assert_eq!(enabled(update).await, json!(["acc.files", "acc.push"]));
    let update = json!({"enabled": {"acc.notes": true}, "disabled": [["acc.files"], "acc.push"]});
    assert_eq!(enabled(update).await, json!(["acc.files"]));
    let scopes = json!({
        "acc.files": {"whitelist": ["/a"], "blacklist": [5]}, "acc.notes": 5, "acc.push": {"whitelist": ["/b"]},
    });
    let update = json!({"enabled": ["acc.notes"], "scopes": scopes});
    assert_eq!(enabled(update).await, json!(["acc.files", "acc.notes"]));
    // What a list would have forbidden is not known, so that nothing is let through unasked.
    let scopes = json!({"acc.files": {}, "acc.notes": {}, "acc.push": {"whitelist": ["/b"]}});
    assert_eq!(state(&host).await["scopes"], scopes);
}
