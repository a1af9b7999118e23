//! Sessions as the clients record them, through hooks, a session machine and rules.

use std::fs;

use serde_json::{Value, json, to_value};

use super::Simulate;
use crate::{
    cli::{CommandError, Program, desk::Desk, options::OutputFormat},
    core::{Registry, RegistryBuilder},
    lifecycle::{LifecycleHook, Matcher, host::ClientControls, point, strength::suggestion},
    server::{Collected, Sessions},
    session::{Machine, State},
};

fn hooks() -> RegistryBuilder {
    let commit = Matcher::new()
        .tool_name("Bash")
        .input_contains("git commit");
    let ordered = Matcher::new().input_contains(r#"{"z":1,"a":2}"#);
    let all = [
        LifecycleHook::text("begin", point::session_start, suggestion, "Begin."),
        LifecycleHook::text("asked", point::pre_request, suggestion, "Asked."),
        LifecycleHook::text("done", point::post_request, suggestion, "Done."),
        LifecycleHook::text("end", point::session_end, suggestion, "End."),
        LifecycleHook::text(
            "commit",
            point::post_tool_use,
            suggestion,
            "In {project_name}.",
        )
        .matcher(commit),
        LifecycleHook::text("ordered", point::pre_tool_use, suggestion, "Ordered.")
            .matcher(ordered),
    ];
    all.into_iter()
        .fold(Registry::builder(), |all, hook| all.add(hook.into()))
}

pub(super) fn program(policy: ClientControls) -> Program<Desk> {
    let machine = Machine::builder()
        .state(State::new("new").start().next("open", "ready"))
        .state(State::new("ready").allow_any());
    Program::new("notes", || Ok(Desk))
        .client_controls(policy)
        .sessions(Sessions::on(machine.build().unwrap()))
        .collected(|| {
            let hooks = hooks();
            #[cfg(feature = "plugin")]
            let hooks = hooks.add(
                crate::plugin::PluginHook::deny(
                    "no_drop",
                    crate::plugin::point::tool_pre_invoke,
                    "nothing is dropped",
                )
                .items(&["drop*"])
                .into(),
            );
            Collected::of(hooks.build()?)
        })
}

pub(super) fn simulated(program: &Program<Desk>, lines: &[Value]) -> Result<Value, CommandError> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("session.jsonl");
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    fs::write(&file, lines.join("\n"))?;
    let simulate = Simulate {
        file,
        client: None,
        ask: false,
        answer: None,
        format: OutputFormat { json: true },
    };
    Ok(to_value(simulate.report(program)?)?)
}

/// Returns an entry of Claude Code, this many seconds after the first.
fn entry(second: u32, kind: &str, content: Value) -> Value {
    let stop = (kind == "assistant").then_some("tool_use");
    json!({
        "type": kind, "sessionId": "s", "cwd": "/w/app", "isSidechain": false,
        "timestamp": format!("2026-11-23T04:{:02}:{:02}.000Z", second / 60, second % 60),
        "message": { "role": kind, "content": content, "stop_reason": stop },
    })
}

pub(super) fn call(second: u32, id: u32, tool: &str, input: Value) -> Value {
    entry(
        second,
        "assistant",
        json!([{ "type": "tool_use", "id": id.to_string(), "name": tool, "input": input }]),
    )
}

pub(super) fn result(second: u32, id: u32, answer: &str, is_error: bool) -> Value {
    entry(
        second,
        "user",
        json!([{ "type": "tool_result", "tool_use_id": id.to_string(), "content": answer, "is_error": is_error }]),
    )
}

/// Returns what fired and what was refused, as lines.
pub(super) fn told(report: &Value) -> Vec<String> {
    let steps = report["steps"].as_array().unwrap();
    let of = |step: &Value| {
        let mut told = Vec::new();
        for firing in step["fires"].as_array().unwrap() {
            told.push(format!(
                "{} {}",
                step["line"],
                firing["hooks"][0].as_str().unwrap()
            ));
        }
        for what in ["refused", "asks"] {
            if let Some(by) = step[what]["by"].as_str() {
                told.push(format!("{} {what} by {by}", step["line"]));
            }
        }
        for held in step["held_back"].as_array().into_iter().flatten() {
            let (by, why) = (held["by"].as_str().unwrap(), held["why"].as_str().unwrap());
            told.push(format!("{} held back {by}: {why}", step["line"]));
        }
        told
    };
    steps.iter().flat_map(of).collect()
}

