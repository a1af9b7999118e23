//! Random calls with every middleware and fault: the decisions are the requests.

use std::collections::HashMap;

use hooks_sdk::{
    plugin::{ListHook, ListOf, ToolResult},
    server::CallDeadline,
};
use hooks_tests::faulty_store::FaultyStore;
use metrics::{
    Counter, CounterFn, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};

use super::*;

/// What is counted: a metric with its labels.
type Counted = (String, BTreeMap<String, String>);

/// What the spans and the metrics of a server tell.
#[derive(Clone, Default)]
struct Told {
    /// The decision id of each span that is open.
    open: Arc<Mutex<HashMap<u64, String>>>,
    /// The decision of each decision id.
    decided: Arc<Mutex<BTreeMap<String, String>>>,
    /// What was counted, with the decision id of the span in which it was.
    counted: Arc<Mutex<Vec<(Counted, Option<String>)>>>,
}

impl Told {
    /// Returns the decision id of a span.
    fn id_of(&self, span: Option<span::Id>) -> Option<String> {
        let open = self.open.lock().unwrap();
        open.get(&span?.into_u64()).cloned()
    }
}

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Told {
    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, _: Context<'_, S>) {
        struct Words(BTreeMap<&'static str, String>);
        impl Visit for Words {
            fn record_str(&mut self, field: &Field, value: &str) {
                self.0.insert(field.name(), value.to_owned());
            }
            fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
        }
        let mut words = Words(BTreeMap::new());
        values.record(&mut words);
        if let Some(decision_id) = words.0.remove("hooks.decision.id") {
            self.open.lock().unwrap().insert(id.into_u64(), decision_id);
        }
        if let Some(decision) = words.0.remove("hooks.decision") {
            let of = self.id_of(Some(id.clone())).unwrap();
            let before = self.decided.lock().unwrap().insert(of, decision);
            assert_eq!(before, None, "a call is decided once");
        }
    }
}

