//! What a receipt costs: in a process of its own, beside one that does nothing, and in a process that runs.
//!
//! The bench starts itself again: `receipts record FILE` is such a process, as a client's hook command would be.

use std::{
    env,
    path::Path,
    process::{Command, Stdio},
};

use criterion::Criterion;
use hooks_sdk::clients::history::{FiringReceipt, HookStore, now};

/// So many firings are on file before.
const FIRINGS: usize = 10_000;

fn firing(number: usize) -> FiringReceipt {
    let session = format!("b6ea8af8-4d0b-4ec1-9d8e-{:012}", number / 50);
    FiringReceipt::new("after_commit", session, "claude-code", "post_tool_use")
}

/// What `hooks fire` does with the store for a hook with a cool-down.
fn one(store: &HookStore) {
    // Every now and then another session, so that none grows without end.
    let firing = firing(now() as usize / 10);
    let recent = store.recent_firings(&firing.session, now() - 60_000);
    assert!(recent.is_ok(), "{recent:?}");
    let recorded = store.record_firings(&[firing]);
    assert!(recorded.is_ok(), "{recorded:?}");
}

fn start(words: &[&str], file: &Path) {
    let this = env::current_exe().expect("a path of this program");
    let mut command = Command::new(if words == ["true"] {
        "/bin/true".into()
    } else {
        this
    });
    command
        .args(words)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    assert!(command.status().expect("a process").success());
}

fn receipts(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("hooks.db");
    let fill = HookStore::open(&file);
    let all: Vec<FiringReceipt> = (0..FIRINGS).map(firing).collect();
    fill.record_firings(&all).expect("a file to write to");
    drop(fill);

    let mut processes = criterion.benchmark_group("a process");
    for words in ["true", "nothing", "record", "first"] {
        processes.bench_function(words, |bencher| bencher.iter(|| start(&[words], &file)));
    }
    let running = HookStore::open(&file);
    running.last_firings("").expect("a file");
    running.mark("the server's", "start").expect("a file");
    processes.bench_function("record, the server running", |bencher| {
        bencher.iter(|| start(&["record"], &file));
    });
    processes.finish();

    let mut calls = criterion.benchmark_group("a call");
    calls.bench_function("open, read, record, close", |bencher| {
        bencher.iter(|| one(&HookStore::open(&file)));
    });
    calls.bench_function("read, record", |bencher| bencher.iter(|| one(&running)));
    calls.finish();
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["nothing", _] => {}
        ["record", file] => one(&HookStore::open(file)),
        ["first", file] => {
            let file = format!("{file}.{}", std::process::id());
            one(&HookStore::open(&file));
            for end in ["", "-wal", "-shm"] {
                _ = std::fs::remove_file(format!("{file}{end}"));
            }
        }
        _ => {
            let mut criterion = Criterion::default().configure_from_args();
            receipts(&mut criterion);
            criterion.final_summary();
        }
    }
}
