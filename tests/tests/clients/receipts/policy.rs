//! Cool-downs and the rate limit over processes: a host that is made anew goes on where the last one ended.

use std::time::{Duration, Instant};

use hooks_sdk::{
    clients::history::{HookStore, now},
    lifecycle::{
        Event, Occasion, Variables,
        host::{ClientControls, LifecycleHost, NoTools, Rate, Reason, Report},
    },
};
use serde_json::json;

use super::{firing, fresh};

const HOOKS: [&str; 2] = ["first", "second"];

fn host(policy: &ClientControls) -> LifecycleHost {
    let mut host = LifecycleHost::new(policy.clone());
    let declarations = HOOKS.map(|id| {
        json!({ "event": "session_end", "context": format!("the {id} text"), "priority": "suggestion" })
    });
    assert_eq!(
        host.register("ours", &json!({ "declarations": declarations }))
            .kept,
        2
    );
    host
}

/// What a hook's process does at one event.
async fn process(store: &HookStore, policy: &ClientControls, session: &str) -> Report {
    let host = host(policy);
    let hooks = HOOKS.map(|id| [id.to_owned()]);
    let hooks = [&hooks[0][..], &hooks[1][..]];
    store.recall(session, &host, "ours", &hooks).unwrap();
    let ending = Occasion::new(Event::SessionEnd, Variables::new());
    let report = host.fire(&ending, &NoTools, Instant::now()).await;
    let time = now();
    let injected = report.injected.iter().zip(0..);
    let firings: Vec<_> = injected
        .map(|(injected, nth)| firing(HOOKS[injected.index], session).at(time - nth))
        .collect();
    store.record_firings(&firings).unwrap();
    report
}

#[tokio::test]
async fn a_hook_is_silent_in_the_next_process_of_its_session() {
    for receipts in [true, false] {
        let (_folder, path, _) = fresh();
        let mut policy = ClientControls::default();
        policy.cool_down = Duration::from_secs(600);
        let store = || HookStore::open(&path).receipts(receipts);
        let earlier = firing("first", "s").at(now() - 300_000);
        store().record_firings(&[earlier]).unwrap();

        let report = process(&store(), &policy, "s").await;
        assert_eq!(report.injected.len(), 1);
        assert_eq!(report.injected[0].text, "the second text");
        match report.skipped[0].reason {
            Reason::CoolingDown(left) => {
                assert!(left <= Duration::from_secs(300) && left > Duration::from_secs(200));
            }
            other => panic!("{other}"),
        }
        assert_eq!(process(&store(), &policy, "s").await.injected.len(), 0);
        assert_eq!(
            process(&store(), &policy, "another").await.injected.len(),
            2
        );
        policy.cool_down = Duration::from_secs(200);
        assert_eq!(process(&store(), &policy, "s").await.injected.len(), 1);
    }
}

#[tokio::test]
async fn the_rate_limit_counts_over_processes() {
    let (_folder, path, _) = fresh();
    let mut policy = ClientControls::default();
    policy.rate = Rate {
        hooks: 3,
        window: Duration::from_secs(60),
    };
    let mut injected = Vec::new();
    for _ in 0..3 {
        let store = HookStore::open(&path);
        injected.push(process(&store, &policy, "s").await.injected.len());
    }
    assert_eq!(injected, [2, 1, 0]);
}

#[tokio::test]
async fn other_events_count_and_a_composed_text_counts_once() {
    let (_folder, _, store) = fresh();
    let mut policy = ClientControls::default();
    policy.rate.hooks = 4;
    let time = now() - 1_000;
    // Three texts of other events, of which one was composed of three hooks.
    let past = [("a", 0), ("b", 0), ("c", 0), ("d", 1), ("e", 2)];
    let past = past.map(|(hook, at)| firing(hook, "s").at(time + at));
    store.record_firings(&past).unwrap();
    assert_eq!(process(&store, &policy, "s").await.injected.len(), 1);
    assert_eq!(process(&store, &policy, "s").await.injected.len(), 0);
    assert_eq!(process(&store, &policy, "t").await.injected.len(), 2);
}

#[tokio::test]
async fn a_firing_before_the_machine_started_counts_too() {
    let mut policy = ClientControls::default();
    policy.cool_down = Duration::MAX;
    let host = host(&policy);
    let time = Instant::now();
    let years = Duration::from_secs(50 * 365 * 24 * 60 * 60);
    assert!(host.fired_before("ours", 0, years, time));
    // What is told later of earlier times changes nothing.
    assert!(host.fired_before("ours", 0, years * 2, time));
    assert!(!host.fired_before("ours", 2, years, time));
    assert!(!host.fired_before("theirs", 0, years, time));
    let ending = Occasion::new(Event::SessionEnd, Variables::new());
    let report = host.fire(&ending, &NoTools, time).await;
    assert_eq!(report.injected.len(), 1);
    assert_eq!(
        report.skipped[0].reason,
        Reason::CoolingDown(Duration::MAX - years)
    );
}
