//! `audit`.

use std::{fs, path::Path, time::Duration};

use serde_json::{from_value, json};
use tempfile::TempDir;

use super::*;
use crate::{
    ChainRecord, PluginHook,
    ready::{Audit, AuditRecord, Ended},
};
use hooks_core::{HookError, OnFailure, Verdict};

fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn record(request: &str) -> (GlobalContext, ChainRecord) {
    (GlobalContext::new(request), ChainRecord::default())
}

#[tokio::test]
async fn a_line_says_who_what_which_rule_and_at_what_cost() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("audit.jsonl");
    let fails = PluginHook::answering_any("weak", point::tool_pre_invoke, |_: &ToolCall, _| {
        Box::pin(async { Err::<Verdict<ToolCall>, _>(HookError::new("secret reason")) })
    });
    let deny = PluginHook::deny("no_deletes", point::tool_pre_invoke, "secret reason").code("NO");
    let chain = Chain::new([fails.on_failure(OnFailure::Ignore), deny]);
    let mut contexts = of_user("kim").recording();
    contexts.global.session = Some("s-1".to_owned());
    let audit = Audit::to(&file);
    let reserved = audit.reserve().unwrap();
    assert_eq!(
        lines(&file)[0]["ended"],
        "unknown",
        "the line is there before the tool runs"
    );
    stopped(&chain, "delete", json!({"path": "/secret"}), &mut contexts)
        .await
        .unwrap();
    let args = json!({"path": "/secret"});
    let line = AuditRecord::new(
        "tools/call",
        "delete",
        Ended::Refused,
        &contexts.global,
        contexts.record(),
    )
    .chain(&chain)
    .contents(Some(&args), None)
    .took(Duration::from_micros(70));
    reserved.write(&line).unwrap();

    let [line] = &*lines(&file) else {
        panic!("one line a request")
    };
    for (member, expected) in [
        ("request", json!("1")),
        ("user", json!("kim")),
        ("session", json!("s-1")),
        ("method", json!("tools/call")),
        ("item", json!("delete")),
        ("ended", json!("refused")),
        ("decision", json!("denied")),
        ("rule", json!("no_deletes")),
        ("code", json!("NO")),
        ("posture", json!("fail")),
        ("took_us", json!(70)),
        ("bypassed", json!(["weak"])),
    ] {
        assert_eq!(line[member], expected, "{member}");
    }
    assert!(line["at"].as_str().unwrap().ends_with('Z') && line["cost_us"].is_u64());
    assert_eq!(line["steps"][0]["decision"], "bypassed");
    assert_eq!(line["steps"][0]["posture"], "ignore");
    assert!(
        !line.to_string().contains("secret"),
        "no contents unless the author wants them: {line}"
    );
    assert!(
        !fs::read_to_string(&file).unwrap().contains("  "),
        "the padding is gone"
    );
}

#[tokio::test]
async fn what_a_hook_says_about_itself_is_in_the_line() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("audit.jsonl");
    let chain = chain([crate::ready::Redact::new().into()]);
    let mut contexts = contexts().recording();
    let secret = "kim@example.org and lee@example.org";
    answered(&chain, text(secret), &mut contexts).await;
    let record = contexts.record();
    let line = AuditRecord::new(
        "tools/call",
        "search",
        Ended::Answered,
        &contexts.global,
        record,
    );
    let reserved = Audit::to(&file).reserve().unwrap();
    reserved.write(&line.contexts(&contexts)).unwrap();
    let line = &lines(&file)[0];
    assert_eq!(line["decision"], "modified");
    assert_eq!(
        line["hook_metadata"],
        json!({"redact": {"redacted": {"email_address": 2}}})
    );
}

#[test]
fn contents_are_written_on_demand_and_left_out_where_they_do_not_fit() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("audit.jsonl");
    let audit: Audit = from_value(json!({"file": file, "contents": true})).unwrap();
    let (global, record) = record("1");
    for text in ["short".to_owned(), "long".repeat(100_000)] {
        let args = json!({"text": text});
        let line = AuditRecord::new("tools/call", "save", Ended::Answered, &global, &record);
        audit
            .reserve()
            .unwrap()
            .write(&line.contents(Some(&args), None))
            .unwrap();
    }
    let lines = lines(&file);
    assert_eq!(lines[0]["arguments"], json!({"text": "short"}));
    assert_eq!(lines[0]["decision"], "allowed");
    assert_eq!(
        (lines[1].get("arguments"), &lines[1]["contents_left_out"]),
        (None, &json!(true))
    );
}

#[test]
fn lines_of_requests_at_the_same_time_do_not_mix() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("audit.jsonl");
    let audits = [Audit::to(&file), Audit::to(&file)];
    let reserved: Vec<_> = (0..20)
        .map(|at| (at, audits[at % 2].reserve().unwrap()))
        .collect();
    let threads = reserved.into_iter().rev().map(|(at, reserved)| {
        std::thread::spawn(move || {
            let (global, record) = record(&at.to_string());
            let line = AuditRecord::new("tools/call", "a", Ended::Answered, &global, &record);
            reserved.write(&line).unwrap();
        })
    });
    let threads: Vec<_> = threads.collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    let lines = lines(&file);
    let requests: Vec<String> = lines
        .iter()
        .map(|line| line["request"].as_str().unwrap().to_owned())
        .collect();
    let expected: Vec<String> = (0..20).map(|at| at.to_string()).collect();
    assert_eq!(requests, expected);
}

#[test]
fn a_full_file_is_put_aside_and_a_late_line_finds_its_place() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("audit.jsonl");
    let audit = Audit::to(&file).rotate(1000, 2);
    let write = |reserved: crate::ready::Reserved, request: &str| {
        let (global, record) = record(request);
        reserved
            .write(&AuditRecord::new(
                "tools/call",
                "a",
                Ended::Answered,
                &global,
                &record,
            ))
            .unwrap();
    };
    let late = audit.reserve().unwrap();
    for request in 0..40 {
        let reserved = audit.reserve().unwrap();
        write(reserved, &request.to_string());
        if request == 0 {
            // The line is no longer in the file of that name.
            assert!(fs::exists(file.with_extension("jsonl.1")).unwrap());
        }
    }
    write(late, "late");
    for name in ["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"] {
        assert!(!lines(&folder.path().join(name)).is_empty(), "{name}");
        assert!(fs::metadata(folder.path().join(name)).unwrap().len() < 1000 + 4096);
    }
    assert!(!fs::exists(folder.path().join("audit.jsonl.3")).unwrap());
}

#[test]
fn what_cannot_be_written_is_told_before_the_request() {
    let folder = TempDir::new().unwrap();
    let audit = Audit::to(folder.path().join("missing/audit.jsonl"));
    assert_eq!(audit.posture(), OnFailure::Fail);
    let wrong = audit.reserve().unwrap_err().to_string();
    assert!(
        wrong.starts_with("cannot write the audit to `") && wrong.contains("missing"),
        "{wrong}"
    );
    assert!(
        Audit::to(folder.path()).reserve().is_err(),
        "a folder is no file"
    );
    assert!(from_value::<Audit>(json!({"path": "a"})).is_err());
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt;

    let folder = TempDir::new().unwrap();
    let file = folder.path().join("audit.jsonl");
    drop(Audit::to(&file).reserve().unwrap());
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
}
