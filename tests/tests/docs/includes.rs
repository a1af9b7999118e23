//! Every file, and every part of a file, that a page includes is there; mdBook only logs a missing one.

use std::{
    fs,
    path::{Path, PathBuf},
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src")
}

fn pages() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    let mut folders = vec![folder()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the book's pages") {
            let path = entry.expect("a page").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages
}

#[test]
fn what_is_included_is_there() {
    let mut broken = Vec::new();
    let mut checked = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("UTF-8");
        for rest in text.split("{{#include ").skip(1) {
            let include = rest.split("}}").next().expect("the first part");
            let (file, anchor) = include.split_once(':').unwrap_or((include, ""));
            let file = page.parent().expect("a folder").join(file);
            let included = fs::read_to_string(&file).unwrap_or_default();
            let found = anchor.is_empty() || included.contains(&format!("ANCHOR: {anchor}\n"));
            if included.is_empty() || !found {
                broken.push(format!("{}: {include}", page.display()));
            }
            checked += 1;
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(checked > 0);
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = fs::read_to_string(folder().join("SUMMARY.md")).expect("the summary");
    for page in pages() {
        let name = page.strip_prefix(folder()).expect("below the folder");
        let name = name.to_string_lossy();
        let listed = name == "SUMMARY.md" || summary.contains(&format!("({name})"));
        assert!(listed, "`{name}` is not in the summary");
    }
}