impl Recorder for Told {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        struct One(Told, Counted);
        impl CounterFn for One {
            fn increment(&self, value: u64) {
                let id = self.0.id_of(tracing::Span::current().id());
                for _ in 0..value {
                    let counted = (self.1.clone(), id.clone());
                    self.0.counted.lock().unwrap().push(counted);
                }
            }
            fn absolute(&self, _: u64) {}
        }
        let labels = key.labels();
        let labels = labels.map(|label| (label.key().to_owned(), label.value().to_owned()));
        let counted = (key.name().to_owned(), labels.collect());
        Counter::from_arc(Arc::new(One(self.clone(), counted)))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

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

type Checked<T> = Result<Verdict<T>, HookError>;

/// What a word in a call makes a hook do.
async fn verdict<T>(word: &str, text: String) -> Checked<T> {
    let has = |end: &str| text.contains(&format!("{word}-{end}"));
    if has("fails") {
        return Err(HookError::new("no disk"));
    }
    assert!(!has("panics"), "the hook");
    match has("denies") {
        true => Ok(Verdict::Deny(hooks_sdk::core::Violation::new("no"))),
        false => Ok(Verdict::Allow),
    }
}

/// Hooks before and after each tool, prompt and resource. Those of `open` are ignored if they fail.
fn checks() -> Vec<PluginHook> {
    fn before(id: &'static str) -> PluginHook {
        PluginHook::answering_any::<_, Checked<ToolCall>>(
            id,
            point::tool_pre_invoke,
            move |call: &ToolCall, _| Box::pin(verdict(id, json!(call.args).to_string())),
        )
    }
    fn after(id: &'static str) -> PluginHook {
        PluginHook::answering_any::<_, Checked<std::convert::Infallible>>(
            id,
            point::tool_post_invoke,
            move |ran: &ToolResult, _| Box::pin(verdict(id, ran.result.to_string())),
        )
    }
    vec![
        before("closed"),
        before("open").on_failure(OnFailure::Ignore),
        after("closed_after"),
        after("open_after").on_failure(OnFailure::Ignore),
        PluginHook::deny("keep", point::tool_pre_invoke, "no").items(&["delete_*"]),
        PluginHook::deny("words", point::prompt_pre_fetch, "no").items(&["internal"]),
        PluginHook::deny("files", point::resource_pre_fetch, "no").items(&["file:///internal"]),
        PluginHook::answering_any::<_, Outcome<ToolCall>>(
            "ask",
            point::tool_pre_invoke,
            |call: &ToolCall, _| {
                let asks = call.args.get("path") == Some(&json!("ask"));
                Box::pin(async move {
                    match asks {
                        true => Outcome::ask(Question::confirm("Sure?")),
                        false => Outcome::allow(),
                    }
                })
            },
        ),
    ]
}

/// A guardian that denies, fails or hangs before a tool and after it.
fn guardian(posture: Posture) -> hooks_sdk::aos::GuardianClient {
    fn reply<T>(word: &str, text: &str) -> Option<Reply<T>> {
        assert!(!text.contains(&format!("{word}-panics")), "the guardian");
        let denies = text.contains(&format!("{word}-denies"));
        denies.then(|| Reply::deny("never").reason_code("NEVER"))
    }
    let requests = AosHook::answering_any(
        "requests",
        step::tool_call_request,
        |asked: &ToolCallRequest, _| {
            let text = asked.inputs.first().map(|input| input.value.to_string());
            Box::pin(async move {
                let reply = reply("guardian", &text.unwrap_or_default());
                reply.unwrap_or_else(Reply::<ToolCallRequest>::allow)
            })
        },
    );
    let results = AosHook::answering_any(
        "results",
        step::tool_call_result,
        |ran: &CompletedToolCall, _| {
            let text = format!("{ran:?}");
            Box::pin(async move {
                let reply = reply("results", &text);
                reply.unwrap_or_else(Reply::<CompletedToolCall>::allow)
            })
        },
    );
    let [_, readings] = allowing();
    let hooks = [requests, results, readings].into_iter();
    let registry = hooks.fold(Registry::builder(), |all, hook| all.add(hook.into()));
    Guardian::local_with(Guardian::with((), registry.build().unwrap()))
        .agent(Agent::new("files", "Files").provider("Files", "https://files.example"))
        .on_failure(posture)
}

/// A server with every middleware that decides, and with faults in each.
fn faulty(
    files: &Files,
    log: &DecisionLog,
    posture: Posture,
    store: &FaultyStore,
) -> Hooked<Files> {
    let machine = Machine::standard().only("internal_sync").build().unwrap();
    let sessions = Sessions::on(machine).store(store.clone());
    let policy = Policy::new()
        .limit(PluginAt::ToolPreInvoke, 100)
        .limit(PluginAt::ToolPostInvoke, 400);
    let hidden = ListHook::hide("hide", ListOf::Tools, &["hidden_*"]);
    let server = hooked_with(files, checks(), [hidden], policy, Some(sessions));
    server
        .guardian(guardian(posture))
        .call_deadline(CallDeadline::after(Duration::from_millis(30)))
        .log(log.clone())
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
async fn sends(host: &Arc<TestHost>, dice: &mut Dice, paths: &[String]) -> bool {
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
            cancels(host, path).await;
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
    _ = host.request(method, params).await;
    method != "tools/list"
}

/// Begins a call that hangs, and cancels it.
async fn cancels(host: &Arc<TestHost>, path: &str) {
    let params = json!({"name": "slow", "arguments": {"path": path}});
    let calls = |host: &TestHost| {
        let frames = host.frames().into_iter();
        let calls = frames.filter(|frame| frame.message["method"] == "tools/call");
        calls
            .map(|frame| frame.message["id"].clone())
            .collect::<Vec<_>>()
    };
    let before = calls(host).len();
    let waiting = tokio::spawn({
        let host = host.clone();
        async move { host.request("tools/call", params).await }
    });
    let id = loop {
        if let Some(id) = calls(host).get(before) {
            break id.clone();
        }
        tokio::task::yield_now().await;
    };
    let cancelled = host.notify("notifications/cancelled", json!({"requestId": id}));
    cancelled.await.unwrap();
    // What is answered to a cancelled call is another test's matter.
    _ = tokio::time::timeout(Duration::from_millis(5), waiting).await;
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

async fn decisions_are_the_requests(
    posture: Posture,
    of_log: LogPosture,
) -> BTreeMap<[String; 3], u64> {
    let folder = tempfile::tempdir().unwrap();
    let log = log(&folder, of_log);
    let told = Told::default();
    let _metrics = metrics::set_default_local_recorder(&told);
    let subscriber = tracing_subscriber::registry().with(told.clone());
    let _spans = tracing::subscriber::set_default(subscriber);
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
        requests += usize::from(sends(&host, &mut dice, &paths).await);
    }
    // A cancelled call may still run to its deadline.
    let begun = std::time::Instant::now();
    while told.decided.lock().unwrap().len() < requests {
        assert!(begun.elapsed() < Duration::from_secs(30));
        tokio::time::sleep(Duration::from_millis(10)).await;
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
        for of_log in [LogPosture::Proceed, LogPosture::Deny] {
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
    let log = DecisionLog::to("/dev/full", LogPosture::Deny);
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
