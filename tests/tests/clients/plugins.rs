//! The generated plugins, run by node: what they write to the command, and where they put its texts.

use std::{
    env, fs,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

use hooks_sdk::{
    clients::{Client, InstallScope, Installation, Place},
    lifecycle::Event,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::recorded::{client, folder, read};

const HOST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/host.mjs");

/// Answers with a text that names the event.
const ANSWERS: &str = r#"event=$(printf '%s' "$input" | sed 's/.*"hook_event_name":"\([^"]*\)".*/\1/')
printf '{"hookSpecificOutput":{"additionalContext":"text of %s"}}' "$event""#;

/// A folder with a program and the plugin that starts it.
struct Stage {
    folder: TempDir,
    client: &'static dyn Client,
}

impl Stage {
    /// One whose program logs its input, and then does this. `None` if there is no node here.
    fn new(name: &str, does: &str) -> Option<Stage> {
        if Command::new("node").arg("--version").output().is_err() {
            hooks_tests::skipped("`node` is not on the PATH");
            return None;
        }
        let stage = Stage {
            folder: tempfile::tempdir().expect("a folder"),
            client: client(name),
        };
        let script =
            format!("#!/bin/sh\ninput=$(cat)\nprintf '%s\\n' \"$input\" >> \"$0.log\"\n{does}\n");
        fs::write(stage.program(), script).expect("written");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(stage.program(), mode).expect("set");
        }
        let place = stage.place();
        let program = stage.program();
        let to = Installation::new(InstallScope::User, &place, "memory", &program);
        let plan = to.events(&Event::ALL).plan(stage.client, false);
        plan.apply(&stage.folder.path().join("data"))
            .expect("installed");
        Some(stage)
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("it's a program")
    }

    fn plugin(&self) -> PathBuf {
        let scope = InstallScope::User;
        self.client.hooks_file(scope, &self.place(), "memory")
    }

    fn place(&self) -> Place {
        Place::new(self.folder.path().join("home"), self.folder.path())
    }

    /// Has the client call its hooks, and returns what each did.
    fn plays(&self, script: &Value) -> Vec<Value> {
        let mut node = Command::new("node")
            .args([HOST, self.client.name()])
            .arg(self.plugin())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let mut stdin = node.stdin.take().expect("piped");
        let written = stdin.write_all(script.to_string().as_bytes());
        written.expect("written");
        drop(stdin);
        let output = node.wait_with_output().expect("ended");
        assert!(output.status.success(), "{}", output.status);
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// What the program was given, in the order of the events' names.
    fn log(&self) -> Vec<Value> {
        let log = self.folder.path().join("it's a program.log");
        let log = fs::read_to_string(log).unwrap_or_default();
        let mut inputs: Vec<Value> = log
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        inputs.sort_by_key(|input| input["hook_event_name"].to_string());
        inputs
    }
}

fn host(name: &str) -> Value {
    serde_json::from_slice(&read(name)).expect("JSON")
}

/// One call of a hook, as the client makes it.
fn call(client: &str, hook: &str, file: &str) -> Value {
    let mut call = host(&format!("{client}/host/{file}.json"));
    call["hook"] = hook.into();
    call
}

fn one(call: Value) -> Value {
    json!({"calls": [call]})
}

/// Compares what the plugin wrote with the recording of this name, or writes that.
fn is_recorded(name: &str, input: &Value) {
    let file = folder().join(name);
    if env::var_os("ANSWERS").is_some_and(|word| word == "overwrite") {
        fs::write(&file, format!("{input:#}\n")).expect("written");
    }
    assert_eq!(host(name), *input, "{name}");
}

#[test]
fn opencode_s_events_become_recordings() {
    let before = ("tool.execute.before", ["mcp", "shell"].as_slice());
    let after = (
        "tool.execute.after",
        ["mcp", "shell", "shell.failed"].as_slice(),
    );
    for (hook, kinds) in [before, after] {
        for kind in kinds {
            let Some(stage) = Stage::new("opencode", ANSWERS) else {
                return;
            };
            let file = format!("{hook}.{kind}");
            let done = stage.plays(&one(call("opencode", hook, &file)));
            assert_eq!(done[0].get("threw"), None);
            is_recorded(&format!("opencode/{file}.json"), &stage.log()[0]);
        }
    }
    let id = "00000000-0000-4000-8000-000000000001";
    for (kind, messages) in [("", json!([])), (".resume", json!([{}]))] {
        let Some(stage) = Stage::new("opencode", ANSWERS) else {
            return;
        };
        let mut script = one(call("opencode", "chat.message", "chat.message"));
        script["sessions"] = json!({id: {"messages": messages}});
        stage.plays(&script);
        let log = stage.log();
        assert_eq!(log.len(), 2);
        is_recorded("opencode/chat.message.json", &log[0]);
        is_recorded(&format!("opencode/chat.message.first{kind}.json"), &log[1]);
    }
    let Some(stage) = Stage::new("opencode", ANSWERS) else {
        return;
    };
    let mut call = call("opencode", "tool.execute.after", "tool.execute.after.shell");
    call["input"]["sessionID"] = "ses_of_a_subagent".into();
    let mut script = one(call);
    script["sessions"] = json!({"ses_of_a_subagent": {"parentID": id}});
    stage.plays(&script);
    is_recorded(
        "opencode/tool.execute.after.shell.subagent.json",
        &stage.log()[0],
    );
}

#[test]
fn opencode_s_model_gets_the_texts() {
    let Some(stage) = Stage::new("opencode", ANSWERS) else {
        return;
    };
    let call = |hook, file| call("opencode", hook, file);
    let script = json!({"calls": [
        call("chat.message", "chat.message"),
        call("chat.message", "chat.message"),
        call("tool.execute.before", "tool.execute.before.shell"),
        call("tool.execute.after", "tool.execute.after.shell"),
        call("tool.execute.after", "tool.execute.after.mcp"),
        call("tool.execute.before", "tool.execute.before.mcp"),
        {"hook": "event", "input": {"event": {"type": "session.compacted", "properties": {
            "sessionID": "00000000-0000-4000-8000-000000000001",
        }}}},
        call("chat.message", "chat.message"),
    ]});
    let done = stage.plays(&script);
    assert!(done.iter().all(|done| done.get("threw").is_none()));
    let texts = |at: usize| {
        let parts = done[at]["output"]["parts"].as_array().expect("parts");
        let new = parts.iter().skip(1).map(|part| {
            assert!(part["id"].as_str().expect("an id").starts_with("prt_"));
            assert_eq!(
                (&part["messageID"], &part["sessionID"]),
                (&parts[0]["messageID"], &parts[0]["sessionID"])
            );
            part["text"].clone()
        });
        new.collect::<Vec<_>>()
    };
    let ids: Vec<&Value> = done[0]["output"]["parts"]
        .as_array()
        .expect("parts")
        .iter()
        .map(|part| &part["id"])
        .collect();
    assert!(ids[0] != ids[1] && ids[1] != ids[2]);
    assert_eq!(
        texts(0),
        ["text of chat.message.first", "text of chat.message"]
    );
    assert_eq!(texts(1), ["text of chat.message"]);
    assert_eq!(
        done[3]["output"]["output"],
        "committed\n\n\ntext of tool.execute.before\n\ntext of tool.execute.after"
    );
    let mcp = &done[4]["output"]["content"];
    assert_eq!(mcp[0]["text"], "echo: hello");
    assert_eq!(
        mcp[1],
        json!({"type": "text", "text": "text of tool.execute.after"})
    );
    // The call failed, so its text waits for the next message. The session was compacted, so it starts again.
    let last = [
        "text of tool.execute.before",
        "text of chat.message.first",
        "text of chat.message",
    ];
    assert_eq!(texts(7), last);
    let starts = stage
        .log()
        .into_iter()
        .filter(|input| input["hook_event_name"] == "chat.message.first");
    let sources: Vec<Value> = starts.map(|input| input["source"].clone()).collect();
    assert_eq!(sources, ["startup", "compact"]);
}

#[test]
fn a_subagent_s_prompt_is_not_the_user_s() {
    let Some(stage) = Stage::new("opencode", ANSWERS) else {
        return;
    };
    let mut script = one(call("opencode", "chat.message", "chat.message"));
    script["sessions"] = json!({"00000000-0000-4000-8000-000000000001": {"parentID": "ses_main"}});
    let done = stage.plays(&script);
    assert_eq!(
        done[0]["output"]["parts"].as_array().expect("parts").len(),
        1
    );
    assert_eq!(stage.log(), Vec::<Value>::new());

    let Some(stage) = Stage::new("cline", ANSWERS) else {
        return;
    };
    let main = call("cline", "beforeTool", "beforeTool.shell");
    let mut run = call("cline", "beforeRun", "beforeRun");
    let mut tool = call("cline", "beforeTool", "beforeTool.shell");
    for call in [&mut run, &mut tool] {
        let snapshot = &mut call["context"]["snapshot"];
        snapshot["parentAgentId"] = snapshot["agentId"].clone();
        snapshot["agentId"] = "agent_sub".into();
        snapshot["conversationId"] = "conv_sub".into();
    }
    let done = stage.plays(&json!({"calls": [main, run, tool]}));
    assert_eq!(done[1]["returned"], json!({}));
    let log = stage.log();
    assert_eq!(log.len(), 2);
    assert_eq!(log[0]["session_id"], log[1]["session_id"]);
    is_recorded("cline/beforeTool.shell.subagent.json", &log[1]);
}

#[test]
fn cline_s_events_become_recordings() {
    for file in [
        "beforeTool.mcp",
        "beforeTool.shell",
        "afterTool.mcp",
        "afterTool.shell",
        "afterTool.shell.failed",
    ] {
        let Some(stage) = Stage::new("cline", ANSWERS) else {
            return;
        };
        let hook = file.split('.').next().expect("a hook");
        let done = stage.plays(&one(call("cline", hook, file)));
        assert_eq!(
            done[0]["returned"],
            json!({"appendContext": format!("text of {hook}")})
        );
        is_recorded(&format!("cline/{file}.json"), &stage.log()[0]);
    }
    let Some(stage) = Stage::new("cline", ANSWERS) else {
        return;
    };
    let run = call("cline", "beforeRun", "beforeRun");
    let failed = call("cline", "afterTool", "afterTool.mcp.failed");
    let done = stage.plays(&json!({"calls": [run, run, failed]}));
    assert_eq!(
        done[0]["returned"]["appendContext"],
        "text of beforeRun.first\n\ntext of beforeRun"
    );
    assert_eq!(done[1]["returned"]["appendContext"], "text of beforeRun");
    assert_eq!(done[2]["returned"], json!({}));
    let log = stage.log();
    is_recorded("cline/beforeRun.json", &log[0]);
    is_recorded("cline/beforeRun.first.json", &log[2]);
    assert_eq!(log.len(), 3);
}

#[test]
fn a_refusal_is_the_call_s_result() {
    let refuses = r#"printf '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"not now"}}'"#;
    for (name, hook) in [("opencode", "tool.execute.before"), ("cline", "beforeTool")] {
        let Some(stage) = Stage::new(name, refuses) else {
            return;
        };
        let done = stage.plays(&one(call(name, hook, &format!("{hook}.shell"))));
        match name {
            "opencode" => assert_eq!(done[0]["threw"], "not now"),
            _ => assert_eq!(
                done[0]["returned"],
                json!({"skip": true, "reason": "not now"})
            ),
        }
    }
}

/// Every hook that a client calls, each with what it hands over.
fn all(name: &str) -> Vec<Value> {
    let hooks: &[_] = match name {
        "opencode" => &[
            ("chat.message", "chat.message"),
            ("tool.execute.before", "tool.execute.before.shell"),
            ("tool.execute.after", "tool.execute.after.shell"),
        ],
        _ => &[
            ("beforeRun", "beforeRun"),
            ("beforeTool", "beforeTool.shell"),
            ("afterTool", "afterTool.shell"),
        ],
    };
    hooks
        .iter()
        .map(|(hook, file)| call(name, hook, file))
        .collect()
}

fn nothing_happens(name: &str, stage: &Stage, script: Value) {
    for (call, done) in script["calls"]
        .as_array()
        .expect("calls")
        .iter()
        .zip(stage.plays(&script))
    {
        assert_eq!(done.get("threw"), None, "{name}: {done}");
        assert_eq!(done.get("output"), call.get("output"), "{name}");
        let returned = done.get("returned");
        assert!(
            returned.is_none_or(|returned| *returned == json!({})),
            "{name}: {done}"
        );
    }
}

#[test]
fn a_command_that_does_not_work_changes_nothing() {
    let large = "head -c 2000000 /dev/zero | tr '\\0' x";
    for does in [
        "exit 3",
        "echo no JSON",
        "echo null",
        "echo '[]'",
        "echo '{\"hookSpecificOutput\": 7}'",
        "echo '{\"hookSpecificOutput\": {\"additionalContext\": [1], \"permissionDecision\": 1}}'",
        "printf '\\377\\376'",
        "kill -9 $$",
        large,
    ] {
        for name in ["opencode", "cline"] {
            let Some(stage) = Stage::new(name, does) else {
                return;
            };
            nothing_happens(name, &stage, json!({"calls": all(name)}));
        }
    }
    for name in ["opencode", "cline"] {
        let Some(stage) = Stage::new(name, "") else {
            return;
        };
        fs::remove_file(stage.program()).expect("removed");
        nothing_happens(name, &stage, json!({"calls": all(name)}));
        fs::create_dir(stage.program()).expect("made");
        nothing_happens(name, &stage, json!({"calls": all(name)}));
    }
}

#[test]
fn a_command_that_hangs_is_ended() {
    for (name, hook, file) in [
        ("opencode", "tool.execute.after", "tool.execute.after.shell"),
        ("cline", "beforeRun", "beforeRun"),
    ] {
        // Node ends when the command has.
        let Some(stage) = Stage::new(name, "exec sleep 100000") else {
            return;
        };
        let plugin = stage.plugin();
        let code = fs::read_to_string(&plugin).expect("readable");
        let limits = ["const LIMIT = 10_000 ", "const LIMIT = 2_500 "];
        assert_eq!(
            limits.iter().filter(|limit| code.contains(**limit)).count(),
            1
        );
        fs::write(&plugin, code.replace(limits[0], "const LIMIT = 500 ")).expect("written");
        nothing_happens(name, &stage, one(call(name, hook, file)));
    }
}

#[test]
fn whatever_the_client_hands_over_nothing_is_thrown() {
    let broken = [
        json!(null),
        json!(7),
        json!({}),
        json!([]),
        json!({"snapshot": null, "toolCall": null}),
        json!({"snapshot": {"messages": 7}, "toolCall": {}}),
        json!({"event": {"type": "session.compacted"}}),
        json!({"sessionID": {}, "parts": 1, "message": 1}),
    ];
    for (name, hooks) in [
        (
            "opencode",
            [
                "chat.message",
                "tool.execute.before",
                "tool.execute.after",
                "event",
            ]
            .as_slice(),
        ),
        ("cline", ["beforeRun", "beforeTool", "afterTool"].as_slice()),
    ] {
        let Some(stage) = Stage::new(name, "echo '{}'") else {
            return;
        };
        let calls = hooks.iter().flat_map(|hook| {
            broken.iter().map(move |broken| {
                json!({"hook": hook, "input": broken, "output": broken, "context": broken})
            })
        });
        nothing_happens(name, &stage, json!({"calls": calls.collect::<Vec<_>>()}));
    }
    // A client that does not answer the plugin's own questions.
    let Some(stage) = Stage::new("opencode", ANSWERS) else {
        return;
    };
    let mut script = one(call("opencode", "chat.message", "chat.message"));
    script["hangs"] = true.into();
    let done = stage.plays(&script);
    assert_eq!(
        done[0]["output"]["parts"].as_array().expect("parts").len(),
        3
    );
}
