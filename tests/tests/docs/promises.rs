//! The book keeps its promises: the tests of the threat model exist, policy files are read, and the API has the names that sentences use.

use std::{collections::BTreeSet, path::Path};

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::{
    architecture::{root, rust_files},
    book::{parser, read, written},
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
            let folder = ["cargo-hooks/", "hooks-sdk/", "examples/", "tests/"]
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
    let page = read(&root().join("docs/src/reference/threat-model.md"));
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
            problems.push(format!(
                "{title}: the page does not show what is not stopped"
            ));
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

/// The page says what differs from the documents, so each row has a test. The last three sections may name a page instead, and a
/// file without a test.
#[test]
fn each_difference_names_a_test_that_exists() {
    let page = read(&root().join("docs/project/differences.md"));
    let mut problems = Vec::new();
    let mut rows = 0;
    for part in page.split("\n## ").skip(1) {
        let title = part.lines().next().unwrap_or_default();
        let mut lines = part.lines().filter(|line| line.starts_with("| "));
        let head = lines.next().unwrap_or_default();
        let needs_test = head.ends_with(" test |");
        for line in lines {
            rows += 1;
            let cells: Vec<&str> = line.split(" | ").collect();
            let cell = cells.last().expect("a cell");
            let is_named = quoted(cell).iter().any(|name| name.contains('/'));
            let is_file = cell.matches('`').count() == 2 && root().join(quoted(cell)[0]).is_file();
            let is_page = cell.contains("](");
            if cells.len() != 4 {
                problems.push(format!("{title}: not four cells: {line}"));
            } else if needs_test || is_named && !is_file {
                problems.extend(wrong(cell).map(|why| format!("{title}: {why}: {line}")));
            } else if !is_file && !is_page {
                problems.push(format!("{title}: it names no page and no test: {line}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(rows > 80, "{rows}");
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
        Configuration, Instance,
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
    let mut problems = Vec::new();
    let mut read_files = 0;
    for page in written() {
        let name = page.file_name().expect("a name").to_string_lossy();
        for (line, block) in yaml(&read(&page)) {
            let is_policy = KEYS.iter().any(|key| block.starts_with(key));
            // A file that is wrong on purpose has its mistakes behind it.
            if !is_policy || block.contains("tool_pre_invok]") {
                continue;
            }
            read_files += 1;
            if let Err(error) = Configuration::parse(
                Path::new("policy.yaml"),
                &block,
                ready::KINDS,
                limit.hooks(),
            ) {
                problems.push(format!("{name}:{line}: {error}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(read_files >= 6, "{read_files}");
}

/// Names of other programs, of documents, and of code that the attributes generate.
const FOREIGN: [&str; 4] = [
    "SecurityHeaderPlugin",
    "TimeoutStopSec",
    "deploy_notes_hook",
    "with_legacy_session_mode",
];

/// The words of a source.
fn words(source: &str) -> impl Iterator<Item = &str> {
    source.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
}

/// The names in inline code that only the API can have: types of two words or more, and functions before a parenthesis.
fn api_names(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for word in words(code) {
        let capitals = word.chars().filter(char::is_ascii_uppercase).count();
        let is_type = word.starts_with(|first: char| first.is_ascii_uppercase())
            && word.contains(|letter: char| letter.is_ascii_lowercase())
            && !word.contains('_')
            && capitals > 1
            && !word
                .as_bytes()
                .windows(2)
                .any(|pair| pair.iter().all(u8::is_ascii_uppercase));
        if is_type {
            found.insert(word.to_owned());
        }
    }
    let calls: Vec<&str> = code.split('(').collect();
    for call in &calls[..calls.len() - 1] {
        let name = words(call).last().unwrap_or_default();
        let is_function = !name.is_empty()
            && name.chars().all(|letter| {
                letter.is_ascii_lowercase() || letter == '_' || letter.is_ascii_digit()
            });
        if is_function {
            found.insert(name.to_owned());
        }
    }
    found
}

#[test]
fn each_name_of_the_api_in_a_sentence_is_in_the_source() {
    let mut known = BTreeSet::new();
    for folder in [
        "hooks-sdk",
        "hooks-macros",
        "cargo-hooks",
        "docs/snippets",
        "examples",
    ] {
        for file in rust_files(&root().join(folder)) {
            known.extend(words(&read(&file)).map(str::to_owned));
        }
    }
    known.extend(FOREIGN.map(str::to_owned));
    let mut pages = written();
    pages.push(root().join("README.md"));
    let mut problems = Vec::new();
    let mut count = 0;
    for page in pages {
        let name = page.file_name().expect("a name").to_string_lossy();
        // Its commands are those of agents.
        if name == "held-out.md" {
            continue;
        }
        let text = read(&page);
        let mut in_block = false;
        for event in parser(&text) {
            match event {
                Event::Start(Tag::CodeBlock(_)) => in_block = true,
                Event::End(TagEnd::CodeBlock) => in_block = false,
                Event::Code(code) if !in_block => {
                    for used in api_names(&code) {
                        count += 1;
                        if !known.contains(&used) {
                            problems.push(format!("{name}: `{used}` in `{code}`"));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count > 300, "{count}");
}

#[test]
fn names_are_types_and_functions() {
    let found = api_names("McplHost::builder().enable([\"a.b\"]), `HTTP`, Notes, CLAUDE_ENV");
    let found: Vec<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(found, ["McplHost", "builder", "enable"]);
}

/// The setters and methods of `Program`, in any of its files.
fn methods_of_program() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in rust_files(&root().join("hooks-sdk/src/cli")) {
        let text = read(&file);
        let mut inside = false;
        for line in text.lines() {
            if line.starts_with("impl<H") && line.contains("> Program<H>") {
                inside = true;
            } else if line == "}" {
                inside = false;
            }
            let item = line.trim_start();
            let is_setter = line.starts_with("        fn ") && line.contains("(mut self");
            let item = item.strip_prefix("pub ").or(is_setter.then_some(item));
            let item = item.and_then(|item| {
                item.strip_prefix("async fn ")
                    .or_else(|| item.strip_prefix("fn "))
            });
            if let (true, Some(item)) = (inside, item) {
                found.extend(words(item).next().map(str::to_owned));
            }
        }
    }
    found
}

#[test]
fn the_page_of_settings_has_each_setting_of_a_program() {
    let page = read(&root().join("docs/src/reference/program.md"));
    let methods = methods_of_program();
    assert!(methods.len() > 25, "{methods:?}");
    for method in methods {
        let named = [format!("`{method}"), format!("Program::{method}")];
        let is_named = named.iter().any(|name| page.contains(&**name));
        assert!(
            is_named,
            "the page of settings does not name `Program::{method}`"
        );
    }
}

#[test]
fn the_page_of_methods_has_each_method_of_mcpl() {
    let page = read(&root().join("docs/src/reference/mcpl-methods.md"));
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let named: BTreeSet<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    // These are methods of MCP, which MCPL extends.
    let extended = ["initialize", "server/discover", "tools/list", "tools/call"];
    let all = hooks_sdk::mcpl::wire::method::ALL.iter().copied();
    let expected: BTreeSet<&str> = all.chain(extended).collect();
    assert_eq!(named, expected);
}
