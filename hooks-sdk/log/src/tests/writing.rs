//! The thread that writes.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use super::{KEYS, lines, verified};
use crate::{
    DecisionEntry, DecisionLog, LogDecision, LogEnd, LogError, LogKind, Posture, file::put_aside,
};

fn log(folder: &std::path::Path, posture: Posture) -> DecisionLog {
    let keys = folder.join("keys");
    fs::write(&keys, KEYS).unwrap();
    DecisionLog::to(folder.join("log.jsonl"), posture).key_file(keys)
}

fn call(log: &DecisionLog) -> DecisionEntry {
    DecisionEntry::call(log.decision_id(), "tools/call", "save")
}

#[tokio::test]
async fn a_line_is_in_the_file_when_it_is_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path(), Posture::Deny);
    for count in 1..=250 {
        log.acknowledged(call(&log)).await.unwrap();
        assert_eq!(lines(log.file()).len(), count + 1);
    }
    assert!(log.close(Duration::from_secs(5)));
    let found = verified(&[log.file()], KEYS);
    assert!(found.is_whole() && found.chains[0].ended, "{found:?}");
    assert_eq!(found.lines, 252);
    // Signed: the first line, each hundredth, and the last one.
    let signed = lines(log.file())
        .iter()
        .filter(|line| line.contains("\"sig\":"))
        .count();
    assert_eq!(signed, 4);
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_pipe_that_nobody_reads_stops_no_task() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let log = DecisionLog::to(&pipe, Posture::Deny).patience(Duration::from_millis(300));
    let beats = Arc::new(AtomicU32::new(0));
    let counted = beats.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(5)).await;
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    let error = log.acknowledged(call(&log)).await.unwrap_err();
    assert!(matches!(error, LogError::Behind { .. }), "{error}");
    // The only thread of the runtime was free while the call waited.
    let beats = beats.load(Ordering::Relaxed);
    assert!(beats >= 3, "{beats}");
    for _ in 0..20_000 {
        log.add(call(&log));
    }
    assert!(log.dropped() > 10_000, "the queue is bounded");
    let begun = Instant::now();
    drop(log);
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_refuses_or_counts() {
    let log = DecisionLog::to("/dev/full", Posture::Deny);
    let error = log.acknowledged(call(&log)).await.unwrap_err();
    assert!(error.to_string().contains("/dev/full"), "{error}");
    log.add(call(&log));
    log.close(Duration::from_secs(5));
    assert_eq!(log.dropped(), 2);
}

#[tokio::test]
async fn what_was_dropped_is_in_the_next_line_and_the_chain_stays_whole() {
    let folder = tempfile::tempdir().unwrap();
    let aside = folder.path().join("log");
    let log = DecisionLog::to(aside.join("log.jsonl"), Posture::Proceed);
    for _ in 0..3 {
        log.acknowledged(call(&log)).await.unwrap_err();
    }
    fs::create_dir(&aside).unwrap();
    log.acknowledged(call(&log)).await.unwrap();
    log.close(Duration::from_secs(5));
    let found = verified(&[log.file()], "");
    assert!(found.faults.is_empty());
    assert_eq!((found.chains[0].dropped, log.dropped()), (3, 3));
}

#[tokio::test]
async fn a_full_file_is_put_aside_and_the_chain_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path(), Posture::Deny).rotate(5_000, 100);
    for _ in 0..100 {
        log.acknowledged(call(&log)).await.unwrap();
    }
    log.close(Duration::from_secs(5));
    let mut files = put_aside(log.file()).unwrap();
    files.sort();
    assert!(files.len() > 3);
    files.push(log.file().to_owned());
    let files: Vec<_> = files.iter().map(std::path::PathBuf::as_path).collect();
    let found = verified(&files, KEYS);
    assert!(found.is_whole() && found.chains.len() == 1, "{found:?}");
    let later = verified(&files[2..], KEYS);
    assert!(later.faults.is_empty());
    assert!(later.unknown[0].contains("earlier files"), "{later:?}");
    assert!(!verified(&[files[0], files[2]], KEYS).is_whole());
}

#[cfg(unix)]
#[tokio::test]
async fn the_chain_ends_in_the_file_that_another_process_began() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path(), Posture::Deny);
    log.acknowledged(call(&log)).await.unwrap();
    let aside = folder.path().join("earlier.jsonl");
    fs::rename(log.file(), &aside).unwrap();
    assert!(log.close(Duration::from_secs(5)));
    let found = verified(&[&aside, log.file()], KEYS);
    assert!(found.is_whole() && found.chains[0].ended, "{found:?}");
    assert_eq!(found.chains[0].unsigned, Some(0));
    let last = lines(log.file());
    assert!(last[0].contains("\"kind\":\"rotate\"") && last[1].contains("\"kind\":\"end\""));
}

