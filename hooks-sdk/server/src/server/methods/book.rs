//! The page "Who sees what" of the book has every message of the table.

use std::fmt::Write;

use super::{
    Content, Direction, MethodRow, ROWS,
    seen::{DirectedPart, INPUTS, Kind, MCPL, OUTPUTS, Part},
};

/// The kinds that are a part of other messages, or belong to no method that has a row.
const PARTS: &[&str] = &[
    "the value that `completion/complete` completes",
    "`inputResponses` to a question of your own tool, prompt or resource",
    "`requestState` of a question of your own",
    "custom requests and notifications of the client",
    "MCPL: `state` that a host brings back with a call",
    "`_meta` of a request",
    "headers and body of an HTTP request",
    "JSON-RPC error of a tool",
    "errors of prompts, resources and completions",
    "errors of other methods",
    "a question of your own tool as a result: `input_required`",
    "the words of a created task: `statusMessage`, `_meta`",
    "answers to custom requests, their errors, and custom notifications",
    "guidance, and the handle of a session",
    "MCPL: `state` of a result",
    "headers of an HTTP response",
];

fn parts_of(row: &MethodRow) -> Vec<DirectedPart> {
    let part = |of| (row.direction, row.method, of);
    match row.direction {
        Direction::ClientRequest | Direction::ServerRequest => {
            vec![part(Part::Message), part(Part::Answer)]
        }
        Direction::ClientNotification | Direction::ServerNotification => {
            vec![part(Part::Message)]
        }
    }
}

fn is_input((direction, _, of): &DirectedPart) -> bool {
    let from_client = matches!(
        direction,
        Direction::ClientRequest | Direction::ClientNotification
    );
    from_client == (*of == Part::Message)
}

#[test]
fn every_message_of_the_table_is_of_one_kind() {
    for row in ROWS {
        for part in parts_of(row) {
            let kinds = if is_input(&part) { INPUTS } else { OUTPUTS };
            let of = |kind: &&Kind| kind.parts.contains(&part);
            let kinds: Vec<&Kind> = kinds.iter().filter(of).collect();
            assert_eq!(
                kinds.len(),
                1,
                "{part:?} has to be of one kind in `seen.rs`"
            );
            let [kind] = kinds[..] else { continue };
            assert_eq!(kind.whole, row.exempt.is_none(), "{part:?}");
            sees_what_the_row_says(row, part.2, kind);
        }
    }
    let all = || INPUTS.iter().chain(OUTPUTS);
    let parts = all().map(|kind| kind.parts.len()).sum::<usize>();
    let rows: usize = ROWS.iter().map(|row| parts_of(row).len()).sum();
    assert_eq!(parts, rows, "a kind has a message that is in no row");
    let has_no_row = |kind: &&Kind| kind.parts.is_empty() && !is_of_mcpl(kind);
    let without: Vec<&str> = all().filter(has_no_row).map(|kind| kind.name).collect();
    assert_eq!(without, PARTS, "a kind without a row is new or gone");
    for kind in all() {
        let nobody = kind.seen == [false; 5];
        let reason = kind.note.is_empty() && kind.whole;
        assert!(!(nobody && reason), "`{}` needs a reason", kind.name);
    }
}

/// Compares the cells of a kind with the points and the content of a row. Hooks and steps are about items and their results;
/// `redact` covers these and every other text.
fn sees_what_the_row_says(row: &MethodRow, of: Part, kind: &Kind) {
    let [rules, redact, _, steps, _] = kind.seen;
    let is_result = matches!(
        row.content,
        Content::Tool | Content::Resource | Content::Task
    );
    let is_cleaned = matches!(row.content, Content::Prompt | Content::Completion);
    let method = row.method;
    match (row.direction, of) {
        (Direction::ClientRequest, Part::Message) => {
            assert_eq!(rules, row.points.is_some(), "rules, {method}");
        }
        (Direction::ClientRequest, Part::Answer) => {
            assert_eq!(redact, is_result || is_cleaned, "redact, {method}");
            assert_eq!(steps, is_result, "steps, {method}");
        }
        (Direction::ServerRequest | Direction::ServerNotification, Part::Message) => {
            assert_eq!(redact, row.content == Content::Text, "redact, {method}");
        }
        _ => {}
    }
}

