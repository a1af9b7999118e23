//! The inputs of the fuzzers, given to a target without a fuzzer.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Runs `check` on every file in these folders of this package, and on its beginnings.
///
/// # Panics
///
/// With fewer than `at_least` files, and where `check` panics.
pub fn replay(folders: &[&str], at_least: usize, check: fn(&[u8])) {
    let files = inputs(folders);
    assert!(files.len() >= at_least, "{} inputs", files.len());
    for file in files {
        let input = fs::read(&file).expect("a readable input");
        for part in 0..=8 {
            check(&input[..input.len() * part / 8]);
        }
    }
}

/// The files in these folders, also in folders in them.
fn inputs(folders: &[&str]) -> Vec<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open: Vec<PathBuf> = folders.iter().map(|each| package.join(each)).collect();
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(path).expect("a readable folder");
            open.extend(entries.map(|entry| entry.expect("a readable entry").path()));
        } else {
            files.push(path);
        }
    }
    files
}
