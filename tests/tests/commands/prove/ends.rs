//! `hooks prove` with clients that hang, that leave a process, or during whose run the program is built again.

use std::fs;

use serde_json::Value;

use super::{Proving, at, is_running, proof};
use crate::user::{PROGRAM, put_program};

#[test]
fn a_daemon_that_the_client_leaves_ends_with_the_trial() {
    let proving = Proving::with("leaves a daemon");
    let proof = proving.json(&[], 0);
    assert!(!is_running(&proving.temporary().join("child")));
    let note = proof["notes"][0].as_str().unwrap();
    assert_eq!(
        note,
        "it left processes running, which were ended: sleep 600"
    );
}

#[test]
fn a_program_that_is_built_again_does_not_break_the_trial() {
    let proving = Proving::with("builds the program again");
    let program = proving.user.home().parent().unwrap().join("notebook");
    put_program(&program, PROGRAM, "");
    let named = program.to_str().unwrap();
    fs::write(proving.temporary().join("program"), named).unwrap();
    let output = proving.prove_with(&program, &["--json"]);
    let proofs: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(proofs[0]["outcome"], "as_the_table_says", "{proofs}");
    assert_eq!(fs::read(&program).unwrap(), b"#!/bin/sh\nexit 1\n");
}

#[test]
fn what_a_hanging_client_did_not_come_to_is_not_known() {
    let (_, output) = Proving::hanging("hangs within its work", &["--json"]);
    let proof = proof(&output, 2);
    assert_eq!(proof["outcome"], "not_run");
    assert_eq!(at(&proof, "session_start")["fate"], "reached");
    // Its hook has answered, and no request came after that.
    for event in ["pre_tool_use", "post_tool_use", "post_request"] {
        let at = at(&proof, event);
        let shown = (&at["fate"], &at["finding"]);
        assert_eq!(shown, (&"not_known".into(), &Value::Null), "{at}");
    }
    let (_, page) = Proving::hanging("hangs within its work", &[]);
    let page = String::from_utf8(page.stdout).unwrap();
    let line = "\n  post_tool_use  not known: the run ended before\n";
    assert!(page.contains(line), "{page}");
}

#[test]
fn a_finding_outlives_a_client_that_hangs_after_its_last_answer() {
    let (_, output) = Proving::hanging("drops the text and does not end", &["--json"]);
    let proof = proof(&output, 1);
    assert_eq!(proof["outcome"], "differs");
    let found = at(&proof, "post_tool_use")["finding"].as_str().unwrap();
    assert!(found.starts_with("its text was dropped: "), "{found}");
}
