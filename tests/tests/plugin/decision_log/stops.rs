//! Every stop has a line with its code, and its decision id is in the refusal.

use hooks_sdk::{
    aos::Messages,
    http,
    plugin::{ListHook, ListOf},
    rmcp::model::RequestStateCodec,
    server::CallDeadline,
    store::MemoryStore,
};
use hooks_tests::{client::Client, faulty_store::FaultyStore, toy_server};

use super::*;

/// Returns the decision id in a refusal: that of a result, or that of an error.
fn id_in(answer: &Value) -> &Value {
    let meta = &answer["_meta"]["hooks-sdk/violation"];
    &[meta, &answer["error"]["data"], &answer["data"]]
        .into_iter()
        .find(|violation| violation.is_object())
        .unwrap_or(&Value::Null)["decision_id"]
}

/// Returns what a line says about a stop.
fn said(line: &Value) -> Value {
    json!([
        line["decision"],
        line["middleware"],
        line["rule"],
        line["code"]
    ])
}

/// Makes a hook that gives a call another name.
fn renames(id: &'static str, from: &'static str, to: &'static str) -> PluginHook {
    PluginHook::answering_any::<_, Verdict<ToolCall>>(
        id,
        point::tool_pre_invoke,
        move |call: &ToolCall, _| {
            let call = ToolCall::new(to, call.args.clone());
            Box::pin(async move { Verdict::Modify(call) })
        },
    )
    .items(&[from])
}

/// Calls a tool of a server. Returns the line after the call.
async fn stopped(server: Hooked<Files>, tool: &str, arguments: Value) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let log = log(&folder, Posture::Deny);
    let host = host(server.log(log.clone())).await;
    let answer = host.call_tool(tool, arguments).await.unwrap();
    assert!(answer.is_error(), "{answer:?}");
    let line = closed(&log, "decision").swap_remove(0);
    assert_eq!(*id_in(answer.as_value()), line["decision_id"], "{answer:?}");
    assert_eq!(line["ended"], "refused", "{line}");
    line
}

#[tokio::test]
async fn a_stop_by_the_chain_about_names_and_schemas_has_its_code() {
    let hidden = || [ListHook::hide("hide", ListOf::Tools, &["internal_*"])];
    let with = |hooks: Vec<PluginHook>, lists: Vec<ListHook>| {
        hooked_with(&Files::default(), hooks, lists, Policy::new(), None)
    };
    let twice = vec![
        renames("again", "delete_file", "internal_sync").priority(10),
        renames("rename", "read_file", "delete_file").priority(500),
    ];
    let to_hidden = vec![renames("rename", "read_file", "internal_sync")];
    let unfit = vec![renames("rename", "fail", "read_file")];
    let path = json!({"path": "a"});
    for (server, tool, arguments, middleware, code) in [
        (
            with(twice, vec![]),
            "read_file",
            path.clone(),
            "plugin",
            "renamed_twice",
        ),
        (
            with(to_hidden, hidden().into()),
            "read_file",
            path.clone(),
            "plugin",
            "unknown_item",
        ),
        (
            with(vec![], hidden().into()),
            "internal_sync",
            path,
            "lists",
            "unknown_item",
        ),
        (
            with(unfit, vec![]),
            "fail",
            json!({}),
            "plugin",
            "schema_refused",
        ),
    ] {
        let line = stopped(server, tool, arguments).await;
        let found = [&line["decision"], &line["middleware"], &line["code"]];
        assert_eq!(found, ["denied", middleware, code], "{line}");
    }
}

#[tokio::test]
async fn a_session_that_cannot_be_read_is_a_failure_of_the_gate() {
    let machine = Machine::standard().only("internal_sync").build().unwrap();
    let sessions = Sessions::on(machine).store(FaultyStore::broken("no disk"));
    let server = hooked_with(&Files::default(), [], [], Policy::new(), Some(sessions));
    let line = stopped(server, "internal_sync", json!({"path": "a"})).await;
    assert_eq!(
        said(&line),
        json!(["failed", "session", "gate", "session_unavailable"])
    );
    assert_eq!(line["posture"], "deny");
}

#[tokio::test]
async fn a_guardian_that_fails_closed_has_the_class_of_its_failure() {
    let requests = AosHook::answering_any("requests", step::tool_call_request, |_, _| {
        Box::pin(async { panic!("the guardian") as Reply<ToolCallRequest> })
    });
    let registry = allowing()
        .into_iter()
        .fold(Registry::builder().add(requests.into()), |all, hook| {
            all.add(hook.into())
        });
    let registry = registry.build().unwrap();
    let guardian = Guardian::local_with(Guardian::with((), registry))
        .agent(Agent::new("files", "Files").provider("Files", "https://files.example"))
        .posture(Posture::Deny);
    let server = hooked_with(&Files::default(), [], [], Policy::new(), None).guardian(guardian);
    let line = stopped(server, "read_file", json!({"path": "a"})).await;
    let code = line["code"].as_str().unwrap();
    assert!(
        code.starts_with("guardian_") && code != "guardian_denied",
        "{line}"
    );
    assert_eq!(
        (&line["decision"], &line["posture"]),
        (&json!("failed"), &json!("deny"))
    );
}

