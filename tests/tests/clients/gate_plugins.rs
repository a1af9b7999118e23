//! What the generated plugins of gates ask their command, and what they do with its answers.

use std::fs;

use hooks_sdk::clients::GateEntries;
use serde_json::Value;

use crate::stage::{Stage, call, one};

const DENIES: &str = r#"printf '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}'"#;

/// The clients with their hooks before and after a tool.
const CLIENTS: [(&str, &str, &str); 2] = [
    ("opencode", "tool.execute.before", "tool.execute.after"),
    ("cline", "beforeTool", "afterTool"),
];

fn asked(client: &str, hook: &str) -> Value {
    one(call(client, hook, &format!("{hook}.shell")))
}

/// Whether the plugin stopped the call.
fn stopped(done: &Value) -> bool {
    done.get("threw").is_some() || done["returned"]["skip"] == true
}

#[test]
fn a_refusal_stops_the_call_and_silence_does_not() {
    for (client, before, _) in CLIENTS {
        for (does, is_stopped) in [
            (DENIES, true),
            ("echo '{}'", false),
            ("echo garbage", true),
            ("exit 1", true),
            ("kill -9 $$", true),
            ("sleep 5", true),
        ] {
            let Some(stage) = Stage::gate(client, does, &GateEntries::closed()) else {
                return;
            };
            let done = stage.plays(&asked(client, before));
            assert_eq!(stopped(&done[0]), is_stopped, "{client}: {does}: {done:?}");
            let log = stage.log();
            assert_eq!(log[0]["hook_event_name"], before);
            assert!(log[0]["tool_input"].is_object(), "{log:?}");
        }
        let Some(stage) = Stage::gate(client, DENIES, &GateEntries::closed()) else {
            return;
        };
        fs::remove_file(stage.program()).expect("removed");
        assert!(stopped(&stage.plays(&asked(client, before))[0]), "{client}");
    }
}

#[test]
fn the_program_is_asked_about_its_kinds_only() {
    for (client, before, _) in CLIENTS {
        let mut gates = GateEntries::closed();
        gates.kinds = vec!["fetch"];
        let Some(stage) = Stage::gate(client, DENIES, &gates) else {
            return;
        };
        let done = stage.plays(&asked(client, before));
        assert!(!stopped(&done[0]), "{client}: {done:?}");
        assert!(stage.log().is_empty());
    }
}

#[test]
fn a_record_has_the_result_and_changes_nothing() {
    for (client, before, after) in CLIENTS {
        let mut gates = GateEntries::default();
        gates.records = true;
        // A record cannot refuse.
        let Some(stage) = Stage::gate(client, DENIES, &gates) else {
            return;
        };
        assert!(
            !stopped(&stage.plays(&asked(client, before))[0]),
            "{client}"
        );
        assert!(stage.log().is_empty());
        let done = stage.plays(&asked(client, after));
        assert!(!stopped(&done[0]), "{client}: {done:?}");
        let log = stage.log();
        assert_eq!(log[0]["hook_event_name"], after);
        assert!(!log[0]["tool_response"].is_null(), "{log:?}");
    }
}