#[test]
fn a_session_of_claude_code_fires_and_refuses() {
    let program = program(ClientControls::default());
    let report = simulated(
        &program,
        &[
            json!({ "type": "queue-operation", "sessionId": "s" }),
            entry(0, "user", json!("Do it.")),
            call(1, 1, "mcp__notes__write", json!({})),
            result(2, 1, "not yet", true),
            call(3, 2, "mcp__notes__open", json!({})),
            result(4, 2, "open", false),
            call(5, 3, "mcp__notes__write", json!({ "a": 2 })),
            result(6, 3, "ok", false),
            call(7, 4, "Bash", json!({ "command": "git commit" })),
            result(8, 4, "[main]", false),
            call(9, 5, "Bash", json!({ "command": "git commit" })),
            result(10, 5, "nothing to commit", true),
            call(11, 6, "mcp__notes__nothing", json!({})),
            result(12, 6, "<tool_use_error>Error: No such tool available", true),
            // Another server's tools are not judged.
            call(13, 7, "mcp__other__drop", json!({})),
            call(14, 8, "mcp__notes__drop_all", json!({})),
        ],
    );
    let report = report.unwrap();
    let mut expected = vec![
        "2 begin".to_owned(),
        "2 asked".to_owned(),
        "3 refused by session".to_owned(),
        "10 commit".to_owned(),
    ];
    if cfg!(feature = "plugin") {
        expected.push("16 refused by no_drop".to_owned());
    }
    assert_eq!(told(&report), expected);
    assert_eq!(report["refused"], expected.len() - 3);
    assert_eq!(report["steps"][3]["fires"][0]["text"], "In app.");
    assert_eq!(report["texts"], 3);
    let events = json!({
        "session_start": 1, "pre_request": 1, "pre_tool_use": 7, "post_tool_use": 3,
    });
    assert_eq!(report["events"], events);
}

#[test]
fn a_turn_ends_once_and_again_if_a_hook_kept_the_agent_going() {
    let program = program(ClientControls::default());
    let said = |second, id: &str, reason: Value| {
        let mut said = entry(
            second,
            "assistant",
            json!([{ "type": "text", "text": "done" }]),
        );
        said["message"]["id"] = id.into();
        said["message"]["stop_reason"] = reason;
        said
    };
    let report = simulated(
        &program,
        &[
            entry(0, "user", json!("One.")),
            // A message has an entry for each block.
            said(1, "a", json!("end_turn")),
            said(1, "a", json!("end_turn")),
            said(2, "b", json!("end_turn")),
            entry(3, "user", json!("<command-name>/compact</command-name>")),
            entry(3, "user", json!("Two.")),
            // Older versions do not say why the agent stopped.
            said(4, "c", Value::Null),
            entry(5, "user", json!("Three.")),
            said(6, "d", Value::Null),
        ],
    );
    let told = told(&report.unwrap());
    let done: Vec<&String> = told.iter().filter(|it| it.ends_with(" done")).collect();
    assert_eq!(done, ["2 done", "7 done", "9 done"], "{told:?}");
    assert_eq!(told.iter().filter(|it| it.ends_with(" asked")).count(), 3);
}

#[test]
fn time_passes_as_it_did() {
    let mut controls = ClientControls::default();
    controls.cool_down = std::time::Duration::from_secs(60);
    let program = program(controls);
    let asks = [0, 30, 59, 60, 100, 121].map(|second| entry(second, "user", json!("Again.")));
    let told = told(&simulated(&program, &asks).unwrap());
    let asked: Vec<&String> = told.iter().filter(|it| it.ends_with(" asked")).collect();
    assert_eq!(asked, ["1 asked", "4 asked", "6 asked"]);
    assert!(
        told.iter()
            .any(|it| it.contains("held back asked: it cools down")),
        "{told:?}"
    );
}

#[test]
fn the_input_is_searched_as_it_was_written() {
    let program = program(ClientControls::default());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.jsonl");
    for (line, fires) in [
        (
            r#"{"type":"assistant","sessionId":"s","message":{"content":[{"type":"tool_use","id":"1","name":"X","input":{"z":1,"a":2}}]}}"#,
            1,
        ),
        (
            r#"{"type":"assistant","sessionId":"s","message":{"content":[{"type":"tool_use","id":"1","name":"X","input":{"a":2,"z":1}}]}}"#,
            0,
        ),
        (
            r#"{"type":"response_item","payload":{"type":"function_call","namespace":"mcp__x","name":"y","call_id":"1","arguments":"{\"z\":1,\"a\":2}"}}"#,
            1,
        ),
    ] {
        fs::write(&file, line).unwrap();
        let simulate = Simulate {
            file: file.clone(),
            client: None,
            ask: false,
            answer: None,
            format: OutputFormat { json: true },
        };
        let report = to_value(simulate.report(&program).unwrap()).unwrap();
        let told = told(&report);
        let ordered = told.iter().filter(|it| it.ends_with(" ordered")).count();
        assert_eq!(ordered, fires, "{line}: {told:?}");
    }
}

