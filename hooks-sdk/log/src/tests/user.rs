//! The chain of a user.

use std::{fs, thread};

use super::{KEYS, lines, verified};
use crate::{
    DecisionEntry, DecisionLog, LogDecision, LogEnd, LogError, LogSettings, Posture, UserChain,
    file::put_aside,
};

fn gate(number: usize) -> [DecisionEntry; 2] {
    let id = format!("id-{number}");
    let point = "agent_tool_pre_invoke";
    [
        DecisionEntry::call(&*id, point, "Bash"),
        DecisionEntry::decided(&*id, point, "Bash", LogDecision::Denied, LogEnd::Refused),
    ]
}

#[test]
fn many_processes_append_to_one_chain() {
    let folder = tempfile::tempdir().unwrap();
    let (file, keys) = (
        folder.path().join("gates.jsonl"),
        folder.path().join("keys"),
    );
    fs::write(&keys, KEYS).unwrap();
    let mut settings = LogSettings::new(&file, Posture::Deny);
    settings.key_file = Some(keys);
    settings.max_bytes = 20_000;
    settings.keep = 100;
    thread::scope(|scope| {
        for process in 0..4 {
            let settings = &settings;
            scope.spawn(move || {
                for at in 0..25 {
                    // Each one is a process of its own.
                    let chain = UserChain::new(settings.clone()).unwrap();
                    chain.append(gate(process * 100 + at)).unwrap();
                }
            });
        }
    });
    let mut files = put_aside(&file).unwrap();
    files.sort();
    assert!(files.len() > 1);
    files.push(file);
    let files: Vec<_> = files.iter().map(std::path::PathBuf::as_path).collect();
    let found = verified(&files, KEYS);
    assert_eq!((found.faults, found.chains.len()), (vec![], 1));
    assert_eq!(found.chains[0].unsigned, Some(0));
    // The start, two lines a process, and the first line of each further file.
    assert_eq!(found.lines, 1 + 200 + files.len() as u64 - 1);
}

#[test]
fn who_holds_the_lock_stops_nobody_for_long() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gates.jsonl");
    let lock = fs::File::create(folder.path().join("gates.jsonl.lock")).unwrap();
    lock.lock().unwrap();
    for posture in [Posture::Deny, Posture::Proceed] {
        let chain = UserChain::new(LogSettings::new(&file, posture)).unwrap();
        let error = chain.append(gate(0)).unwrap_err();
        assert!(matches!(error, LogError::Locked { .. }), "{error}");
    }
    drop(lock);
    let chain = UserChain::new(LogSettings::new(&file, Posture::Deny)).unwrap();
    chain.append(gate(0)).unwrap();
    assert_eq!(lines(&file).len(), 3);
}

#[test]
fn half_a_line_of_a_killed_process_spoils_no_other_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gates.jsonl");
    let chain = UserChain::new(LogSettings::new(&file, Posture::Deny)).unwrap();
    chain.append(gate(0)).unwrap();
    let whole = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{whole}{{\"chain\":\"ha")).unwrap();
    chain.append(gate(1)).unwrap();
    let found = verified(&[&file], "");
    assert_eq!(found.faults, []);
    assert!(
        found
            .unknown
            .iter()
            .any(|unknown| unknown.contains("half a line"))
    );
}

#[test]
fn the_chain_is_beside_its_log_and_has_its_masks() {
    let folder = tempfile::tempdir().unwrap();
    let log = DecisionLog::to(folder.path().join("log.jsonl"), Posture::Deny).mask("item");
    let chain = log.user_chain().unwrap();
    chain.append(gate(0)).unwrap();
    chain.append(gate(1)).unwrap();
    let file = folder.path().join("log.user.jsonl");
    assert!(!fs::read_to_string(&file).unwrap().contains("Bash"));
    assert!(verified(&[&file], "").is_whole());
}

#[test]
fn a_file_that_is_no_chain_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gates.jsonl");
    fs::write(&file, "no chain\n").unwrap();
    let chain = UserChain::new(LogSettings::new(&file, Posture::Deny)).unwrap();
    let error = chain.append(gate(0)).unwrap_err().to_string();
    assert!(error.contains("move the file away"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "no chain\n");
}

#[test]
fn the_last_line_is_found_behind_long_lines() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gates.jsonl");
    let chain = UserChain::new(LogSettings::new(&file, Posture::Deny)).unwrap();
    for length in [10, 9_000, 30_000, 10] {
        let mut entry = DecisionEntry::call("id", "agent_tool_pre_invoke", "Bash");
        entry.contents(Some(&"x".repeat(length).into()), None);
        chain.append([entry]).unwrap();
    }
    let found = verified(&[&file], "");
    assert_eq!(
        (found.faults, found.chains.len(), found.lines),
        (vec![], 1, 5)
    );
}