#[tokio::test]
async fn a_guardian_that_cannot_be_asked_gives_no_decision() {
    let requests = AosHook::answering_any("requests", step::tool_call_request, |_, _| {
        Box::pin(async { Reply::<ToolCallRequest>::allow() })
    });
    let registry = allowing()
        .into_iter()
        .fold(Registry::builder().add(requests.into()), |all, hook| {
            all.add(hook.into())
        });
    let guardian = Guardian::local_with(Guardian::with((), registry.build().unwrap()))
        .agent(Agent::new("files", "Files").provider("Files", "https://files.example"))
        .posture(Posture::Deny);
    let server = hooked_with(&Files::default(), [], [], Policy::new(), None).guardian(guardian);
    let deep = (0..110).fold(json!("a"), |inner, _| json!([inner]));
    let line = stopped(server, "read_file", json!({ "path": deep })).await;
    assert_eq!(
        said(&line),
        json!(["failed", "guardian", "request", "guardian_too_deep"])
    );
    assert_eq!(line["posture"], "deny");
}

#[tokio::test]
async fn a_call_that_passes_its_deadline_is_stopped_by_the_server() {
    let slow = PluginHook::answering_any("wait", point::tool_pre_invoke, |_: &ToolCall, _| {
        Box::pin(async {})
    });
    let server = toy_server::ToyServer::default().waits();
    let folder = tempfile::tempdir().unwrap();
    let log = log(&folder, Posture::Deny);
    let registry = Registry::builder().add(slow.into()).build().unwrap();
    let collected = hooks_sdk::Collected::of(registry).unwrap();
    let collected = collected.call_deadline(CallDeadline::after(Duration::from_millis(20)));
    let hooked = collected.log(log.clone()).wrap(server).unwrap();
    let host = TestHost::connect(hooked).await.unwrap();
    let answer = host.call_tool("wait", json!({})).await.unwrap();
    let line = &closed(&log, "decision")[0];
    assert_eq!(
        said(line),
        json!(["denied", "server", "deadline", "deadline_exceeded"])
    );
    assert_eq!(*id_in(answer.as_value()), line["decision_id"], "{answer:?}");
}

/// A server that asks about each call, with its own keys and its own store, for the users of a header.
async fn asking(log: &DecisionLog, store: MemoryStore) -> Client {
    let ask = PluginHook::answering_any::<_, Outcome<ToolCall>>(
        "ask",
        point::tool_pre_invoke,
        |_, cx| {
            let asked = !cx.elicitation_responses.is_empty();
            Box::pin(async move {
                match asked {
                    true => Outcome::allow(),
                    false => Outcome::ask(Question::confirm("Sure?")),
                }
            })
        },
    );
    let keys = RequestStateCodec::try_new(vec![7; 32]).unwrap();
    let policy = Policy::new().store(Arc::new(store)).keys(keys);
    let server = hooked_with(&Files::default(), [ask], [], policy, None).log(log.clone());
    let server = http::Server::new(server).principal(|parts| {
        let user = parts.headers.get("x-user")?.to_str().ok()?;
        Some(user.to_owned())
    });
    Client::stateless(toy_server::serve(server).await)
}

#[tokio::test]
async fn a_pending_question_without_a_usable_answer_has_its_code() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(&folder, Posture::Deny);
    let client = asking(&log, MemoryStore::new()).await;
    // Another server with these keys has nothing in its store: the time of the question is over there.
    let later = asking(&log, MemoryStore::new()).await.with("x-user", "ann");
    let [ann, bob] = ["ann", "bob"].map(|user| client.at(client.address).with("x-user", user));
    let meta = json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});
    let call = json!({"name": "delete_file", "arguments": {"path": "a"}, "_meta": meta});
    let asked = ann.ask("tools/call", call.clone()).await["result"].take();
    let mut without = call.clone();
    without["requestState"] = asked["requestState"].clone();
    let mut answered = without.clone();
    answered["inputResponses"] =
        json!({"hook:ask": {"action": "accept", "content": {"confirm": true}}});
    let mut forged = answered.clone();
    forged["requestState"] = json!("hooks-sdk.forged");
    let mut refusals = Vec::new();
    for (client, params) in [
        (&ann, &forged),
        (&ann, &without),
        (&bob, &answered),
        (&later, &answered),
        (&ann, &answered),
        (&ann, &answered),
    ] {
        refusals.push(client.ask("tools/call", params.clone()).await["result"].take());
    }
    let lines = closed(&log, "decision");
    let told = lines
        .iter()
        .map(|line| json!([line["user"], line["decision"], line["ended"], line["code"]]));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            json!(["ann", "asked", "question", null]),
            json!(["ann", "denied", "refused", "elicitation_state"]),
            json!(["ann", "denied", "refused", "elicitation_missing"]),
            json!(["bob", "denied", "refused", "elicitation_state"]),
            json!(["ann", "denied", "refused", "elicitation_expired"]),
            json!(["ann", "allowed", "answered", null]),
            json!(["ann", "denied", "refused", "elicitation_replayed"]),
        ]
    );
    for (line, refusal) in lines[1..].iter().zip(&refusals) {
        if line["decision"] == "denied" {
            assert_eq!(*id_in(refusal), line["decision_id"], "{refusal}");
        }
    }
}

