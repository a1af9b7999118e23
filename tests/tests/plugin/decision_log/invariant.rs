//! Random calls with every middleware and fault: the decisions are the requests.

use super::*;

/// The word `hooks.decision` of each span.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<String>>>);

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Spans {
    fn on_record(&self, _: &span::Id, values: &span::Record<'_>, _: Context<'_, S>) {
        struct Word<'s>(&'s Spans);
        impl Visit for Word<'_> {
            fn record_str(&mut self, field: &Field, value: &str) {
                if field.name() == "hooks.decision" {
                    self.0.0.lock().unwrap().push(value.to_owned());
                }
            }
            fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
        }
        values.record(&mut Word(self));
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

/// A server with every middleware that decides, and with faults in each.
fn faulty(files: &Files, log: &DecisionLog) -> Hooked<Files> {
    let deny = PluginHook::deny("keep", point::tool_pre_invoke, "no").items(&["delete_*"]);
    let broken = |id: &'static str, ignore| {
        let hook = PluginHook::answering_any::<_, Result<Verdict<ToolCall>, HookError>>(
            id,
            point::tool_pre_invoke,
            move |call: &ToolCall, _| {
                let fails = call.args.get("path") == Some(&json!(id));
                Box::pin(async move {
                    match fails {
                        true => Err(HookError::new("no disk")),
                        false => Ok(Verdict::Allow),
                    }
                })
            },
        );
        match ignore {
            true => hook.on_failure(OnFailure::Ignore),
            false => hook,
        }
    };
    let ask = PluginHook::answering_any::<_, Outcome<ToolCall>>(
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
    );
    let after =
        PluginHook::answering_any("after", point::tool_post_invoke, |_, _| Box::pin(async {}));
    let requests = AosHook::answering_any(
        "requests",
        step::tool_call_request,
        |asked: &ToolCallRequest, _| {
            let path = asked.inputs.first().map(|input| input.value.clone());
            Box::pin(async move {
                match path {
                    Some(path) if path == json!("guardian") => {
                        Reply::deny("never").reason_code("NEVER")
                    }
                    Some(path) if path == json!("panic") => panic!("the guardian"),
                    _ => Reply::<ToolCallRequest>::allow(),
                }
            })
        },
    );
    let results = AosHook::answering_any("results", step::tool_call_result, |_, _| {
        Box::pin(async { Reply::<CompletedToolCall>::allow() })
    });
    let registry = Registry::builder().add(requests.into()).add(results.into());
    let guardian = Guardian::local_with(Guardian::with((), registry.build().unwrap()))
        .agent(Agent::new("files", "Files").provider("Files", "https://files.example"))
        .on_failure(Posture::Proceed);
    let machine = Machine::standard().only("internal_sync").build().unwrap();
    let policy = Policy::new().limit(PluginAt::ToolPreInvoke, 100);
    let hooks = [
        deny,
        broken("closed", false),
        broken("open", true),
        ask,
        after,
    ];
    let server = hooked_with(files, hooks, [], policy, Some(Sessions::on(machine)));
    server.guardian(guardian).log(log.clone())
}

#[tokio::test]
async fn the_decisions_are_the_requests_and_log_metrics_and_spans_agree() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(&folder, LogPosture::Proceed);
    let recorder = DebuggingRecorder::new();
    let snapshots = recorder.snapshotter();
    let _metrics = metrics::set_default_local_recorder(&recorder);
    let spans = Spans::default();
    let subscriber = tracing_subscriber::registry().with(spans.clone());
    let _spans = tracing::subscriber::set_default(subscriber);
    let files = Files::default();
    let host = TestHost::builder()
        .version("2026-07-28")
        .capabilities(json!({"elicitation": {}}));
    let host = host.connect(faulty(&files, &log)).await.unwrap();
    let (mut dice, mut requests) = (Dice(27), 0);
    let tools = [
        "read_file",
        "delete_file",
        "internal_sync",
        "fail",
        "panic",
        "no_such_tool",
    ];
    let long = "x".repeat(200);
    let paths = ["a", "closed", "open", "ask", "guardian", "panic", &long];
    for _ in 0..600 {
        let path = paths[dice.roll(paths.len())];
        let (method, params) = match dice.roll(8) {
            0 => (
                "prompts/get",
                json!({"name": "greet", "arguments": {"path": path}}),
            ),
            1 => ("resources/read", json!({"uri": "file:///notes"})),
            2 => (
                "completion/complete",
                json!({"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "a", "value": path}}),
            ),
            3 => ("tools/list", json!({})),
            _ => (
                "tools/call",
                json!({"name": tools[dice.roll(tools.len())], "arguments": {"path": path}}),
            ),
        };
        requests += usize::from(method != "tools/list");
        _ = host.request(method, params).await;
    }
    drop(host);
    let ended = closed(&log, "decision");
    let calls = lines(log.file());
    let calls = calls.iter().filter(|line| line["kind"] == "call").count();
    assert_eq!((calls, ended.len()), (requests, requests));
    let mut logged = BTreeMap::<String, u64>::new();
    for line in &ended {
        let word = line["decision"].as_str().unwrap().to_owned();
        *logged.entry(word).or_default() += 1;
    }
    let words = ["allowed", "asked", "bypassed", "denied", "failed"];
    assert_eq!(
        logged.keys().collect::<Vec<_>>(),
        words,
        "each decision occurs"
    );
    assert_eq!(logged.values().sum::<u64>(), requests as u64);

    let (mut counted, mut bypasses) = (BTreeMap::<String, u64>::new(), 0);
    for (key, _, _, value) in snapshots.snapshot().into_vec() {
        let DebugValue::Counter(count) = value else {
            continue;
        };
        if key.key().name() == "mcp.server.bypasses" {
            bypasses += count;
        }
        if key.key().name() == "mcp.server.decisions" {
            let mut labels = key.key().labels();
            let word = labels
                .find(|label| label.key() == "hooks.decision")
                .unwrap();
            *counted.entry(word.value().to_owned()).or_default() += count;
        }
    }
    assert_eq!(counted, logged);
    let open = ended.iter().filter_map(|line| line["bypassed"].as_array());
    assert_eq!(open.map(|all| all.len() as u64).sum::<u64>(), bypasses);

    let mut traced = BTreeMap::<String, u64>::new();
    for word in spans.0.lock().unwrap().iter() {
        *traced.entry(word.clone()).or_default() += 1;
    }
    assert_eq!(traced, logged);
}
