//! The check of a client's row: long texts, a subagent, and a resumed and a compacted session.

use std::process::Command;

use serde_json::Value;

use super::{Proving, proof};
use crate::user::PROGRAM;

/// Checks the texts of a client that does something wrong, or nothing.
fn checked(does: &str, code: i32) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deep"));
    let command = command.args([PROGRAM, "claude-code", "300", "texts"]);
    proof(&Proving::with(does).run(command), code)
}

/// Returns the notes, or the findings, of what was tried, each with its event.
fn tried<'p>(proof: &'p Value, what: &str, member: &str) -> Vec<(&'p str, &'p str)> {
    let all = proof["deep"].as_array().unwrap().iter();
    let all = all.filter(|each| each["tried"] == what);
    all.filter_map(|each| Some((each["event"].as_str()?, each[member].as_str()?)))
        .collect()
}

#[test]
fn a_client_that_is_as_the_table_says_in_all_deep_trials() {
    let proof = checked("nothing wrong", 0);
    let deep = proof["deep"].as_array().unwrap();
    let of = |part: &str| {
        let with = |each: &&Value| each["tried"].as_str().unwrap().contains(part);
        deep.iter().filter(with).count()
    };
    for script in ["Latin", "Cyrillic", "CJK", "emoji"] {
        assert_eq!(of(script), 5, "{script}");
    }
    assert_eq!(of("99 % of 10000 UTF-16 units in "), 16);
    let (yes, no) = (
        "its text reaches the subagent",
        "its text does not reach the subagent",
    );
    let wanted = [
        ("session_start", no),
        ("pre_tool_use", yes),
        ("post_tool_use", yes),
        ("pre_request", no),
        ("post_request", no),
    ];
    assert_eq!(tried(&proof, "subagent", "note"), wanted);
    let kept = [("session_start", "the text of the start is kept")];
    assert_eq!(tried(&proof, "resumed", "note"), kept);
    let again = [("session_start", "the text of the start is sent again")];
    assert_eq!(tried(&proof, "compacted", "note"), again);
}

#[test]
fn a_subagent_without_texts_and_a_session_that_forgets_are_found() {
    let does = "says nothing to its subagent, and forgets at a compaction";
    let proof = checked(does, 1);
    let found = "its text does not reach the subagent, and the table says that it does";
    let wanted = [("pre_tool_use", found), ("post_tool_use", found)];
    assert_eq!(tried(&proof, "subagent", "finding"), wanted);
    let found = "the text of the start is lost, and the table says `sent again`";
    let wanted = [("session_start", found)];
    assert_eq!(tried(&proof, "compacted", "finding"), wanted);
}

#[test]
fn what_the_client_cannot_be_made_to_do_is_not_known() {
    let proof = checked("starts no subagent, and does not compact", 0);
    let not_known = [
        ("subagent", "its model called for one, and none began"),
        ("compacted", "`/compact` did not compact its session"),
    ];
    for (what, why) in not_known {
        assert_eq!(tried(&proof, what, "note"), [("session_start", why)]);
    }
}
