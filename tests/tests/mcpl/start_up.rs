//! How a server starts: in order with the policy, eager or hasty, and towards hosts that stay silent.

use std::time::Duration;

use hooks_sdk::{
    core,
    mcpl::{Enabled, EventId, Inference, McplHook, McplSettings, Modified, Push, point},
    prelude::*,
    testing::{
        McplHost, Side,
        mcpl::{McplGrants, Turn},
    },
};
use serde_json::{Value, json};

use super::{
    bench::{After, Bench, Log, Pushing},
    rig::{tool, until},
};

/// Pushes as soon as it may.
fn eager(log: Log) -> core::Hook {
    let hook = McplHook::answering_any::<Pushing, _, _>(
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
    until(&host, || log.all() == ["true"]).await;

    // The same where an earlier policy did not allow it, however the tasks of the server run.
    for _ in 0..50 {
        let log = Log::default();
        let server = Bench::new().with([Pushing::hook(), eager(log.clone())]);
        let policy = McplGrants::new().enable(["other"]);
        let builder = McplHost::builder().version("0.5").grants(policy);
        let host = builder.connect(server).await.unwrap();
        host.update_feature_sets(&McplGrants::trusting())
            .await
            .unwrap();
        host.wait_for("push/event").await.unwrap();
        let (receipt, push) = order(&host, 1);
        assert!(receipt < push, "{:#?}", host.frames());
        until(&host, || log.all() == ["true"]).await;
        assert!(host.failures().is_empty());
    }
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

    let settings = McplSettings::new().enable_silent_hosts_after(Duration::from_secs(5));
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
    // One that speaks after all is obeyed: what was assumed of it counts no more.
    let server = push().with_settings(settings, [Pushing::hook()]);
    let host = McplHost::builder().silent().connect(server).await.unwrap();
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert!(tool(&host, "push", json!({})).await.get("Ok").is_some());
    let other = McplGrants::new().enable(["other"]);
    host.update_feature_sets(&other).await.unwrap();
    assert!(tool(&host, "push", json!({})).await["Err"].is_string());
    // One that speaks in time is obeyed, and is not opened behind its back.
    let host = McplHost::builder().grants(McplGrants::new().enable(["other"]));
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

/// Watches the turns.
fn watching(log: Log) -> core::Hook {
    let hook = McplHook::answering_any::<After, _, _>(
        "watching",
        point::after_inference,
        move |turn: &AfterInference, _| {
            log.add(turn.assistant_message.clone());
            Box::pin(async { Modified::unchanged() })
        },
    );
    hook.blocking().into()
}

/// A host that has denied the set may be silent only because it has connected again.
#[tokio::test(start_paused = true)]
async fn a_silent_host_s_turns_are_not_watched_unless_the_author_says_so() {
    let silent = McplSettings::new().enable_silent_hosts_after(Duration::from_secs(5));
    let both = silent.enable_turns_of_silent_hosts();
    for (settings, watched) in [(silent, false), (both, true)] {
        let log = Log::default();
        let hooks = [Pushing::hook(), watching(log.clone()), eager(log.clone())];
        let server = Bench::new().with_settings(settings, hooks);
        let host = McplHost::builder().silent().connect(server).await.unwrap();
        tokio::time::sleep(Duration::from_secs(6)).await;
        let turn = Turn::new("conv").user("hello").assistant("a secret");
        host.notify_after_inference(&turn).await.unwrap();
        host.after_inference(&turn).await;
        until(&host, || log.all().contains(&"true".to_owned())).await;
        let seen = log.all().contains(&"a secret".to_owned());
        assert_eq!(seen, watched, "{:?}", log.all());
        // Its word counts, also when it comes late.
        let after = McplGrants::new().enable(["bench.after"]);
        host.update_feature_sets(&after).await.unwrap();
        let turn = Turn::new("conv").user("hello").assistant("allowed");
        host.notify_after_inference(&turn).await.unwrap();
        until(&host, || log.all().contains(&"allowed".to_owned())).await;
    }
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
        host.update_feature_sets(&McplGrants::trusting())
            .await
            .unwrap();
        until(&host, || log.all().len() == 7).await;
        // A policy that changes nothing does not.
        host.update_feature_sets(&McplGrants::trusting())
            .await
            .unwrap();
        host.request("ping", json!({})).await.unwrap();
        assert_eq!(log.all().len(), 7);
        assert!(host.failures().is_empty());
    }
}

/// A policy that its host takes no answer of, one way or the other.
async fn disturbed(host: &McplHost, round: usize) {
    let id = format!("u{round}");
    let update = json!({"jsonrpc": "2.0", "id": id, "method": "featureSets/update", "params": {"effectiveCapabilities": []}});
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    let again = update.clone();
    let lines = match round % 3 {
        0 => format!("{update}\n{cancel}"),
        1 => format!("{update}\n{again}\n{again}"),
        _ => format!("{cancel}\n{update}\n{cancel}\n{cancel}"),
    };
    host.send_line(lines.as_bytes()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn policies_that_are_cancelled_or_share_an_id_lock_nothing_up() {
    let server = Bench::new().tool("push", |call, _| async move {
        let event = Push::new(EventId::of("a", 1), "a");
        let pushed = call.host().push::<Pushing>(&event).await;
        json!(pushed.map(drop).map_err(|error| error.to_string()))
    });
    let host = McplHost::builder().version("0.5");
    let host = host.connect(server.with([Pushing::hook()])).await.unwrap();
    for round in 0..60 {
        disturbed(&host, round).await;
        host.request("ping", json!({})).await.unwrap();
        host.update_feature_sets(&McplGrants::trusting())
            .await
            .unwrap();
        assert_eq!(
            tool(&host, "push", json!({})).await,
            json!({"Ok": null}),
            "round {round}"
        );
    }
}
