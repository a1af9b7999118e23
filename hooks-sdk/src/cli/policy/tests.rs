//! `policy check` decides as a server does: names, session, hooks, schemas, questions, guardian, headers.

use serde_json::{Value, from_value, json, to_value};

use super::{call::WrittenCall, verdict::CallVerdict};
use crate::{
    cli::{
        Program,
        desk::Desk,
        explain::{in_client, told},
        judge::{Judge, Outcome, UserAnswer},
        plugins,
    },
    core::{Registry, Verdict, Violation, condition::Condition},
    lifecycle::Event,
    plugin::{
        CompletionResult, Instance, ListHook, ListOf, Outcome as Answer, PluginHook, ToolCall,
        point, ready::Confirm,
    },
    server::{Collected, Policy, Sessions},
    session::{Machine, State},
};

/// Renames `write` to the tool that the argument names, or passes its path as a number.
fn rename(to: &'static str) -> PluginHook {
    PluginHook::answering_any::<_, Answer<ToolCall>>(
        "rename",
        point::tool_pre_invoke,
        move |call, _| {
            let mut call = call.clone();
            if call.name == "write" {
                match to {
                    "number" => _ = call.args.insert("path".to_owned(), json!(1)),
                    other => call.name = other.into(),
                }
                if to == "number" {
                    call.name = "open".into();
                }
            }
            Box::pin(async move { Answer::modify(call) })
        },
    )
    .items(&["write"])
}

fn program(hooks: Vec<PluginHook>, policy: Policy) -> Program<Desk> {
    let hide = ListHook::hide("hide", ListOf::Tools, &["secret"]);
    let collect = move || {
        let registry = Registry::builder().add(hide.clone().into());
        let registry = hooks
            .iter()
            .fold(registry, |all, hook| all.add(hook.clone().into()));
        Collected::of(registry.build()?)
    };
    Program::new("desk", || Ok(Desk))
        .collected(collect)
        .policy(policy)
}

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread();
    { runtime }.enable_all().build().unwrap().block_on(future)
}

/// Returns what becomes of each call.
fn decided(
    program: &Program<Desk>,
    calls: &[Value],
    answer: Option<UserAnswer>,
) -> Vec<(Outcome, String, String)> {
    run(async {
        let judge = Judge::of(program, None).await.unwrap();
        let mut all = Vec::new();
        for call in calls {
            let call: WrittenCall = from_value(call.clone()).unwrap();
            let judged = judge.judge(call.judging(answer)).await;
            let (by, why) = (
                judged.by.unwrap_or_default(),
                judged.why.unwrap_or_default(),
            );
            all.push((judged.outcome, by, why));
        }
        all
    })
}

fn one(program: &Program<Desk>, call: Value) -> (Outcome, String, String) {
    decided(program, &[call], None).remove(0)
}

#[test]
fn a_renamed_call_passes_the_hooks_of_its_new_name() {
    let deny =
        PluginHook::deny("stays", point::tool_pre_invoke, "nothing is erased").items(&["erase"]);
    let all = program(vec![rename("erase"), deny.priority(1)], Policy::new());
    let (outcome, by, why) = one(&all, json!({ "tool": "write" }));
    assert_eq!(
        (outcome, &*by, &*why),
        (Outcome::Blocked, "stays", "nothing is erased")
    );
    let (outcome, ..) = one(&all, json!({ "tool": "open" }));
    assert_eq!(outcome, Outcome::Allowed);
}

#[test]
fn a_renamed_call_must_fit_the_schema_and_may_not_reach_what_is_hidden() {
    let (outcome, _, why) = one(
        &program(vec![rename("number")], Policy::new()),
        json!({ "tool": "write" }),
    );
    assert_eq!(outcome, Outcome::Blocked);
    assert!(why.contains("does not fit `open`"), "{why}");
    let (outcome, _, why) = one(
        &program(vec![rename("secret")], Policy::new()),
        json!({ "tool": "write" }),
    );
    assert_eq!((outcome, &*why), (Outcome::Blocked, "there is no `secret`"));
    let (outcome, by, _) = one(
        &program(Vec::new(), Policy::new()),
        json!({ "tool": "secret" }),
    );
    assert_eq!((outcome, &*by), (Outcome::Blocked, "lists"));
}

#[test]
fn the_destructive_hint_asks_and_a_flag_answers() {
    let program = program(Vec::new(), Policy::new().with(Instance::of(Confirm::new())));
    let call = json!({ "tool": "erase", "args": { "path": "a" } });
    let (outcome, by, why) = one(&program, call.clone());
    assert_eq!((outcome, &*by), (Outcome::Asks, "confirm"));
    assert!(why.starts_with("Run `erase`"), "{why}");
    for (answer, expected) in [
        (UserAnswer::Yes, Outcome::Allowed),
        (UserAnswer::No, Outcome::Blocked),
        (UserAnswer::Cancel, Outcome::Blocked),
    ] {
        let (outcome, ..) = decided(&program, std::slice::from_ref(&call), Some(answer)).remove(0);
        assert_eq!(outcome, expected, "{answer:?}");
    }
}

