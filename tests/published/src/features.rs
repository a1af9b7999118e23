//! The crate page's table of features is that of `Cargo.toml`, with the crates that each adds, and the bytes and the seconds that were measured.

use std::collections::{BTreeMap, BTreeSet};

use crate::{cargo, file, published};

/// Set to `overwrite`, it writes the numbers again.
const VARIABLE: &str = "HOOKS_DOCS";
const PAGE: &str = "hooks-sdk/src/lib.rs";
const HEADER: &str = "//! | feature | adds | crates | KiB | seconds |";
/// Written by `benches/features`: a feature, bytes, and seconds.
const MEASURED: &str = "benches/size/features.tsv";

/// The crates of a build with these features, without those of tests.
fn crates(features: &str) -> BTreeSet<String> {
    let tree = cargo(&[
        "tree",
        "--package",
        "hooks-sdk",
        "--no-default-features",
        "--features",
        features,
        "--edges",
        "normal,build",
        "--prefix",
        "none",
        "--format",
        "{p}",
    ]);
    let name = |line: &str| line.trim_end_matches(" (*)").to_owned();
    tree.lines().map(name).collect()
}

/// Each feature's number of crates, beside those that every build has.
fn counted() -> BTreeMap<String, usize> {
    let packages = published();
    let facade = packages
        .iter()
        .find(|package| package["name"] == "hooks-sdk");
    let features = facade.expect("the facade")["features"]
        .as_object()
        .expect("features");
    let without = crates("");
    let names = features.keys().filter(|name| *name != "default");
    let count = |name: &String| (name.clone(), crates(name).difference(&without).count());
    names.map(count).collect()
}

/// Each feature's KiB of the binary and seconds of the build, as the table has them.
fn measured() -> BTreeMap<String, [String; 2]> {
    let rows = file(MEASURED);
    let row = |line: &str| {
        let [feature, bytes, seconds] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{MEASURED}: {line}");
        };
        let bytes: f64 = bytes.parse().expect("bytes");
        let seconds: f64 = seconds.parse().expect("seconds");
        // A linker can also save some bytes.
        let whole = |value: f64| grouped(value.max(0.0).round() as u64);
        (feature.to_owned(), [whole(bytes / 1024.0), whole(seconds)])
    };
    rows.lines().map(row).collect()
}

/// A number with a comma before each three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<&str> = groups
        .map(|group| str::from_utf8(group).expect("digits"))
        .collect();
    groups.join(",")
}

#[test]
#[ignore = "cargo resolves each feature"]
fn the_table_of_features_is_that_of_the_manifest() {
    let page = file(PAGE);
    let counted = counted();
    let measured = measured();
    let mut rows = BTreeSet::new();
    let mut renewed = String::new();
    let mut inside = false;
    for line in page.lines() {
        inside = line.starts_with(HEADER) || inside && line.starts_with("//! |");
        let mut cells: Vec<String> = line.split(" | ").map(str::to_owned).collect();
        let named = cells.get(1).map(|cell| cell.trim_matches('`').to_owned());
        let feature = named.filter(|_| line.starts_with("//! | `"));
        if let (true, Some(feature)) = (inside, feature) {
            let count = counted.get(&feature);
            cells[3] = count
                .unwrap_or_else(|| panic!("no feature `{feature}`"))
                .to_string();
            // A new feature has no price until `benches/features` is run.
            let unknown = ["–".to_owned(), "–".to_owned()];
            let [size, time] = measured.get(&feature).unwrap_or(&unknown);
            cells[4] = size.clone();
            cells[5] = time.clone();
            assert!(rows.insert(feature), "a feature has two rows");
        }
        renewed.push_str(&cells.join(" | "));
        renewed.push('\n');
    }
    let missing: Vec<&String> = counted
        .keys()
        .filter(|name| !rows.contains(*name))
        .collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
    if std::env::var(VARIABLE).is_ok_and(|value| value == "overwrite") {
        std::fs::write(crate::root().join(PAGE), &renewed).expect("the page is written");
    } else {
        assert!(
            renewed == page,
            "the prices of features changed: run with `{VARIABLE}=overwrite`"
        );
    }
}
