//! The page "Who sees what" of the book has every message of the table.

use std::fmt::Write;

use super::{
    Direction, MethodRow, ROWS,
    seen::{DirectedPart, INPUTS, Kind, OUTPUTS, Part},
};

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
        }
    }
    let all = || INPUTS.iter().chain(OUTPUTS);
    let parts = all().map(|kind| kind.parts.len()).sum::<usize>();
    let rows: usize = ROWS.iter().map(|row| parts_of(row).len()).sum();
    assert_eq!(parts, rows, "a kind has a message that is in no row");
    for kind in all() {
        let nobody = kind.seen == [false; 5];
        let reason = kind.note.is_empty() && kind.whole;
        assert!(!(nobody && reason), "`{}` needs a reason", kind.name);
    }
}

fn table(kinds: &[Kind]) -> String {
    let mut table = String::from(
        "| kind | in | rules | `redact` | size limit | guardian's steps | whole messages | audit | why not, or instead |\n\
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
        let word = |is: bool| if is { "yes" } else { "–" };
        let [rules, redact, size, steps, audit] = kind.seen.map(word);
        let whole = if kind.whole { "yes" } else { "never" };
        let note = match kind.note {
            "" => reasons.join("; "),
            note => note.to_owned(),
        };
        // Writing to a `String` cannot fail.
        _ = writeln!(
            table,
            "| {} | {} | {rules} | {redact} | {size} | {steps} | {whole} | {audit} | {note} |",
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
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/who-sees-what.md");
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
            "docs/src/who-sees-what.md has other tables; renew it with HOOKS_DOCS=overwrite"
        );
    }
}