#[test]
fn the_session_is_the_servers_and_each_user_has_one() {
    let machine = Machine::builder()
        .state(State::new("new").start().next("open", "ready"))
        .state(State::new("ready").allow_any());
    let program =
        program(Vec::new(), Policy::new()).sessions(Sessions::on(machine.build().unwrap()));
    let write = json!({ "tool": "write", "user": "ann" });
    let calls = [
        write.clone(),
        json!({ "tool": "open", "user": "ann" }),
        write,
        json!({ "tool": "write", "user": "bob" }),
        json!({ "tool": "write", "user": "ann", "session": "another" }),
    ];
    let found = decided(&program, &calls, None);
    let by: Vec<&str> = found.iter().map(|(_, by, _)| &**by).collect();
    assert_eq!(by, ["session", "", "", "session", "session"]);
}

#[test]
fn hooks_see_no_header_that_the_server_hides() {
    let seen = |header: &'static str| {
        let deny = PluginHook::answering_any::<_, Answer<ToolCall>>(
            "seen",
            point::tool_pre_invoke,
            move |call, _| {
                let is_seen = call
                    .headers
                    .as_ref()
                    .is_some_and(|all| all.contains(header));
                Box::pin(async move {
                    match is_seen {
                        true => Answer::deny(Violation::new("seen")),
                        false => Answer::allow(),
                    }
                })
            },
        );
        let headers = json!({ "Authorization": "Bearer x", "Cookie": "a=b", "X-Team": "red" });
        let call = json!({ "tool": "open", "headers": headers });
        one(&program(vec![deny], Policy::new()), call).0 == Outcome::Blocked
    };
    assert!(seen("x-team"));
    assert!(!seen("authorization"));
    assert!(!seen("cookie"));
}

#[test]
fn hooks_list_names_the_tools_that_rules_and_list_hooks_mean() {
    let rule = PluginHook::deny("never", point::tool_pre_invoke, "no").items(&["opne", "wri*"]);
    let lists = [ListHook::hide("hide", ListOf::Tools, &["erse", "x*"])];
    let program = program(vec![rule], Policy::new());
    let (chain, _) = plugins::chain(&program.hooks().unwrap()).unwrap();
    assert_eq!(
        plugins::warnings(&program, &chain, &lists),
        [
            "`never`: no tool is called `opne`; did you mean `open`?",
            "`hide`: no tool is called `erse`; did you mean `erase`?",
        ]
    );
}

#[test]
fn nothing_is_written_into_the_decision_log() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    let policy = folder.path().join("policy.yaml");
    let log = format!("log:\n  file: {}\n  posture: deny\n", file.display());
    std::fs::write(&policy, log).unwrap();
    let program = program(Vec::new(), Policy::new().file(policy));
    assert_eq!(one(&program, json!({ "tool": "open" })).0, Outcome::Allowed);
    run(async {
        let host = program.test_host().await.unwrap();
        assert!(host.list_tools().await.is_ok());
    });
    assert!(!file.exists());
}

#[test]
fn a_call_of_no_tool_says_which_tool_was_meant() {
    let (outcome, by, why) = one(
        &program(Vec::new(), Policy::new()),
        json!({ "tool": "wrte" }),
    );
    assert_eq!((outcome, &*by), (Outcome::Blocked, "server"));
    assert_eq!(why, "this server has no tool `wrte`; did you mean `write`?");
}

