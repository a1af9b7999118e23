//! Pages and tables of the book that are made from the source are those of the source.

use std::fs;

use crate::{architecture::root, book::read};

/// Set to `overwrite`, it writes the pages again.
const VARIABLE: &str = "HOOKS_DOCS";

#[test]
fn pages_that_are_made_are_those_of_the_source() {
    let overwrite = std::env::var(VARIABLE).is_ok_and(|value| value == "overwrite");
    let mut old = Vec::new();
    for page in hooks_book::pages().expect("pages of the source") {
        let path = root().join("docs/src").join(page.path);
        if overwrite {
            fs::write(path, page.text).expect("the page is written");
        } else if read(&path) != page.text {
            old.push(page.path);
        }
    }
    assert!(
        old.is_empty(),
        "{old:?} are not what the source has: run with `{VARIABLE}=overwrite`"
    );
}

#[test]
fn the_page_of_clients_has_the_table_of_the_source() {
    let table = hooks_book::abilities_of_clients();
    let page = read(&root().join("docs/src/clients.md"));
    assert!(
        page.contains(&table),
        "clients.md needs this table:\n{table}"
    );
}

/// Each page shows the title of the book, and so the version.
#[test]
fn the_title_of_the_book_has_the_version() {
    let manifest = read(&root().join("Cargo.toml"));
    let version = manifest
        .lines()
        .find_map(|line| line.strip_prefix("version = "))
        .expect("a version")
        .trim_matches('"');
    let title = format!("title = \"hooks-sdk {version}\"");
    let book = read(&root().join("docs/book.toml"));
    assert!(book.contains(&title), "no `{title}`");
}
