//! Feature sets that come and go while the connection lasts.

use hooks_sdk::{
    core,
    mcpl::{Enabled, EventId, FeatureSetChange, McplHook, Push, SendError, point, wire::manifest},
    prelude::*,
    testing::{McplHost, McplHostBuilder, mcpl::McplGrants},
};
use serde_json::{Value, json};

use super::{
    bench::{Bench, Inferring, Late, Log, Pushing, Watching},
    rig::{tool, until},
};

/// Belongs to nobody
#[mcpl::feature_set("stranger.push", sends(push), server = Log)]
struct Stranger;

/// Notes when it begins, and when it is ended.
fn lives(log: Log) -> core::Hook {
    struct Ends(Log);
    impl Drop for Ends {
        fn drop(&mut self) {
            self.0.add("ended");
        }
    }
    let hook =
        McplHook::answering_any::<Late, _, _>("lives", point::enabled, move |_: &Enabled, _| {
            let log = log.clone();
            Box::pin(async move {
                log.add("began");
                let _ends = Ends(log);
                std::future::pending::<()>().await;
            })
        });
    hook.into()
}

fn watches() -> core::Hook {
    let hook = McplHook::answering_any::<Watching, _, _>(
        "watches",
        point::lifecycle,
        |_: &mcpl::InferenceLifecycle, _| Box::pin(async {}),
    );
    hook.into()
}

async fn host(builder: McplHostBuilder, log: Log) -> McplHost {
    let bench = Bench::new()
        .tool("change", |call, batch| async move {
            let change = batch["do"].as_array().unwrap().iter();
            let change = change.fold(FeatureSetChange::new(), |change, step| {
                match step.as_str().unwrap() {
                    "+late" => change.add::<Late>(),
                    "-late" => change.remove::<Late>(),
                    "+infer" => change.add::<Inferring>(),
                    "-infer" => change.remove::<Inferring>(),
                    "+watch" => change.add::<Watching>(),
                    "-watch" => change.remove::<Watching>(),
                    "+stranger" => change.add::<Stranger>(),
                    other => panic!("{other}"),
                }
            });
            match call.host().change_feature_sets(change).await {
                Ok(()) => json!("done"),
                Err(SendError::UnknownFeatureSet { feature_set }) => json!(feature_set),
                Err(error) => panic!("{error}"),
            }
        })
        .tool("push", |call, _| async move {
            let event = Push::new(EventId::of("a", 1), "a");
            json!(
                call.host()
                    .push::<Late>(&event)
                    .await
                    .map(drop)
                    .map_err(|error| error.code())
            )
        });
    let hooks = [
        Late::hook(),
        Inferring::hook(),
        Pushing::hook(),
        lives(log),
        watches(),
    ];
    builder.connect(bench.with(hooks)).await.unwrap()
}

async fn change(host: &McplHost, batch: &[&str]) -> Value {
    tool(host, "change", json!({"do": batch})).await
}

/// What was announced since the last time.
async fn announced(host: &McplHost, from: &mut usize) -> Vec<Value> {
    host.request("ping", json!({})).await.unwrap();
    let mut all = host.received("featureSets/changed");
    all.extend(host.received("mcpl/manifestChanged"));
    let new = all.split_off(*from);
    *from += new.len();
    new.into_iter()
        .map(|message| message["params"].clone())
        .collect()
}

#[tokio::test]
async fn a_batch_is_one_announcement_and_no_change_is_none_04() {
    let host = host(McplHost::builder(), Log::default()).await;
    let mut from = 0;
    assert_eq!(change(&host, &["+late", "-infer"]).await, "done");
    let late = json!({"description": "Comes later", "uses": ["pushEvents"]});
    let expected = json!({"added": {"bench.late": late}, "removed": ["bench.infer"]});
    assert_eq!(announced(&host, &mut from).await, [expected]);
    for nothing in [
        &["+late"][..],
        &["-infer"],
        &["+late", "-infer", "+late"],
        &[],
        &["+infer", "-infer"],
        // It says nothing to a 0.4 host, which is not told of it.
        &["+watch"],
        &["-watch"],
    ] {
        assert_eq!(change(&host, nothing).await, "done");
        assert_eq!(
            announced(&host, &mut from).await,
            [json!(null); 0],
            "{nothing:?}"
        );
    }
    assert_eq!(change(&host, &["-late", "+infer"]).await, "done");
    let told = announced(&host, &mut from).await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["removed"], json!(["bench.late"]));
    assert_eq!(
        told[0]["added"]["bench.infer"]["uses"],
        json!(["inferenceRequest"])
    );
    assert!(host.failures().is_empty());
}

