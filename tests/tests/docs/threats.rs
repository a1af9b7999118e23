//! The page of threats names each attacker, the tests that show each defence, and what is not stopped.

use std::path::Path;

use crate::{
    architecture::root,
    book::{markdown, read},
};

/// Those who could attack, each with a part of the page.
const ATTACKERS: [&str; 11] = [
    "Client",
    "MCPL host",
    "Hook text",
    "Tool result",
    "Upstream server",
    "Guardian",
    "Configuration file",
    "Replica and store",
    "Neighbour process",
    "Package",
    "Agent's other tools",
];

/// The names in backticks of a cell.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Says what is wrong with the tests in a cell: a file, and the names of tests in it, then the next file.
fn wrong(cell: &str) -> Option<String> {
    let names = quoted(cell);
    let mut file: Option<(&str, String)> = None;
    let mut tests = 0;
    for name in names {
        if name.contains('/') {
            let folder = ["hooks-sdk/", "examples/", "tests/"]
                .iter()
                .any(|start| name.starts_with(start));
            let path = if folder {
                root().join(name)
            } else {
                root().join("tests/tests").join(name)
            };
            if !path.is_file() {
                return Some(format!("there is no file `{name}`"));
            }
            file = Some((name, read(&path)));
            continue;
        }
        let Some((place, source)) = &file else {
            return Some(format!("`{name}` has no file before it"));
        };
        if !source.contains(&format!("fn {name}(")) {
            return Some(format!("`{place}` has no test `{name}`"));
        }
        tests += 1;
    }
    (tests == 0).then(|| "it names no test".to_owned())
}

#[test]
fn each_defence_names_a_test_that_exists() {
    let page = read(&root().join("docs/src/threat-model.md"));
    let parts: Vec<&str> = page.split("\n## ").skip(1).collect();
    let titles: Vec<&str> = parts
        .iter()
        .filter_map(|part| part.lines().next())
        .collect();
    assert_eq!(titles, ATTACKERS);
    let mut problems = Vec::new();
    let mut rows = 0;
    for (part, title) in parts.iter().zip(titles) {
        if !part.contains("**Not stopped:**") {
            problems.push(format!("{title}: the page does not show what is not stopped"));
        }
        let lines = part.lines().filter(|line| line.starts_with("| "));
        for line in lines.skip(1) {
            let cells: Vec<&str> = line.split(" | ").collect();
            let test = cells.last().expect("a cell");
            problems.extend(wrong(test).map(|why| format!("{title}: {why}: {line}")));
            rows += 1;
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(rows > 20, "{rows}");
}

#[test]
fn a_missing_test_is_found() {
    assert_eq!(
        wrong("`exit/marks.rs`: `a_mark_in_the_authors_capabilities_never_leaves` |"),
        None
    );
    assert!(wrong("`exit/marks.rs`: `no_such_test` |").is_some());
    assert!(wrong("`exit/no_such_file.rs`: `a` |").is_some());
    assert!(wrong("`exit/marks.rs` |").is_some());
    assert!(wrong("`a_test` |").is_some());
}

/// The YAML blocks of a page, with the line on which each begins.
fn yaml(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if line == "```yaml" {
            let block: Vec<&str> = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|line| *line != "```")
                .collect();
            found.push((at + 1, block.join("\n") + "\n"));
        }
    }
    found
}

/// A policy file on a page is one: the server would start with it.
#[test]
fn each_policy_file_of_the_book_is_read() {
    use hooks_sdk::plugin::{
        Configuration, Instance, PluginHook,
        ready::{self, RateLimit},
    };

    const KEYS: [&str; 8] = [
        "plugins:",
        "hooks:",
        "hook_policies:",
        "limits:",
        "lists:",
        "questions:",
        "deadline:",
        "log:",
    ];
    let limit = Instance::of(RateLimit::new());
    let hooks: Vec<PluginHook> = limit.hooks().to_vec();
    let mut problems = Vec::new();
    let mut read_files = 0;
    for page in markdown(&root().join("docs/src")) {
        let name = page.file_name().expect("a name").to_string_lossy();
        for (line, block) in yaml(&read(&page)) {
            let is_policy = KEYS.iter().any(|key| block.starts_with(key));
            // A file that is wrong on purpose has its mistakes behind it.
            if !is_policy || block.contains("tool_pre_invok]") {
                continue;
            }
            read_files += 1;
            if let Err(error) = Configuration::parse(Path::new("policy.yaml"), &block, ready::KINDS, &hooks) {
                problems.push(format!("{name}:{line}: {error}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(read_files >= 6, "{read_files}");
}
