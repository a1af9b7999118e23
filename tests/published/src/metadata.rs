//! Each published package has all that a registry shows, and both licence texts.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{cargo, file, published};

/// In the order of publication: each depends on earlier ones only.
const ORDER: [&str; 14] = [
    "hooks-text",
    "hooks-macros",
    "hooks-core",
    "hooks-http",
    "hooks-finder",
    "hooks-log",
    "hooks-plugin",
    "hooks-mcpl",
    "hooks-aos",
    "hooks-server",
    "hooks-testing",
    "hooks-clients",
    "cargo-hooks",
    "hooks-sdk",
];

/// The text of a member that a published package must have.
fn text<'p>(package: &'p Value, member: &str) -> &'p str {
    let value = package[member].as_str().unwrap_or_default();
    assert!(!value.is_empty(), "{}: no `{member}`", package["name"]);
    value
}

fn words(package: &Value, member: &str) -> Vec<String> {
    let words = package[member].as_array().expect("a list");
    assert!(!words.is_empty(), "{}: no `{member}`", package["name"]);
    // The registry refuses a sixth.
    assert!(words.len() <= 5, "{}: {member}", package["name"]);
    let word = |word: &Value| word.as_str().expect("a word").to_owned();
    words.iter().map(word).collect()
}

#[test]
fn every_published_package_has_what_a_registry_shows() {
    let packages = published();
    let names: BTreeSet<&str> = packages
        .iter()
        .map(|package| text(package, "name"))
        .collect();
    assert_eq!(names, ORDER.into_iter().collect());
    for package in &packages {
        let name = text(package, "name");
        assert_eq!(text(package, "license"), "MIT OR Apache-2.0", "{name}");
        assert_eq!(text(package, "rust_version"), "1.89", "{name}");
        assert_eq!(
            text(package, "documentation"),
            format!("https://docs.rs/{name}")
        );
        assert!(
            text(package, "repository").starts_with("https://"),
            "{name}"
        );
        assert!(text(package, "homepage").starts_with("https://"), "{name}");
        assert_ne!(
            text(package, "homepage"),
            text(package, "repository"),
            "{name}"
        );
        assert!(text(package, "readme").ends_with("README.md"), "{name}");
        assert!(text(package, "description").len() <= 200, "{name}");
        for keyword in words(package, "keywords") {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_+".contains(c);
            assert!(
                keyword.len() <= 20 && keyword.chars().all(plain),
                "{name}: {keyword}"
            );
        }
        words(package, "categories");
        let docs = &package["metadata"]["docs"]["rs"];
        assert_eq!(docs["all-features"], true, "{name}");
        assert_eq!(
            docs["rustdoc-args"],
            serde_json::json!(["--cfg", "docsrs"]),
            "{name}"
        );
    }
}

#[test]
fn every_package_holds_both_licences_and_a_readme() {
    for name in ORDER {
        let files = cargo(&[
            "package",
            "--list",
            "--allow-dirty",
            "--quiet",
            "--package",
            name,
        ]);
        let files: BTreeSet<&str> = files.lines().collect();
        for needed in [
            "Cargo.toml",
            "LICENSE-APACHE",
            "LICENSE-MIT",
            "README.md",
            "src/lib.rs",
        ] {
            assert!(files.contains(needed), "{name}: no `{needed}`");
        }
    }
}

#[test]
fn the_licence_of_a_package_is_that_of_the_repository() {
    for package in published() {
        let manifest = text(&package, "manifest_path");
        let folder = std::path::Path::new(manifest).parent().expect("a folder");
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let own = std::fs::read_to_string(folder.join(licence)).expect("a licence");
            assert_eq!(own, file(licence), "{manifest}");
        }
    }
}

/// Items say which feature they need, where a package has features.
#[test]
fn every_package_with_features_shows_them_in_its_documentation() {
    for package in published() {
        let features = package["features"].as_object().expect("features");
        let target = package["targets"].as_array().and_then(|targets| {
            let library = |target: &&Value| target["kind"] == serde_json::json!(["lib"]);
            targets.iter().find(library)
        });
        let (Some(target), false) = (target, features.is_empty()) else {
            continue;
        };
        let source = std::fs::read_to_string(text(target, "src_path")).expect("a source");
        let shown = source.contains("#![cfg_attr(docsrs, feature(doc_cfg))]");
        assert!(shown, "{}: no `doc_cfg`", package["name"]);
    }
}

/// The lints of the workspace forbid `unsafe`, and each package takes them.
#[test]
fn every_package_forbids_unsafe_code() {
    let workspace = file("Cargo.toml");
    let (_, lints) = workspace
        .split_once("[workspace.lints.rust]")
        .expect("lints");
    assert!(lints.contains("unsafe_code = \"forbid\""), "{lints}");
    for package in published() {
        let manifest = text(&package, "manifest_path");
        let manifest = std::fs::read_to_string(manifest).expect("a manifest");
        let taken = manifest.contains("\n[lints]\nworkspace = true\n");
        assert!(
            taken,
            "{}: `[lints]` has no `workspace = true`",
            package["name"]
        );
    }
}