#[tokio::test]
async fn a_batch_is_one_announcement_and_no_change_is_none_05() {
    let host = host(McplHost::builder().version("0.5"), Log::default()).await;
    let mut from = 0;
    let mut revisions = vec![host.declared()["revision"].clone()];
    for (batch, changes) in [
        (&["+late", "-infer"][..], true),
        (&["+late"], false),
        (&["+infer", "-infer"], false),
        (&["+watch"], true),
        (&["-watch", "-late", "+infer"], true),
        (&[], false),
    ] {
        assert_eq!(change(&host, batch).await, "done");
        let told = announced(&host, &mut from).await;
        assert_eq!(told.len(), usize::from(changes), "{batch:?}");
        let manifest = host.manifest().await.unwrap();
        let mut bare = manifest.clone();
        bare.as_object_mut().unwrap().remove("revision");
        assert_eq!(
            manifest["revision"],
            json!(manifest::revision(&bare).unwrap())
        );
        if let [told] = &told[..] {
            let expected = json!({"revision": manifest["revision"], "domains": ["featureSets"]});
            assert_eq!(*told, expected);
            revisions.push(manifest["revision"].clone());
        } else {
            assert_eq!(manifest["revision"], *revisions.last().unwrap());
        }
    }
    assert_eq!(
        revisions.first(),
        revisions.last(),
        "the same manifest is the same revision"
    );
    assert_eq!(revisions.len(), 4);
    assert!(host.failures().is_empty());
}

#[tokio::test]
async fn a_set_that_comes_later_or_comes_back_is_what_the_hosts_patterns_say() {
    for version in ["0.4", "0.5"] {
        let log = Log::default();
        let builder = McplHost::builder().version(version);
        let builder = builder.enable(["bench.push"]).grant(["pushEvents"]);
        let host = host(builder, log.clone()).await;
        let push = async || tool(&host, "push", json!({})).await;
        assert_eq!(push().await, json!({"Err": -32003}));
        change(&host, &["+late"]).await;
        assert_eq!(push().await, json!({"Err": -32001}));
        assert_eq!(log.all(), [""; 0]);
        if version == "0.5" {
            host.manifest().await.unwrap();
        }
        let policy = McplGrants::new().enable(["bench.*"]).grant(["pushEvents"]);
        host.update_feature_sets(&policy).await.unwrap();
        assert_eq!(push().await, json!({"Ok": null}), "{version}");
        until(&host, || log.all() == ["began"]).await;
        change(&host, &["-late"]).await;
        assert_eq!(push().await, json!({"Err": -32003}));
        until(&host, || log.all() == ["began", "ended"]).await;
        // The pattern stands.
        change(&host, &["+late"]).await;
        until(&host, || log.all().len() == 3).await;
        host.disable(["bench.late"]).await.unwrap();
        until(&host, || log.all().len() == 4).await;
        assert_eq!(log.all()[2..], ["began", "ended"]);
        assert_eq!(push().await, json!({"Err": -32001}));
        change(&host, &["-late"]).await;
        change(&host, &["+late"]).await;
        assert_eq!(push().await, json!({"Err": -32001}), "and so does that one");
        assert_eq!(log.all().len(), 4);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_set_sends_nothing_before_the_host_has_heard_of_it() {
    let eager =
        McplHook::answering_any::<Late, _, _>("eager", point::enabled, |on: &Enabled, _| {
            let host = on.host().clone();
            Box::pin(async move {
                let event = Push::new(EventId::of("late", 1), "a");
                _ = host.push::<Late>(&event).await;
            })
        });
    let bench = Bench::new().tool("again", |call, _| async move {
        let host = call.host();
        let (add, remove) = (FeatureSetChange::new(), FeatureSetChange::new());
        let removed = host.change_feature_sets(remove.remove::<Late>()).await;
        json!(removed.is_ok() && host.change_feature_sets(add.add::<Late>()).await.is_ok())
    });
    let server = bench.with([Late::hook(), Pushing::hook(), eager.into()]);
    let builder = McplHost::builder().enable(["bench.*"]);
    let host = builder.connect(server).await.unwrap();
    for round in 0..50 {
        assert_eq!(tool(&host, "again", json!({})).await, true);
        host.wait_for("push/event").await.unwrap();
        let mut sent = super::rig::sent(&host);
        // A push whose set is taken back before it was answered.
        sent.retain(|method| method != "notifications/cancelled");
        let order: Vec<_> = sent.iter().rev().take(2).collect();
        assert_eq!(
            order,
            ["push/event", "featureSets/changed"],
            "round {round}"
        );
        assert_eq!(host.received("push/event").len(), round + 1);
    }
}

#[tokio::test]
async fn what_runs_for_a_set_ends_with_the_connection() {
    let log = Log::default();
    let host = host(McplHost::builder(), log.clone()).await;
    change(&host, &["+late"]).await;
    host.update_feature_sets(&McplGrants::trusting())
        .await
        .unwrap();
    until(&host, || log.all() == ["began"]).await;
    host.close().await.unwrap();
    while log.all().len() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(log.all(), ["began", "ended"]);
}

#[tokio::test]
async fn a_strangers_set_is_not_declared() {
    let host = host(McplHost::builder(), Log::default()).await;
    assert_eq!(
        change(&host, &["+late", "+stranger"]).await,
        "stranger.push"
    );
    assert_eq!(announced(&host, &mut 0).await, [json!(null); 0]);
    assert_eq!(tool(&host, "push", json!({})).await, json!({"Err": -32003}));
}
