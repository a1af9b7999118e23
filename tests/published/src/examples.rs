//! Every public type that an author names has an example in its documentation.
//!
//! Authors name the types that the book's code and the prelude take out of the SDK. Errors are left out: `?` takes them along.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::{file, root};

/// Names that are those of another type in the code of the book.
const OTHERS: [&str; 1] = ["Side"];

/// The files below a folder whose names end so.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found
}

/// The types in a text of code: words that begin with a capital letter.
fn types(code: &str) -> impl Iterator<Item = String> + '_ {
    let words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words
        .filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase()))
        .map(str::to_owned)
}

/// The types that the book's code, the template and the prelude take out of the SDK.
fn named() -> BTreeSet<String> {
    let root = root();
    let mut texts = vec![file("README.md")];
    for (folder, ending) in [
        ("docs/src", ".md"),
        ("docs/snippets", ".rs"),
        ("examples/template", ".rs"),
    ] {
        let found = files(&root.join(folder), ending);
        let is_guide = |path: &&PathBuf| !path.starts_with(root.join("docs/src/reference"));
        texts.extend(
            found
                .iter()
                .filter(is_guide)
                .map(|path| fs::read_to_string(path).expect("UTF-8")),
        );
    }
    let prelude = file("hooks-sdk/src/prelude.rs");
    let mut named: BTreeSet<String> = prelude
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(types)
        .collect();
    for text in &texts {
        let uses = text.split("use hooks_sdk::").skip(1);
        named.extend(
            uses.filter_map(|rest| rest.split(';').next())
                .flat_map(types),
        );
    }
    named.retain(|name| {
        !name.ends_with("Error") && !name.ends_with("Errors") && name != "ErrorObject"
    });
    named
}

#[test]
fn every_type_that_an_author_names_has_an_example() {
    let named = named();
    let (mut with, mut without) = (0, Vec::new());
    for path in files(&root().join("hooks-sdk"), ".rs") {
        let source = fs::read_to_string(&path).expect("UTF-8");
        // A macro writes the payloads of plugins.
        let mut written = false;
        let lines = source.lines().map(|line| {
            written = line == "payload! {" || written && line != "}";
            line.strip_prefix("    ")
                .filter(|_| written)
                .unwrap_or(line)
        });
        let lines: Vec<&str> = lines.collect();
        for (at, line) in lines.iter().enumerate() {
            let item = ["pub struct ", "pub enum ", "pub trait "];
            let Some(rest) = item.iter().find_map(|item| line.strip_prefix(item)) else {
                continue;
            };
            let name = types(rest).next().unwrap_or_default();
            if !named.contains(&name) || OTHERS.contains(&&*name) {
                continue;
            }
            let above = lines[..at].iter().rev();
            let above: Vec<&&str> = above
                .take_while(|line| !line.is_empty() && **line != "}")
                .collect();
            let documented = above.iter().any(|line| line.starts_with("/// "));
            let left_out = ["doc(hidden)", "#[error("];
            let left_out = |line: &&&str| left_out.iter().any(|mark| line.contains(mark));
            if !documented || above.iter().any(left_out) {
                continue;
            }
            if above.iter().any(|line| line.starts_with("/// ```")) {
                with += 1;
            } else {
                without.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(without.is_empty(), "no example:\n{}", without.join("\n"));
    assert!(with > 90, "{with}");
}
