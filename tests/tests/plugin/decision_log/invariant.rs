//! Random calls with every middleware and fault: the decisions are the requests.

use hooks_tests::{clock::passes, faulty_store::FaultyStore, idle, subscriber::subscribe};
use tokio::{task::JoinHandle, time::sleep};

use super::{
    faulty::{DEADLINE, faulty},
    told::Told,
    *,
};

/// Numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

const TOOLS: &[&str] = &[
    "read_file",
    "read_file",
    "read_file",
    "delete_file",
    "internal_sync",
    "hidden_file",
    "fail",
    "panic",
    "slow",
    "no_such_tool",
];

fn paths() -> Vec<String> {
    let words = [
        "closed",
        "open",
        "closed_after",
        "open_after",
        "guardian",
        "results",
    ];
    let ends = ["denies", "fails", "panics"];
    let faults = words
        .iter()
        .flat_map(|word| ends.map(|end| format!("{word}-{end}")));
    let plain = ["a", "ask"].map(str::to_owned);
    faults.chain(plain).chain(["x".repeat(200)]).collect()
}

/// Sends a random request. Returns whether it is a call.
async fn sends(host: &Arc<TestHost>, files: &Files, dice: &mut Dice, paths: &[String]) -> bool {
    let path = &paths[dice.roll(paths.len())];
    let items = ["greet", "internal"];
    let (method, params) = match dice.roll(12) {
        0 => (
            "prompts/get",
            json!({"name": items[dice.roll(2)], "arguments": {"path": path}}),
        ),
        1 => {
            let uris = ["file:///notes", "file:///internal"];
            ("resources/read", json!({"uri": uris[dice.roll(2)]}))
        }
        2 => (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "a", "value": path}}),
        ),
        3 => ("tools/list", json!({})),
        4 => {
            cancels(host, files).await;
            return true;
        }
        _ => {
            let tool = TOOLS[dice.roll(TOOLS.len())];
            (
                "tools/call",
                json!({"name": tool, "arguments": {"path": path}, "_meta": {"sessionId": "one"}}),
            )
        }
    };
    if params["name"] == "slow" {
        let waiting = hangs(host, files, params).await;
        passes(DEADLINE).await;
        _ = waiting.await;
    } else {
        _ = host.request(method, params).await;
    }
    method != "tools/list"
}

/// Begins a call, and returns when its tool runs or the call is refused.
async fn hangs(host: &Arc<TestHost>, files: &Files, params: Value) -> JoinHandle<()> {
    let ran = files.ran();
    let host = host.clone();
    let waiting = tokio::spawn(async move { _ = host.request("tools/call", params).await });
    while files.ran() == ran && !waiting.is_finished() {
        sleep(Duration::from_millis(1)).await;
    }
    waiting
}

/// Begins a call that hangs, and cancels it when the tool runs: a request that is cancelled before is no call.
async fn cancels(host: &Arc<TestHost>, files: &Files) {
    let params = json!({"name": "slow", "arguments": {"path": "a"}});
    let waiting = hangs(host, files, params).await;
    assert!(!waiting.is_finished());
    let mut calls = host.frames().into_iter();
    let last = calls.rfind(|frame| frame.message["method"] == "tools/call");
    let id = &last.unwrap().message["id"];
    let cancelled = host.notify("notifications/cancelled", json!({"requestId": id}));
    cancelled.await.unwrap();
    // What is answered to a cancelled call is another test's matter.
    idle().await;
}

/// Returns how often each decision with its check occurs.
fn by_check<'l>(lines: impl IntoIterator<Item = &'l Value>) -> BTreeMap<[String; 3], u64> {
    let mut checks = BTreeMap::new();
    for line in lines {
        let words = ["decision", "middleware", "rule"];
        let words = words.map(|word| line[word].as_str().unwrap_or_default().to_owned());
        *checks.entry(words).or_default() += 1;
    }
    checks
}

/// Returns the counts of a metric by its labels.
fn of_metric(told: &Told, metric: &str, labels: [&str; 3]) -> BTreeMap<[String; 3], u64> {
    let mut counts = BTreeMap::new();
    for ((name, found), _) in told.counted.lock().unwrap().iter() {
        if name == metric {
            let words = labels.map(|label| found.get(label).cloned().unwrap_or_default());
            *counts.entry(words).or_default() += 1;
        }
    }
    counts
}

/// Returns the first lines of the calls without a decision.
fn undecided(log: &DecisionLog, told: &Told) -> Vec<Value> {
    let decided = told.decided.lock().unwrap();
    let is_open = |line: &Value| {
        let id = line["decision_id"].as_str().unwrap_or_default();
        line["kind"] == "call" && !decided.contains_key(id)
    };
    lines(log.file()).into_iter().filter(is_open).collect()
}

