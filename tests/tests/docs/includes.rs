//! The book's sources are read as they are: what a page takes from a file stands in the page, word for word.
//!
//! `<!-- from FILE -->` before a fenced block says what it holds, `<!-- from FILE:PART -->` a part between the lines
//! `ANCHOR: PART` and `ANCHOR_END: PART`, and `FILE:use` the imports with which a Rust file begins.

use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    architecture::{root, rust_files},
    book::{markdown, written},
};

/// Set to `overwrite`, it writes the blocks anew; a fenced `{{#include FILE:PART}}` becomes such a block.
const VARIABLE: &str = "HOOKS_DOCS";

fn pages() -> Vec<PathBuf> {
    let mut pages = written();
    pages.push(root().join("README.md"));
    pages
}

/// What `FILE` or `FILE:PART` holds, as seen from `page`.
fn taken(page: &Path, from: &str) -> Result<String, String> {
    let (file, part) = from.split_once(':').unwrap_or((from, ""));
    let path = page.parent().expect("a folder").join(file);
    let text = fs::read_to_string(path).map_err(|error| format!("{from}: {error}"))?;
    let mut lines: Vec<&str> = match part {
        "" => text.lines().collect(),
        "use" => imports(&text),
        part => {
            let is =
                |line: &&str, mark: &str| line.trim_end().ends_with(&format!("{mark}: {part}"));
            let lines = text.lines().skip_while(|line| !is(line, "ANCHOR"));
            lines
                .skip(1)
                .take_while(|line| !is(line, "ANCHOR_END"))
                .collect()
        }
    };
    lines.retain(|line| !line.contains("ANCHOR: ") && !line.contains("ANCHOR_END: "));
    match lines.iter().find(|line| line.starts_with("```")) {
        _ if lines.is_empty() => Err(format!("{from}: nothing is there")),
        Some(_) => Err(format!("{from}: a fence would end the block")),
        None => Ok(lines.join("\n") + "\n"),
    }
}

/// The `use` items that come first, with the blank lines between them.
fn imports(text: &str) -> Vec<&str> {
    let mut open = false;
    let mut lines: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("use "))
        .take_while(|line| {
            let goes_on = open || line.is_empty() || line.starts_with("use ");
            open = goes_on && !line.is_empty() && !line.ends_with(';');
            goes_on
        })
        .collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// The page as it should be.
fn renewed(page: &Path, text: &str, problems: &mut Vec<String>) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let marked = line.strip_prefix("<!-- from ");
        let marked = marked.and_then(|rest| rest.strip_suffix(" -->"));
        let raw = lines
            .peek()
            .and_then(|next| next.strip_prefix("{{#include "));
        let raw = raw.and_then(|rest| rest.strip_suffix("}}"));
        let (from, fence) = match (marked, raw) {
            (Some(from), _) => (from, lines.next().unwrap_or_default()),
            (None, Some(from)) if line.starts_with("```") => (from, line),
            _ => {
                _ = writeln!(out, "{line}");
                continue;
            }
        };
        if !fence.starts_with("```") {
            problems.push(format!("{from}: no fenced block follows"));
        }
        let held = taken(page, from).unwrap_or_else(|problem| {
            problems.push(problem);
            String::new()
        });
        _ = write!(out, "<!-- from {from} -->\n{fence}\n{held}```\n");
        // What the block held before.
        lines.by_ref().find(|line| *line == "```");
    }
    out
}

#[test]
fn every_page_holds_what_it_takes_from_files() {
    let overwrite = std::env::var(VARIABLE).is_ok_and(|value| value == "overwrite");
    let mut problems = Vec::new();
    let mut checked = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("UTF-8");
        let mut found = Vec::new();
        let renewed = renewed(&page, &text, &mut found);
        checked += renewed.matches("<!-- from ").count();
        if renewed.contains("{{#include") {
            found.push("an `{{#include …}}` is not alone in its block".to_owned());
        }
        if found.is_empty() && renewed != text {
            if overwrite {
                fs::write(&page, &renewed).expect("the page is written");
            } else {
                found.push(format!(
                    "a block is not what its file holds: run with `{VARIABLE}=overwrite`"
                ));
            }
        }
        problems.extend(
            found
                .iter()
                .map(|problem| format!("{}: {problem}", page.display())),
        );
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(checked > 200, "{checked}");
}

/// Words of the hand-written blocks of Rust that no test can compile: each needs a folder or a package of the author.
const NOT_COMPILED: [&str; 3] = [
    "guidance::dir!(",
    "hooks_sdk::link!(",
    "cargo::rerun-if-changed=",
];

#[test]
fn every_other_block_of_rust_is_compiled_by_a_test() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("UTF-8");
        let mut before = "";
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let line = line.trim_start_matches("> ");
            if line.starts_with("```rust") && !before.starts_with("<!-- from ") {
                let code: Vec<&str> = lines
                    .by_ref()
                    .take_while(|line| !line.trim_start_matches("> ").starts_with("```"))
                    .collect();
                let code = code.join("\n");
                if !NOT_COMPILED.iter().any(|word| code.contains(word)) {
                    broken.push(format!("{}:\n{code}", page.display()));
                }
            }
            before = line;
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
}

/// A block of a README that is also in a doc comment is compiled only there.
#[test]
fn a_block_of_a_readme_that_no_test_compiles_stands_in_a_doc_comment_of_its_package() {
    let mut found = 0;
    for package in fs::read_dir(root().join("hooks-sdk")).expect("the packages") {
        let package = package.expect("a package").path();
        let Ok(text) = fs::read_to_string(package.join("README.md")) else {
            continue;
        };
        let commented = |file: &PathBuf| {
            let source = fs::read_to_string(file).expect("UTF-8");
            let lines = source.lines().filter_map(|line| line.strip_prefix("///"));
            let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
            let shown: Vec<&str> = lines.filter(|line| !line.starts_with("# ")).collect();
            shown.join("\n")
        };
        let comments: String = rust_files(&package.join("src"))
            .iter()
            .map(commented)
            .collect();
        for block in text.split("```rust,ignore\n").skip(1) {
            let code = block.split("```").next().unwrap_or_default();
            let code = code[imports(code).join("\n").len()..].trim();
            assert!(comments.contains(code), "{}:\n{code}", package.display());
            found += 1;
        }
    }
    assert_eq!(found, 3);
}

#[test]
fn imports_end_where_the_code_begins() {
    let text = "//! A page.\n\nuse std::io;\n\nuse a::{\n    b,\n    c,\n};\n\n// More.\nuse d;\n";
    assert_eq!(
        imports(text).join("\n"),
        "use std::io;\n\nuse a::{\n    b,\n    c,\n};"
    );
}

#[test]
fn every_page_is_in_the_summary() {
    let folder = root().join("docs/src");
    let summary = fs::read_to_string(folder.join("SUMMARY.md")).expect("the summary");
    for page in markdown(&folder) {
        let name = page.strip_prefix(&folder).expect("a page of the book");
        let name = name.to_string_lossy();
        let listed = name == "SUMMARY.md" || summary.contains(&format!("({name})"));
        assert!(listed, "`{name}` is not in the summary");
    }
}
