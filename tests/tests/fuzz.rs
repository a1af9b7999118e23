//! The inputs of the fuzzers, run as ordinary tests.

use std::{
    fs,
    path::{Path, PathBuf},
};

#[path = "../fuzz/targets/fire.rs"]
mod fire;
#[path = "../fuzz/targets/mcpl.rs"]
mod mcpl;

/// The files in these folders of this package, also in folders in them.
fn inputs(folders: &[&str]) -> Vec<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open: Vec<PathBuf> = folders.iter().map(|each| package.join(each)).collect();
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            open.extend(entries.map(|entry| entry.unwrap().path()));
        } else {
            files.push(path);
        }
    }
    files
}

/// Runs `check` on every input, and on its beginnings.
fn replay(folders: &[&str], at_least: usize, check: fn(&[u8])) {
    let files = inputs(folders);
    assert!(files.len() >= at_least, "{} inputs", files.len());
    for file in files {
        let input = fs::read(&file).unwrap();
        for part in 0..=8 {
            check(&input[..input.len() * part / 8]);
        }
    }
}

#[test]
fn any_input_of_a_hook_is_answered() {
    let folders = [
        "fuzz/seeds/fire",
        "fixtures/clients/claude-code",
        "fixtures/clients/codex",
        "fixtures/clients/gemini",
    ];
    replay(&folders, 20, fire::check);
}

#[test]
fn any_json_is_read_or_refused_by_every_type_of_mcpl() {
    replay(&["fuzz/seeds/mcpl"], 10, mcpl::check);
}