async fn decisions_are_the_requests(
    posture: Posture,
    of_log: Posture,
) -> BTreeMap<[String; 3], u64> {
    let folder = tempfile::tempdir().unwrap();
    let log = log(&folder, of_log);
    let told = Told::default();
    let _metrics = metrics::set_default_local_recorder(&told);
    let subscriber = tracing_subscriber::registry().with(told.clone());
    let _spans = subscribe(subscriber);
    let (files, store) = (Files::default(), FaultyStore::default());
    let host = TestHost::builder()
        .version("2026-07-28")
        .capabilities(json!({"elicitation": {}}));
    let host = host.connect(faulty(&files, &log, posture, &store)).await;
    let (host, paths) = (Arc::new(host.unwrap()), paths());
    let (mut dice, mut requests) = (Dice(27), 0);
    for _ in 0..500 {
        match dice.roll(8) {
            0 => store.fail("no disk"),
            _ => store.mend(),
        }
        requests += usize::from(sends(&host, &files, &mut dice, &paths).await);
    }
    // A cancelled call may still run to its deadline.
    let begun = std::time::Instant::now();
    while told.decided.lock().unwrap().len() < requests {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "{requests} requests, undecided: {:#?}",
            undecided(&log, &told)
        );
        passes(DEADLINE).await;
    }
    drop(host);
    let ended = closed(&log, "decision");
    let calls = lines(log.file());
    let calls = calls.iter().filter(|line| line["kind"] == "call").count();
    assert_eq!((calls, ended.len(), log.dropped()), (requests, requests, 0));

    let labels = ["hooks.decision", "hooks.middleware", "hooks.rule"];
    let logged = by_check(&ended);
    assert_eq!(of_metric(&told, "mcp.server.decisions", labels), logged);
    let bypassed = ended.iter().filter_map(|line| line["bypassed"].as_array());
    let bypassed = by_check(bypassed.flatten());
    assert_eq!(
        of_metric(&told, "mcp.server.bypasses", ["", labels[1], labels[2]]),
        bypassed
    );
    let decided = ended.iter().map(|line| {
        let word = |member: &str| line[member].as_str().unwrap().to_owned();
        (word("decision_id"), word("decision"))
    });
    assert_eq!(*told.decided.lock().unwrap(), decided.collect());
    // A recorder finds the decision id in the span in which the metric is counted.
    for ((name, labels), id) in told.counted.lock().unwrap().iter() {
        if name == "mcp.server.decisions" {
            let decided = told.decided.lock().unwrap();
            let of_span = decided.get(id.as_ref().unwrap());
            assert_eq!(of_span, labels.get("hooks.decision"));
        }
    }
    logged
}

#[tokio::test]
async fn the_decisions_are_the_requests_and_log_metrics_and_spans_agree() {
    let mut all = BTreeMap::<[String; 3], u64>::new();
    for posture in [Posture::Proceed, Posture::Deny] {
        for of_log in [Posture::Proceed, Posture::Deny] {
            for (check, count) in decisions_are_the_requests(posture, of_log).await {
                *all.entry(check).or_default() += count;
            }
        }
    }
    // Each decision, and each check that can make it.
    for check in [
        ["allowed", "", ""],
        ["asked", "", ""],
        ["bypassed", "", ""],
        ["denied", "plugin", "keep"],
        ["denied", "plugin", "words"],
        ["denied", "plugin", "files"],
        ["denied", "plugin", "closed"],
        ["denied", "plugin", "closed_after"],
        ["denied", "plugin", "open_after"],
        ["failed", "plugin", "closed"],
        ["failed", "plugin", "closed_after"],
        ["denied", "session", "gate"],
        ["failed", "session", "gate"],
        ["denied", "guardian", "request"],
        ["denied", "guardian", "answer"],
        ["failed", "guardian", "request"],
        ["failed", "guardian", "answer"],
        ["denied", "lists", ""],
        ["denied", "server", "deadline"],
    ] {
        assert!(
            all.contains_key(&check.map(str::to_owned)),
            "{check:?}: {all:#?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_refuses_each_call_and_the_metrics_count_it() {
    let told = Told::default();
    let _metrics = metrics::set_default_local_recorder(&told);
    let files = Files::default();
    let log = DecisionLog::to("/dev/full", Posture::Deny);
    let host = host(hooked_with(&files, [], [], Policy::new(), None).log(log.clone())).await;
    for _ in 0..20 {
        let answer = host
            .call_tool("read_file", json!({"path": "a"}))
            .await
            .unwrap();
        assert!(answer.text().ends_with("[log_unavailable]"), "{answer:?}");
    }
    assert_eq!(files.ran(), 0);
    log.close(Duration::from_secs(30));
    assert_eq!(log.dropped(), 40, "both lines of each call");
    let labels = ["hooks.decision", "hooks.middleware", "hooks.rule"];
    let counted = of_metric(&told, "mcp.server.decisions", labels);
    let failed = ["failed", "log", ""].map(str::to_owned);
    assert_eq!(counted, BTreeMap::from([(failed, 20)]));
}
