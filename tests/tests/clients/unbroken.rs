//! The generated plugins end no run of their client, whatever their command or the client does.

use std::fs;

use serde_json::{Value, json};

use crate::stage::{ANSWERS, Stage, call, one};

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
        // The first call starts a session, whose text says that the program is gone.
        nothing_happens(name, &stage, json!({"calls": all(name)[1..]}));
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