#[cfg(unix)]
#[tokio::test]
async fn a_foreign_lock_delays_the_putting_aside_and_loses_no_line() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path(), Posture::Deny).rotate(1_000, 100);
    log.acknowledged(call(&log)).await.unwrap();
    let held = fs::File::open(log.file()).unwrap();
    held.lock().unwrap();
    for _ in 0..50 {
        log.acknowledged(call(&log)).await.unwrap();
    }
    assert_eq!(put_aside(log.file()).unwrap().len(), 0);
    drop(held);
    log.acknowledged(call(&log)).await.unwrap();
    assert_eq!(put_aside(log.file()).unwrap().len(), 1);
    assert!(log.close(Duration::from_secs(5)));
}

#[tokio::test]
async fn a_last_line_that_is_not_written_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(&folder.path().join("."), Posture::Deny);
    log.acknowledged(call(&log)).await.unwrap();
    fs::remove_file(log.file()).unwrap();
    fs::create_dir(log.file()).unwrap();
    assert!(!log.close(Duration::from_secs(5)));
}

#[tokio::test]
async fn only_so_many_files_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path(), Posture::Deny).rotate(1_000, 2);
    for _ in 0..60 {
        log.acknowledged(call(&log)).await.unwrap();
    }
    assert_eq!(put_aside(log.file()).unwrap().len(), 2);
}

#[tokio::test]
async fn masked_bytes_are_not_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path(), Posture::Deny)
        .contents()
        .mask("arguments.password")
        .mask("arguments.people[*].email")
        .mask("answer");
    let mut entry = DecisionEntry::decided(
        log.decision_id(),
        "tools/call",
        "save",
        LogDecision::Allowed,
        LogEnd::Answered,
    );
    let arguments = serde_json::json!({
        "password": {"nested": "s3cret"},
        "people": [{"email": "s3cret@example.org", "name": "kim"}],
        "sig": "x",
    });
    entry.contents(Some(&arguments), Some(&"s3cret".into()));
    log.acknowledged(entry).await.unwrap();
    log.close(Duration::from_secs(5));
    let all = fs::read_to_string(log.file()).unwrap();
    assert!(all.contains("kim") && !all.contains("s3cret"), "{all}");
    assert!(verified(&[log.file()], KEYS).is_whole());
}

#[tokio::test]
async fn a_line_with_a_long_name_waits_shortened() {
    let mut entry = DecisionEntry::call("id", "tools/call", "n".repeat(1 << 20));
    entry.shorten();
    assert!(entry.item.len() <= 4_096, "{}", entry.item.len());
    let weight = entry.weight();
    entry.more.insert("a".to_owned(), "x".repeat(10_000).into());
    assert!(entry.weight() > weight + 10_000);
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_read_it_and_no_link_is_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path(), Posture::Deny);
    fs::write(log.file(), "").unwrap();
    fs::set_permissions(log.file(), fs::Permissions::from_mode(0o644)).unwrap();
    log.acknowledged(call(&log)).await.unwrap();
    let mode = fs::metadata(log.file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let (elsewhere, link) = (folder.path().join("elsewhere"), folder.path().join("link"));
    fs::write(&elsewhere, "").unwrap();
    symlink(&elsewhere, &link).unwrap();
    let log = DecisionLog::to(&link, Posture::Deny);
    let error = log.acknowledged(call(&log)).await.unwrap_err().to_string();
    assert!(error.contains("symbolic link"), "{error}");
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "");
}

#[test]
fn mistakes_in_keys_and_masks_are_errors_of_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    let log = || DecisionLog::to(&file, Posture::Deny);
    assert!(log().start().is_ok());
    assert!(log().mask("/arguments").start().is_err());
    assert!(log().key_file(folder.path().join("none")).start().is_err());
    for wrong in [
        "k1 hmac-sha256 00",
        "k1 hmac-sha256",
        "k1 md5 00",
        "k1 hmac-sha256 zz",
    ] {
        let keys = folder.path().join("keys");
        fs::write(&keys, wrong).unwrap();
        let error = log().key_file(keys).start().unwrap_err().to_string();
        assert!(error.contains("line 1"), "{error}");
    }
    assert_eq!(DecisionEntry::new(LogKind::Call, "").kind.as_str(), "call");
}
