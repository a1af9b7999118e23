//! The public API of each package is the recorded one: a change of it is seen in the review.
//!
//! Rustdoc lists it, by the unstable output that [`public_api`] reads. Blanket, automatic and derived implementations are left out.

use std::{fmt::Write, fs, path::PathBuf, process::Command};

use public_api::Builder;

use crate::{published, root};

/// Set to `overwrite`, it records the API anew.
const VARIABLE: &str = "HOOKS_API";

/// Has rustdoc describe every package, and returns the folder of the descriptions.
fn described() -> PathBuf {
    let mut doc = Command::new(env!("CARGO"));
    doc.arg("doc");
    for package in published() {
        doc.args(["--package", package["name"].as_str().expect("a name")]);
    }
    let status = doc
        .args(["--no-deps", "--all-features", "--quiet"])
        .env("RUSTDOC", root().join(".ci/rustdoc"))
        .env("RUSTDOCFLAGS", "-Zunstable-options --output-format json")
        .current_dir(root())
        .status()
        .expect("cargo runs");
    assert!(status.success(), "rustdoc fails: see above");
    let target = std::env::var_os("CARGO_TARGET_DIR");
    target
        .map_or_else(|| root().join("target"), PathBuf::from)
        .join("doc")
}

#[test]
#[ignore = "rustdoc describes every package, for minutes"]
fn the_public_api_is_the_recorded_one() {
    let described = described();
    let mut changes = String::new();
    for package in published() {
        let name = package["name"].as_str().expect("a name");
        let json = described.join(format!("{}.json", name.replace('-', "_")));
        let api = Builder::from_rustdoc_json(&json)
            .omit_blanket_impls(true)
            .omit_auto_trait_impls(true)
            .omit_auto_derived_impls(true)
            .build()
            .unwrap_or_else(|error| panic!("{}: {error}", json.display()));
        let mut listing = String::new();
        for item in api.items() {
            _ = writeln!(listing, "{item}");
        }
        let record = root().join(format!("tests/published/api/{name}.txt"));
        if std::env::var(VARIABLE).is_ok_and(|value| value == "overwrite") {
            fs::write(&record, listing).expect("the record is written");
            continue;
        }
        let recorded = fs::read_to_string(&record).unwrap_or_default();
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let (old, new) = (lines(&recorded), lines(&listing));
        for line in old.iter().filter(|line| !new.contains(line)) {
            _ = writeln!(changes, "{name}: - {line}");
        }
        for line in new.iter().filter(|line| !old.contains(line)) {
            _ = writeln!(changes, "{name}: + {line}");
        }
    }
    assert!(
        changes.is_empty(),
        "the public API changed; if it was meant, run with `{VARIABLE}=overwrite`, and add a line to CHANGELOG.md:\n{changes}"
    );
}
