//! The optional tools: one composes, one registers.

use hooks_sdk::testing::TestHost;
use serde_json::{Value, json};

use super::shop::{
    Action, End, LEGACY, STATELESS, Session, Start, guarded, guidance, hook, plain, shop, texts,
};

fn both(server: hooks_sdk::Hooked<super::shop::Shop>) -> hooks_sdk::Hooked<super::shop::Shop> {
    server.guidance(guidance().storage("file").trigger_tool().register_tool())
}

async fn names(host: &TestHost) -> Vec<String> {
    let tools = host.list_tools().await.unwrap();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn they_are_off_unless_switched_on() {
    let host = plain(LEGACY, shop([hook(Session, Start, "welcome")]))
        .await
        .unwrap();
    assert_eq!(names(&host).await.len(), 5);
    host.call_tool("hooks_trigger", json!({"then": "unknown"}))
        .await
        .unwrap_err();
    let host = plain(LEGACY, both(shop([]))).await.unwrap();
    assert_eq!(names(&host).await[5..], ["hooks_trigger", "hooks_register"]);
}

#[tokio::test]
async fn one_composes_for_what_it_is_told() {
    let hooks = [
        hook(Session, Start, "welcome").requires_storage(["sqlite"]),
        hook(Session, Start, "sampling")
            .requires_features([hooks_sdk::guidance::McpFeature::Sampling]),
        hook(Session, Start, "debugging")
            .requires_config(json!({"debug": true}).as_object().unwrap().clone()),
        hook(Action, End, "paid").tool("pay"),
    ];
    let host = plain(LEGACY, both(shop(hooks))).await.unwrap();
    let trigger = |arguments: Value| host.call_tool("hooks_trigger", arguments);
    let nothing = trigger(json!({"type": "session", "lifecycle": "start"}))
        .await
        .unwrap();
    assert_eq!(texts(nothing.as_value())[0], "No hook fires then.");
    assert!(texts(nothing.as_value())[1].contains("3 hook(s) were skipped"));
    let all = trigger(json!({
        "type": "session", "lifecycle": "start", "storage": "sqlite", "features": ["sampling"],
        "config": {"debug": true, "more": 1},
    }));
    let all = all.await.unwrap();
    for text in ["WELCOME", "SAMPLING", "DEBUGGING"] {
        assert!(all.text().contains(text), "{all:?}");
    }
    assert_eq!(
        all.as_value()["structuredContent"]["includedHooks"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let about = |tool: Value| json!({"type": "action", "lifecycle": "end", "tool": tool});
    assert!(
        trigger(about(json!("pay")))
            .await
            .unwrap()
            .text()
            .contains("PAID")
    );
    assert!(
        !trigger(about(json!("work")))
            .await
            .unwrap()
            .text()
            .contains("PAID")
    );
    assert!(
        trigger(about(Value::Null))
            .await
            .unwrap()
            .text()
            .contains("PAID")
    );
}

#[tokio::test]
async fn wrong_arguments_are_a_result_that_says_so() {
    let host = plain(LEGACY, both(shop([]))).await.unwrap();
    for (arguments, words) in [
        (json!({}), "`type` is missing"),
        (
            json!({"type": "Session", "lifecycle": "start"}),
            "`Session` is none of `session`",
        ),
        (
            json!({"type": "session", "lifecycle": 1}),
            "`lifecycle` is not a string",
        ),
        (
            json!({"type": "session", "lifecycle": "end", "features": ["roots"]}),
            "`roots` is none of `tools`",
        ),
        (
            json!({"type": "session", "lifecycle": "end", "features": "sampling"}),
            "`features` is not a list",
        ),
        (
            json!({"type": "session", "lifecycle": "end", "config": []}),
            "`config` is not an object",
        ),
    ] {
        let answer = host.call_tool("hooks_trigger", arguments).await.unwrap();
        assert!(
            answer.is_error() && answer.text().contains(words),
            "{answer:?}"
        );
    }
    let good = json!({
        "tag": "mine", "type": "action", "lifecycle": "end", "name": "Mine", "requirementLevel": "MUST", "content": "MINE",
    });
    for (key, value, words) in [
        ("tag", json!("A b"), "tag: "),
        ("content", json!(" "), "`content` is missing"),
        (
            "content",
            json!("a".repeat(40_000)),
            "`content` is longer than 32768 bytes",
        ),
        ("requirementLevel", json!("must"), "requirementLevel: "),
        ("priority", json!(1.5), "priority: "),
        ("tool", json!("[a"), "tool: "),
        ("app", json!("stolen"), "`app` is none of its arguments"),
        (
            "sessionId",
            json!("another"),
            "`sessionId` is none of its arguments",
        ),
        (
            "requestId",
            json!("7"),
            "`requestId` is none of its arguments",
        ),
        (
            "contentFile",
            json!("/etc/passwd"),
            "`contentFile` is none of its arguments: `tag`, `type`",
        ),
    ] {
        let mut wrong = good.clone();
        wrong[key] = value;
        let answer = host.call_tool("hooks_register", wrong).await.unwrap();
        assert!(
            answer.is_error() && answer.text().contains(words),
            "{answer:?}"
        );
    }
}

#[tokio::test]
async fn all_arguments_of_one_hook_are_bounded_together() {
    let host = plain(STATELESS, both(shop([]))).await.unwrap();
    let arguments = |tags: usize| {
        let tags: Vec<String> = (0..tags).map(|tag| format!("tag-{tag:06}")).collect();
        json!({
            "tag": format!("with-{}", tags.len()), "type": "action", "lifecycle": "end", "name": "Mine",
            "requirementLevel": "MUST", "content": "x", "tags": tags,
        })
    };
    let register = async |tags| {
        let params = json!({
            "name": "hooks_register", "arguments": arguments(tags), "_meta": {"sessionId": "one"},
        });
        host.request("tools/call", params).await.unwrap()
    };
    assert_eq!(register(10).await["isError"], json!(false));
    let refused = register(100_000).await;
    assert!(
        texts(&refused)[0].contains("the arguments are longer than"),
        "{refused}"
    );
}

async fn register(host: &TestHost, tag: &str, session: &str) -> Value {
    let arguments = json!({
        "tag": tag, "type": "action", "lifecycle": "end", "name": "Mine", "requirementLevel": "MUST",
        "content": format!("MINE-{tag}"), "tool": "work",
    });
    let params =
        json!({"name": "hooks_register", "arguments": arguments, "_meta": {"sessionId": session}});
    host.request("tools/call", params).await.unwrap()
}

async fn work(host: &TestHost, session: &str) -> Value {
    let params = json!({"name": "work", "arguments": {}, "_meta": {"sessionId": session}});
    host.request("tools/call", params).await.unwrap()
}

#[tokio::test]
async fn one_adds_a_hook_for_the_callers_session_only() {
    let server = both(shop([hook(Action, End, "shared")]));
    let host = plain(STATELESS, server).await.unwrap();
    let registered = register(&host, "mine", "one").await;
    assert_eq!(
        texts(&registered)[0],
        "Registered `mcp-toolkit:action:end:mine` for this session."
    );
    assert!(texts(&work(&host, "one").await)[1].contains("MINE-mine"));
    assert!(!texts(&work(&host, "two").await)[1].contains("MINE"));
    // The same id in another session tells nobody that there is one in this.
    assert_eq!(
        register(&host, "mine", "two").await["isError"],
        json!(false)
    );
    assert_eq!(register(&host, "mine", "two").await["isError"], json!(true));
    let taken = register(&host, "shared", "one").await;
    assert!(texts(&taken)[0].contains("choose another `tag`"), "{taken}");
    let nobody = host
        .call_tool("hooks_register", json!({"content": "x"}))
        .await
        .unwrap();
    assert!(
        nobody.text().contains("nothing tells whose session it is"),
        "{nobody:?}"
    );
}

#[tokio::test]
async fn a_session_has_a_prompt_of_its_own_hooks_alone() {
    for version in [LEGACY, STATELESS] {
        let host = plain(version, both(shop([]))).await.unwrap();
        let prompts = &host.handshake()["capabilities"]["prompts"];
        assert!(prompts.is_object(), "{version}");
        register(&host, "mine", "one").await;
        for (session, is_owner) in [("one", true), ("two", false)] {
            let of = |params: Value| {
                let mut params = params;
                params["_meta"] = json!({"sessionId": session});
                params
            };
            let listed = host.request("prompts/list", of(json!({}))).await.unwrap();
            let names = listed["prompts"].as_array().unwrap();
            assert_eq!(names.len(), usize::from(is_owner), "{version}: {listed}");
            let scope = (version == STATELESS).then_some("private");
            assert_eq!(listed["cacheScope"].as_str(), scope, "{version}: {listed}");
            let prompt = of(json!({"name": "hooks_action_end"}));
            let prompt = host.request("prompts/get", prompt).await;
            assert_eq!(
                prompt.is_ok_and(|prompt| prompt.to_string().contains("MINE-mine")),
                is_owner,
                "{version}"
            );
            let tags = of(json!({
                "ref": {"type": "ref/prompt", "name": "hooks_action_end"}, "argument": {"name": "tag", "value": "m"},
            }));
            let tags = host.request("completion/complete", tags).await.unwrap();
            let expected = if is_owner { json!(["mine"]) } else { json!([]) };
            assert_eq!(tags["completion"]["values"], expected, "{version}");
        }
    }
}

#[tokio::test]
async fn a_session_registers_a_bounded_number() {
    let host = plain(STATELESS, both(shop([]))).await.unwrap();
    for at in 0..32 {
        assert_eq!(
            register(&host, &format!("t{at}"), "one").await["isError"],
            json!(false)
        );
    }
    let refused = register(&host, "one-more", "one").await;
    assert!(
        texts(&refused)[0].contains("as many as it may"),
        "{refused}"
    );
    assert_eq!(register(&host, "t0", "two").await["isError"], json!(false));
}

#[tokio::test]
async fn the_gate_guards_them_and_the_end_of_a_session_forgets_its_hooks() {
    let host = plain(LEGACY, both(guarded([]))).await.unwrap();
    let mine = json!({
        "tag": "mine", "type": "action", "lifecycle": "end", "name": "Mine", "requirementLevel": "MUST", "content": "MINE",
    });
    assert!(
        host.call_tool("hooks_register", mine.clone())
            .await
            .unwrap()
            .text()
            .contains("MUST call open first")
    );
    host.call_tool("open", json!({})).await.unwrap();
    assert!(
        !host
            .call_tool("hooks_register", mine)
            .await
            .unwrap()
            .is_error()
    );
    assert!(
        host.call_tool("work", json!({}))
            .await
            .unwrap()
            .text()
            .contains("MINE")
    );
    host.call_tool("close", json!({})).await.unwrap();
    host.call_tool("open", json!({})).await.unwrap();
    assert_eq!(
        host.call_tool("work", json!({})).await.unwrap().text(),
        "done"
    );
}

#[tokio::test]
async fn a_handle_is_shown_as_their_argument_and_taken_out() {
    let host = plain(STATELESS, both(guarded([]))).await.unwrap();
    let tools = host.list_tools().await.unwrap();
    let trigger = tools
        .iter()
        .find(|tool| tool["name"] == "hooks_trigger")
        .unwrap();
    assert!(
        trigger["inputSchema"]["properties"]["session"].is_object(),
        "{trigger}"
    );
    let opened = host.call_tool("open", json!({})).await.unwrap();
    let handle = &opened.as_value()["_meta"]["hooks-sdk/session"];
    let asked = json!({"type": "session", "lifecycle": "start", "session": handle});
    let triggered = host.call_tool("hooks_trigger", asked).await.unwrap();
    assert_eq!(triggered.text(), "No hook fires then.");
}
