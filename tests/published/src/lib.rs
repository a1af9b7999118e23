//! The packages are ready to be published: metadata, licences, links, examples, features, and the listing of the API.

#![cfg(test)]

mod api;
mod examples;
mod features;
mod links;
mod metadata;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// The folder of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository")
}

/// The text of a file of the repository.
fn file(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Runs cargo in the repository, and returns its standard output.
fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The packages that are published, as `cargo metadata` describes them.
fn published() -> Vec<Value> {
    let metadata = cargo(&["metadata", "--format-version", "1", "--no-deps"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .filter(|package| package["publish"].is_null())
        .cloned()
        .collect()
}
