//! The order of the middleware: the page of the book has it as the code does.

use std::fs;

use super::architecture::root;

/// The parts of a server, by the names of their fields. The page names a second step of a part by itself. A step that has a name of
/// its own has it behind `as`.
const PARTS: [(&str, &str, &str); 12] = [
    ("dry", "Dry", ""),
    ("gate", "Gate", "Seal"),
    ("guardian", "Guardian", ""),
    ("guidance", "Guidance", ""),
    ("lifecycle", "Lifecycle", ""),
    ("log", "Log", ""),
    ("mcpl", "Mcpl", ""),
    ("messages", "Messages", ""),
    ("offer", "Offer", ""),
    ("plugin", "Plugin", ""),
    ("serves", "Serves", ""),
    ("skills", "Skills", ""),
];

/// Returns the middleware that a function passes, in the order of its statements.
fn passed(source: &str, function: &str) -> String {
    let (_, body) = source.split_once(function).expect("the function");
    let (body, _) = body.split_once("\n    }\n").expect("the end of it");
    let mut names = Vec::new();
    for line in body.lines() {
        let line = line.trim_start();
        let step = ["pass!(", "end!(", "if parts."];
        let step = step.iter().find_map(|start| line.strip_prefix(start));
        if let Some((_, place)) = step.and_then(|rest| rest.split_once(" as ")) {
            names.extend(place.split([':', ',']).next());
            continue;
        }
        let name = step.and_then(|rest| rest.split([':', '.', ' ']).next());
        let part = PARTS.iter().find(|part| Some(part.0) == name);
        if let Some((_, first, second)) = part {
            let is_second = names.contains(first);
            names.push(if is_second { second } else { first });
        }
    }
    names.join(" → ")
}

#[test]
fn the_book_has_the_order_of_the_middleware() {
    let steps = root().join("hooks-sdk/server/src/server/pipeline/steps.rs");
    let steps = fs::read_to_string(steps).expect("UTF-8 source");
    let order = [
        ("handshake", "fn greet("),
        ("before the server", "fn before("),
        ("after the server", "fn after("),
        ("at the end", "fn ended("),
    ];
    let order = order.map(|(title, function)| format!("{title}: {}\n", passed(&steps, function)));
    let page = root().join("docs/src/reference/pipeline.md");
    let text = fs::read_to_string(&page).expect("the page");
    let (head, rest) = text.split_once("```text\n").expect("a block of text");
    let (_, tail) = rest.split_once("```").expect("the end of the block");
    let printed = format!("{head}```text\n{}```{tail}", order.concat());
    if std::env::var("HOOKS_DOCS").is_ok_and(|value| value == "overwrite") {
        fs::write(page, printed).expect("a writable book");
    } else {
        assert!(
            text == printed,
            "docs/src/reference/pipeline.md has another order; renew it with HOOKS_DOCS=overwrite"
        );
    }
}
