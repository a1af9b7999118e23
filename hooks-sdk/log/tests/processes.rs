//! The log and whole processes: killed ones, and several with one file.

#![cfg(unix)]

use std::{
    collections::BTreeSet,
    env, fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use rustix::process::{Resource, Rlimit, setrlimit};

use hooks_log::{DecisionEntry, DecisionLog, LogKeys, LogVerifier, Posture, Verified, files_of};

/// The variable with the file of a child, and the one with how many lines it writes.
const FILE: &str = "HOOKS_LOG_TEST_FILE";
const COUNT: &str = "HOOKS_LOG_TEST_COUNT";
/// The variable with a number of bytes. The operating system cuts the line that passes it, and kills who writes on.
const BYTES: &str = "HOOKS_LOG_TEST_BYTES";
const KEYS: &str =
    "k1 hmac-sha256 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// In a child: writes lines, and prints the id of each one that is acknowledged. In a test run it has nothing to do.
#[test]
fn child() {
    let Ok(file) = env::var(FILE) else {
        return;
    };
    let count: usize = env::var(COUNT).unwrap().parse().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let mut log = DecisionLog::to(&file, Posture::Deny).rotate(60_000, 1_000);
    if let Ok(bytes) = env::var(BYTES) {
        let bytes: u64 = bytes.parse().unwrap();
        let size = fs::metadata(&file).map_or(0, |file| file.len());
        let at_most = |most| Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        setrlimit(Resource::Core, at_most(0)).unwrap();
        setrlimit(Resource::Fsize, at_most(size + bytes)).unwrap();
        // The limit counts from the start of a file, so that this one stays.
        log = log.rotate(u64::MAX, 1_000);
    }
    runtime.unwrap().block_on(async {
        let mut out = std::io::stdout();
        for _ in 0..count {
            let id = log.decision_id();
            let entry = DecisionEntry::call(id.clone(), "tools/call", "save");
            log.acknowledged(entry).await.unwrap();
            writeln!(out, "ack {id}")
                .and_then(|()| out.flush())
                .unwrap();
        }
    });
    assert!(log.close(Duration::from_secs(30)));
}

fn start(file: &Path, count: usize) -> Child {
    starting(file, count).spawn().unwrap()
}

fn starting(file: &Path, count: usize) -> Command {
    let mut child = Command::new(env::current_exe().unwrap());
    child
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(FILE, file)
        .env(COUNT, count.to_string())
        .env("HOOKS_LOG_KEYS", KEYS)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    child
}

/// Reads what a child acknowledged, until its end.
fn acknowledged(child: &mut Child) -> BTreeSet<String> {
    let out = BufReader::new(child.stdout.take().unwrap());
    let lines = out.lines().map_while(Result::ok);
    // The last line may be half a line.
    lines
        .filter_map(|line| Some(line.split_once("ack ")?.1.to_owned()))
        .filter(|id| id.contains('-'))
        .collect()
}

fn verified(file: &Path) -> (Verified, BTreeSet<String>) {
    let mut verifier = LogVerifier::new(Vec::new()).keys(LogKeys::parse(KEYS).unwrap());
    let mut ids = BTreeSet::new();
    for file in files_of(file).unwrap() {
        for line in fs::read(file).unwrap().split(|byte| *byte == b'\n') {
            if line.is_empty() {
                continue;
            }
            verifier.line(line);
            if let Ok(line) = serde_json::from_slice::<serde_json::Value>(line)
                && let Some(id) = line["decision_id"].as_str()
            {
                ids.insert(id.to_owned());
            }
        }
    }
    (verifier.end(), ids)
}

#[test]
fn kill_at_any_moment_loses_nothing_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    let mut all = BTreeSet::new();
    for at in 0..40 {
        let mut child = start(&file, usize::MAX);
        thread::sleep(Duration::from_micros(20_000 + 1_700 * at));
        child.kill().unwrap();
        all.extend(acknowledged(&mut child));
        child.wait().unwrap();
    }
    let (verified, ids) = verified(&file);
    assert!(all.len() > 100, "{}", all.len());
    // The last word of a child can be cut.
    let lost: Vec<_> = all.iter().filter(|id| !ids.contains(*id)).collect();
    let is_cut = |id: &str| ids.iter().any(|whole| whole.starts_with(id));
    assert!(lost.iter().all(|id| is_cut(id)), "{lost:?}");
    assert_eq!(verified.faults, []);
    assert!(verified.chains.iter().all(|chain| chain.dropped == 0));
}

#[test]
fn an_end_inside_each_line_loses_nothing_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    let mut all = BTreeSet::new();
    for at in 0..60_usize {
        let mut child = starting(&file, usize::MAX);
        // A line has about 200 bytes: each child ends in another line, at another byte of it.
        let bytes = 200 * at + 7 * at;
        let mut child = child.env(BYTES, bytes.to_string()).spawn().unwrap();
        let acknowledged = acknowledged(&mut child);
        assert!(!child.wait().unwrap().success());
        // The first line is the chain's own.
        assert!(acknowledged.len() <= at.max(1));
        all.extend(acknowledged);
    }
    let (verified, ids) = verified(&file);
    assert!(all.len() > 1_000 && all.is_subset(&ids), "{}", all.len());
    assert_eq!(verified.faults, []);
}

#[test]
fn four_processes_share_a_folder_and_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    let mut children: Vec<_> = (0..4).map(|_| start(&file, 500)).collect();
    let mut all = BTreeSet::new();
    for child in &mut children {
        all.extend(acknowledged(child));
        assert!(child.wait().unwrap().success());
    }
    let (verified, ids) = verified(&file);
    assert_eq!(all.len(), 2_000);
    assert_eq!(ids, all);
    assert_eq!((verified.faults, verified.chains.len()), (vec![], 4));
    assert!(
        verified
            .chains
            .iter()
            .all(|chain| chain.ended && chain.unsigned == Some(0))
    );
    assert!(files_of(&file).unwrap().len() > 5, "the file was put aside");
}
