//! The page of conformance names files, items and tests that exist.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    architecture::{root, rust_files},
    book::read,
};

/// The words behind which a name is declared.
const DECLARES: &str = "fn struct enum trait const mod type macro_rules!";

/// The names that packages declare, by package.
type Names = BTreeMap<&'static str, BTreeSet<String>>;

/// The names that a package declares. A type in a macro of ours has a line of its own: its name and a brace.
fn declared(package: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in rust_files(&root().join("hooks-sdk").join(package).join("src")) {
        for line in read(&file).lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_item = |at: usize| at > 0 && DECLARES.split(' ').any(|it| it == words[at - 1]);
            let opens = words.get(1) == Some(&"{") && words.len() == 2;
            for (at, word) in words.iter().enumerate() {
                if is_item(at) || opens && at == 0 {
                    let end = word.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
                    names.insert(word[..end.unwrap_or(word.len())].to_owned());
                }
            }
        }
    }
    names
}

/// The names in backticks of a cell.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Whether it is a file of the repository, or an item such as `hooks_mcpl::wire::Scope`.
fn is_code(name: &str, names: &Names) -> bool {
    let Some((package, path)) = name
        .strip_prefix("hooks_")
        .and_then(|it| it.split_once("::"))
    else {
        return root().join(name).is_file();
    };
    let names = names.get(package);
    names.is_some_and(|names| path.split("::").all(|segment| names.contains(segment)))
}

/// Whether it is a file of the repository, or `file::test` with the attribute of a test.
fn is_test(name: &str) -> bool {
    let (file, test) = name.split_once("::").unwrap_or((name, ""));
    let path = root().join(file);
    if test.is_empty() || !path.is_file() {
        return path.is_file();
    }
    let source = read(&path);
    let at = source.find(&format!("fn {test}("));
    let before = at.map_or("", |at| &source[..at]);
    let attributes = before.rsplit("\n\n").next().unwrap_or_default();
    attributes.contains("#[test") || attributes.contains("::test")
}

#[test]
fn each_row_names_code_and_a_test_that_exist() {
    let page = read(&root().join("docs/project/conformance.md"));
    let packages = ["aos", "core", "mcpl", "plugin", "testing"];
    let names = Names::from(packages.map(|package| (package, declared(package))));
    let mut problems = Vec::new();
    let mut rows = 0;
    for table in page.split("\n\n").filter(|part| part.starts_with("| ")) {
        let columns = table.lines().next().unwrap_or_default();
        if !columns.ends_with(" | code | test |") {
            continue;
        }
        for row in table.lines().skip(2) {
            rows += 1;
            let cells: Vec<&str> = row.trim_matches(['|', ' ']).split(" | ").collect();
            let [.., code, tests] = &cells[..] else {
                panic!("{row}");
            };
            let wrong = quoted(code).find(|name| !is_code(name, &names));
            let wrong = wrong.or_else(|| quoted(tests).find(|name| !is_test(name)));
            let is_on_top = cells.len() == 6;
            if cells.len() != columns.matches(" | ").count() + 1 {
                problems.push(format!("another number of cells: {row}"));
            } else if let Some(name) = wrong {
                problems.push(format!("there is no `{name}`: {row}"));
            } else if quoted(code).count() == 0 || !is_on_top && quoted(tests).count() == 0 {
                problems.push(format!("it names no code or no test: {row}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(rows > 200, "{rows}");
}