#[tokio::test]
async fn a_hook_of_http_that_stops_a_message_has_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(&folder, Posture::Deny);
    let id = Arc::new(Mutex::new(String::new()));
    let stopped = id.clone();
    let fence = PluginHook::answering_any::<_, Verdict<std::convert::Infallible>>(
        "fence",
        point::http_pre_request,
        move |request: &hooks_sdk::plugin::HttpRequest, cx| {
            let is_fenced = request.headers.contains("x-outside");
            *stopped.lock().unwrap() = cx.global.request_id.to_string();
            Box::pin(async move {
                match is_fenced {
                    true => Verdict::Deny(hooks_sdk::core::Violation::new("no").code("OUTSIDE")),
                    false => Verdict::Allow,
                }
            })
        },
    );
    let flaky = PluginHook::answering_any::<_, Result<(), HookError>>(
        "flaky",
        point::http_post_request,
        |_, _| Box::pin(async { Err(HookError::new("no disk")) }),
    )
    .posture(Posture::Proceed);
    let server = hooked_with(&Files::default(), [fence, flaky], [], Policy::new(), None);
    let server = http::Server::new(server.log(log.clone()));
    let client = Client::stateless(toy_server::serve(server).await);
    let answer = client.call("read_file", json!({"path": "a"})).await;
    assert_ne!(answer["isError"], true, "{answer}");
    let fenced = client.at(client.address).with("x-outside", "1");
    let params = json!({"name": "read_file", "arguments": {"path": "a"}});
    let refused = fenced.request("tools/call", params).await;
    assert_eq!(refused.status.as_u16(), 403);
    let stops = closed(&log, "stop");
    assert_eq!(stops.len(), 2, "{stops:?}");
    assert_eq!(stops[0]["decision"], "bypassed");
    assert_eq!(stops[0]["bypassed"][0]["rule"], "flaky");
    assert_eq!(
        said(&stops[1]),
        json!(["denied", "plugin", "fence", "OUTSIDE"])
    );
    assert_eq!(stops[1]["request"], *id.lock().unwrap());
    for stop in &stops {
        assert_eq!(
            (&stop["method"], &stop["item"]),
            (&json!("http"), &json!("/mcp"))
        );
    }
}

#[tokio::test]
async fn a_whole_message_that_a_guardian_denies_has_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(&folder, Posture::Deny);
    let rule = AosHook::answering_any("rule", step::mcp, |message, _| {
        let text = serde_json::to_string(&message.message).unwrap();
        Box::pin(async move {
            assert!(!text.contains("PANIC"), "the guardian");
            match text.contains("DENY") {
                true => Reply::deny("never").reason_code("NEVER"),
                false => Reply::<hooks_sdk::aos::McpMessage>::allow(),
            }
        })
    });
    let requests = AosHook::answering_any("requests", step::tool_call_request, |_, _| {
        Box::pin(async { Reply::<ToolCallRequest>::allow() })
    });
    let steps = allowing().into_iter().chain([requests]);
    let registry = steps.fold(Registry::builder().add(rule.into()), |all, hook| {
        all.add(hook.into())
    });
    let guardian = Guardian::local_with(Guardian::with((), registry.build().unwrap()))
        .agent(Agent::new("files", "Files").provider("Files", "https://files.example"))
        .messages(Messages::Both)
        .posture(Posture::Deny);
    let server = hooked_with(&Files::default(), [], [], Policy::new(), None);
    let host = host(server.guardian(guardian).log(log.clone())).await;
    let mut refused = Vec::new();
    for path in ["DENY", "PANIC"] {
        let params = json!({"name": "read_file", "arguments": {"path": path}});
        refused.push(host.request("tools/call", params).await.unwrap());
    }
    let params = json!({"name": "greet", "arguments": {"path": "DENY"}});
    let error = host.request("prompts/get", params).await.unwrap_err();
    let stops = closed(&log, "stop");
    let told = stops
        .iter()
        .map(|line| json!([line["method"], line["decision"], line["middleware"]]));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            json!(["tools/call", "denied", "guardian"]),
            json!(["tools/call", "failed", "guardian"]),
            json!(["prompts/get", "denied", "guardian"]),
        ]
    );
    assert_eq!(
        (&stops[0]["code"], &stops[0]["rule"]),
        (&json!("NEVER"), &json!("message"))
    );
    assert_eq!(stops[1]["posture"], "deny");
    for (line, refusal) in stops.iter().zip(&refused) {
        assert_eq!(*id_in(refusal), line["decision_id"], "{refusal}");
    }
    assert!(
        format!("{error:?}").contains(stops[2]["decision_id"].as_str().unwrap()),
        "{error:?}"
    );
}