fn is_of_mcpl(kind: &Kind) -> bool {
    MCPL.iter().any(|(_, kinds)| kinds.contains(&kind.name))
}

#[test]
fn every_message_of_mcpl_is_of_kinds_of_the_book() {
    #[cfg(feature = "mcpl")]
    {
        use hooks_mcpl::wire::method;
        let methods: Vec<&str> = MCPL.iter().map(|(method, _)| *method).collect();
        let mut all = method::ALL.to_vec();
        // A row of MCP's table has it.
        all.retain(|method| *method != method::TOOLS_CALL);
        assert_eq!(methods, all, "MCPL has other methods than `seen.rs`");
    }
    for (method, kinds) in MCPL {
        let mut all = INPUTS.iter().chain(OUTPUTS);
        for kind in *kinds {
            let kind = all.clone().find(|other| other.name == *kind);
            assert!(kind.is_some(), "{method} is of a kind that is not there");
        }
        let is_declared = method.starts_with("featureSets/") || method.starts_with("mcpl/");
        let skips_redact = |kind: &Kind| {
            kinds.contains(&kind.name)
                && OUTPUTS.iter().any(|of| of.name == kind.name && !of.seen[1])
        };
        assert_eq!(all.any(skips_redact), is_declared, "{method}");
    }
}

fn table(kinds: &[Kind]) -> String {
    let mut table = String::from(
        "| kind | in | rules | `redact` | size limit | guardian's steps | whole messages | log | why not, or instead |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for kind in kinds {
        let mut methods: Vec<String> = Vec::new();
        let mut reasons: Vec<&str> = Vec::new();
        for (direction, method, _) in kind.parts {
            let name = format!("`{method}`");
            if !methods.contains(&name) {
                methods.push(name);
            }
            let same = |row: &&MethodRow| row.method == *method && row.direction == *direction;
            let reason = ROWS.iter().find(same).and_then(|row| row.exempt);
            if let Some(reason) = reason.filter(|reason| !reasons.contains(reason)) {
                reasons.push(reason);
            }
        }
        let of_mcpl = MCPL.iter().filter(|(_, kinds)| kinds.contains(&kind.name));
        methods.extend(of_mcpl.map(|(method, _)| format!("`{method}`")));
        let word = |is: bool| if is { "yes" } else { "–" };
        let [rules, redact, size, steps, log] = kind.seen.map(word);
        let whole = if kind.whole { "yes" } else { "never" };
        let note = match kind.note {
            "" => reasons.join("; "),
            note => note.to_owned(),
        };
        // Writing to a `String` cannot fail.
        _ = writeln!(
            table,
            "| {} | {} | {rules} | {redact} | {size} | {steps} | {whole} | {log} | {note} |",
            kind.name,
            methods.join(", "),
        );
    }
    table
}

/// Replaces the table after a heading.
fn with_table(text: &str, heading: &str, table: &str) -> String {
    let heading = format!("\n## {heading}\n\n");
    let (head, rest) = text.split_once(&heading).expect("a heading");
    let end = rest.find("\n\n").map_or(rest.len(), |end| end + 1);
    format!("{head}{heading}{table}{}", &rest[end..])
}

#[test]
fn the_book_says_who_sees_what() {
    let page = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/reference/who-sees-what.md"
    );
    let Ok(text) = std::fs::read_to_string(page) else {
        // The package has no book.
        return;
    };
    let printed = with_table(&text, "What a client sends", &table(INPUTS));
    let printed = with_table(&printed, "What the server sends", &table(OUTPUTS));
    if std::env::var("HOOKS_DOCS").is_ok_and(|value| value == "overwrite") {
        std::fs::write(page, printed).expect("a writable book");
    } else {
        assert!(
            text == printed,
            "docs/reference/who-sees-what.md has other tables; renew it with HOOKS_DOCS=overwrite"
        );
    }
}