#[test]
fn a_session_of_codex_fires_and_refuses() {
    let program = program(ClientControls::default());
    let response = |payload: Value| json!({ "type": "response_item", "payload": payload });
    let event = |payload: Value| json!({ "type": "event_msg", "payload": payload });
    let call = |id: &str, name: &str, arguments: Value| {
        response(json!({
            "type": "function_call", "namespace": "mcp__notes", "name": name, "call_id": id,
            "arguments": arguments.to_string(),
        }))
    };
    let shell = |id: &str, name: &str, arguments: Value| {
        response(json!({
            "type": "function_call", "name": name, "call_id": id, "arguments": arguments.to_string(),
        }))
    };
    let output = |id: &str, said: &str| {
        response(json!({ "type": "function_call_output", "call_id": id, "output": said }))
    };
    let report = simulated(
        &program,
        &[
            json!({ "type": "session_meta", "payload": { "id": "s", "cwd": "/w/app" } }),
            event(json!({ "type": "task_started" })),
            event(json!({ "type": "user_message", "message": "Do it." })),
            // The same prompt in the form of another version.
            event(json!({ "type": "item_completed", "item": {
                "type": "UserMessage", "content": [{ "type": "text", "text": "Do it." }],
            } })),
            call("1", "write", json!({})),
            event(json!({ "type": "item_completed", "item": {
                "type": "McpToolCall", "id": "1", "status": "failed",
            } })),
            output("1", "not yet"),
            call("2", "open", json!({})),
            output("2", "open"),
            call("3", "write", json!({})),
            output("3", "ok"),
            shell("4", "exec_command", json!({ "cmd": "git commit" })),
            output("4", "Chunk ID: 1\nOutput:\n[main]\n"),
            shell(
                "5",
                "shell",
                json!({ "command": ["bash", "-lc", "git commit"] }),
            ),
            output("5", "Exit code: 1"),
            call("6", "nothing", json!({})),
            output("6", "unsupported call: mcp__notesnothing"),
            event(json!({ "type": "task_complete" })),
            json!({ "type": "compacted", "payload": {} }),
        ],
    );
    let report = report.unwrap();
    let expected = [
        "1 begin",
        "3 asked",
        "5 refused by session",
        "13 commit",
        // A command that fails is a call like others.
        "15 commit",
        "18 done",
        "19 begin",
    ];
    assert_eq!(told(&report), expected);
    assert_eq!(report["client"], "codex");
}

#[test]
fn subagents_are_told_apart() {
    let alone = {
        let mut task = entry(1, "user", json!("Look."));
        task["isSidechain"] = true.into();
        let mut commit = call(2, 1, "Bash", json!({ "command": "git commit" }));
        commit["isSidechain"] = true.into();
        let report = simulated(
            &program(ClientControls::default()),
            &[task, commit, result(3, 1, "[main]", false)],
        );
        told(&report.unwrap())
    };
    assert_eq!(alone, ["3 commit"]);

    let program = program(ClientControls::default());
    let mut task = entry(1, "user", json!("Look."));
    let mut stop = entry(2, "assistant", json!([{ "type": "text", "text": "seen" }]));
    stop["message"]["stop_reason"] = "end_turn".into();
    for of in [&mut task, &mut stop] {
        of["isSidechain"] = true.into();
    }
    let report = simulated(&program, &[entry(0, "user", json!("Do it.")), task, stop]);
    assert_eq!(told(&report.unwrap()), ["1 begin", "1 asked"]);
}

#[test]
fn a_resumed_session_keeps_its_texts() {
    let program = program(ClientControls::default());
    let hook = |source: &str| {
        let mut hook = entry(5, "attachment", Value::Null);
        hook["attachment"] =
            json!({ "type": "hook_success", "hookName": format!("SessionStart:{source}") });
        hook
    };
    let mut boundary = entry(9, "system", Value::Null);
    boundary["subtype"] = "compact_boundary".into();
    let report = simulated(
        &program,
        &[
            hook("startup"),
            hook("startup"),
            entry(1, "user", json!("Do it.")),
            hook("resume"),
            hook("resume"),
            entry(6, "user", json!("Go on.")),
            boundary,
            hook("compact"),
            hook("resume"),
        ],
    );
    let expected = [
        "1 begin",
        "3 asked",
        "4 held back begin: the resumed session still has the text",
        "6 asked",
        "7 begin",
        "9 held back begin: the resumed session still has the text",
    ];
    assert_eq!(told(&report.unwrap()), expected);
}

#[test]
fn a_file_of_nobody_is_no_session() {
    let program = program(ClientControls::default());
    for lines in [&[][..], &[json!({})], &[json!({ "type": "user" })]] {
        let error = simulated(&program, lines).unwrap_err().to_string();
        assert!(error.contains("is no session file"), "{error}");
    }
}