#[test]
fn a_verdict_has_the_hooks_of_the_points_that_the_call_passed() {
    let deny = PluginHook::deny("never", point::tool_pre_invoke, "never").items(&["erase"]);
    let all = program(vec![deny, rename("open")], Policy::new());
    let chain = all.hooks().unwrap().policy_parts().chain().unwrap().0;
    let call: WrittenCall =
        from_value(json!({ "tool": "write", "result": { "content": [] } })).unwrap();
    let verdict = run(async {
        let judge = Judge::of(&all, None).await.unwrap();
        CallVerdict::of(
            "write",
            judge.judge(call.judging(None)).await,
            &chain,
            call.points(),
        )
    });
    let shown = to_value(&verdict).unwrap();
    assert_eq!(shown["outcome"], "allowed");
    assert_eq!(shown["payload"], json!({ "name": "open", "args": {} }));
    let points: Vec<&Value> = shown["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|at| &at["point"])
        .collect();
    assert_eq!(points, ["tool_pre_invoke", "tool_post_invoke"]);
    let page = verdict.page();
    assert!(
        page.contains("    never: does not match\n    rename: modified\n"),
        "{page}"
    );
}

#[test]
fn a_completion_passes_its_points() {
    let when = Condition::parse(r#"argument = "path", value = "/etc*""#).unwrap();
    let deny = PluginHook::deny("etc", point::completion_pre_fetch, "not there").when(when);
    let fewer = PluginHook::answering_any::<_, Verdict<CompletionResult>>(
        "fewer",
        point::completion_post_fetch,
        |answer, _| {
            let answer = answer.retain(|value| value != "b");
            Box::pin(async move { Verdict::Modify(answer) })
        },
    );
    let program = program(vec![deny, fewer], Policy::new());
    let complete =
        |value: &str| json!({ "resource": "file:///{path}", "argument": "path", "value": value });
    let refused = json!({ "completion": complete("/etc/x") });
    let (outcome, by, why) = one(&program, refused);
    assert_eq!((outcome, &*by), (Outcome::Blocked, "etc"));
    assert_eq!(why, "not there");
    let call = json!({ "completion": complete("/srv"), "result": ["a", "b"] });
    let call: WrittenCall = from_value(call).unwrap();
    let judged = run(async {
        let judge = Judge::of(&program, None).await.unwrap();
        judge.judge(call.judging(None)).await
    });
    let shown = json!({ "argument": "path", "result": { "values": ["a"] } });
    assert_eq!(judged.payload, Some(shown));
}

#[cfg(feature = "guardian-local")]
#[test]
fn a_guardian_in_this_process_decides() {
    use std::convert::Infallible;

    use crate::{
        aos::{Agent, AosHook, Guardian, Posture, point as step},
        core::Verdict as Decision,
    };

    let deny = AosHook::answering_any("deny", step::tool_call_request, |_, _| {
        Box::pin(async { Decision::<Infallible>::Deny(Violation::new("the guardian says no")) })
    });
    let allow = AosHook::answering_any("allow", step::tool_call_result, |_, _| {
        Box::pin(async { Decision::<Infallible>::Allow })
    });
    let registry = Registry::builder().add(deny.into()).add(allow.into());
    let guardian = Guardian::with((), registry.build().unwrap());
    let client = Guardian::local_with(guardian).posture(Posture::Deny);
    let client = client.agent(Agent::new("desk", "Desk").provider("Desk", "https://example.com"));
    let program = program(Vec::new(), Policy::new()).guardian(client);
    let (outcome, by, why) = one(&program, json!({ "tool": "open" }));
    assert_eq!((outcome, &*by), (Outcome::Blocked, "guardian"));
    assert!(why.contains("the guardian says no"), "{why}");
}

#[test]
fn a_file_may_change_a_hook_that_needs_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.yaml");
    std::fs::write(&file, "hooks:\n  - id: own\n    mode: audit\n").unwrap();
    let own = PluginHook::answering::<Desk, _, Answer<ToolCall>>(
        "own",
        point::tool_pre_invoke,
        |_desk, _call, _| Box::pin(async { Answer::deny(Violation::new("never")) }),
    );
    let (outcome, ..) = one(
        &program(vec![own.clone()], Policy::new()),
        json!({ "tool": "open" }),
    );
    assert_eq!(outcome, Outcome::Blocked);
    let changed = program(vec![own], Policy::new().file(&file));
    assert_eq!(one(&changed, json!({ "tool": "open" })).0, Outcome::Allowed);
}

#[test]
fn explain_shows_the_rules_of_a_tool_by_each_of_its_names() {
    let deny = PluginHook::deny("stays", point::tool_pre_invoke, "nothing is erased");
    let program = program(vec![deny.items(&["erase"])], Policy::new());
    let client = crate::clients::by_name("claude-code").unwrap();
    run(async {
        let judge = Judge::of(&program, None).await.unwrap();
        for (tool, shows) in [("mcp__desk__erase", true), ("erase", true), ("Bash", false)] {
            let event = Event::PreToolUse;
            let input = told(&program, client, event, Some(tool), Some("{}"));
            let of = in_client(&program, client, Some(event), &input, Some(&judge)).await;
            let of = of.unwrap();
            let rule = of
                .policy
                .iter()
                .any(|line| line.starts_with("stays at tool_pre_invoke"));
            assert_eq!(rule, shows, "{tool}");
            let refuses = |said: &str| said.contains("`stays`: nothing is erased");
            assert_eq!(
                of.server.as_deref().is_some_and(refuses),
                shows,
                "{tool}: {:?}",
                of.server
            );
        }
    });
}
