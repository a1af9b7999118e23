//! The page "Who sees what" of the book has every message of the table, and says of it what the table says.

use std::fs;

use super::{Content, Direction, MethodRow, ROWS};

const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/src/reference/who-sees-what.md"
);

/// The cells of a line of one of the page's tables: a kind of input or output, the methods, and who sees it.
type Cells<'p> = [&'p str; 9];

/// Returns the lines of what a client sends, and of what the server sends. A package without the book has none.
fn tables(page: &str) -> [Vec<Cells<'_>>; 2] {
    ["## Messages of a client", "## Messages of the server"].map(|heading| {
        let (_, table) = page.split_once(heading).unwrap_or_default();
        let lines = table.trim_start().lines().skip(2);
        let lines = lines.take_while(|line| line.starts_with('|'));
        let cells = lines.map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            Cells::try_from(&cells[1..10]).expect(line)
        });
        cells.collect()
    })
}

fn methods_of<'p>([_, methods, ..]: &Cells<'p>) -> impl Iterator<Item = &'p str> + use<'p> {
    let methods = methods.split(", ").filter(|method| !method.is_empty());
    methods.map(|method| method.trim_matches('`'))
}

fn is_of_mcpl([kind, ..]: &&Cells<'_>) -> bool {
    kind.starts_with("MCPL: ")
}

/// Returns whether a table has the row's own message, and whether it has the answer to it.
fn is_in(table: usize, row: &MethodRow) -> [bool; 2] {
    let (from_client, is_answered) = match row.direction {
        Direction::ClientRequest => (true, true),
        Direction::ClientNotification => (true, false),
        Direction::ServerRequest => (false, true),
        Direction::ServerNotification => (false, false),
    };
    let is_own = from_client == (table == 0);
    [is_own, is_answered && !is_own]
}

#[test]
fn the_book_says_who_sees_each_message_of_the_table() {
    let page = fs::read_to_string(PAGE).unwrap_or_default();
    for (at, kinds) in tables(&page).iter().enumerate() {
        let in_table = ROWS.iter().filter(|row| is_in(at, row) != [false; 2]);
        for row in in_table.clone().filter(|_| !page.is_empty()) {
            let of = |kind: &&Cells<'_>| methods_of(kind).any(|method| method == row.method);
            let of: Vec<_> = kinds.iter().filter(of).collect();
            let [kind] = of[..] else {
                panic!("`{}` has to be in one line of table {at}", row.method)
            };
            let [.., whole, _, _] = kind;
            assert_eq!(*whole == "yes", row.exempt.is_none(), "{}", row.method);
            sees_what_the_row_says(row, is_in(at, row)[1], kind);
        }
        for kind in kinds {
            let [name, .., note] = kind;
            assert!(!note.is_empty(), "`{name}` needs a reason");
            for method in methods_of(kind).filter(|_| !is_of_mcpl(&kind)) {
                let is_there = in_table.clone().any(|row| row.method == method);
                assert!(is_there, "`{method}` is in no row of the SDK's table");
            }
        }
    }
}

/// Compares the cells of a kind with the points and the content of a row. Hooks and steps are about items and their results;
/// `redact` covers these and every other text.
fn sees_what_the_row_says(row: &MethodRow, is_answer: bool, kind: &Cells<'_>) {
    let [_, _, rules, redact, _, steps, ..] = kind.map(|cell| cell == "yes");
    let is_result = matches!(
        row.content,
        Content::Tool | Content::Resource | Content::Task
    );
    let is_cleaned = matches!(row.content, Content::Prompt | Content::Completion);
    let method = row.method;
    match (row.direction, is_answer) {
        (Direction::ClientRequest, false) => {
            assert_eq!(rules, row.points.is_some(), "rules, {method}");
        }
        (Direction::ClientRequest, true) => {
            assert_eq!(redact, is_result || is_cleaned, "redact, {method}");
            assert_eq!(steps, is_result, "steps, {method}");
        }
        (Direction::ServerRequest | Direction::ServerNotification, false) => {
            assert_eq!(redact, row.content == Content::Text, "redact, {method}");
        }
        _ => {}
    }
}

#[cfg(feature = "mcpl")]
#[test]
fn the_book_says_who_sees_each_message_of_mcpl() {
    use std::collections::BTreeSet;

    use hooks_mcpl::wire::method;

    let Ok(page) = fs::read_to_string(PAGE) else {
        return;
    };
    let tables = tables(&page);
    let kinds = tables.iter().flatten().filter(is_of_mcpl);
    let methods: BTreeSet<&str> = kinds.flat_map(methods_of).collect();
    let mut all: BTreeSet<&str> = method::ALL.iter().copied().collect();
    // A row of MCP's table has it.
    all.remove(method::TOOLS_CALL);
    assert_eq!(methods, all, "the page has other methods of MCPL");
    for kind in tables[1].iter().filter(is_of_mcpl) {
        let [_, _, _, redact, ..] = kind;
        for method in methods_of(kind) {
            let is_declared = method.starts_with("featureSets/") || method.starts_with("mcpl/");
            assert_eq!(*redact == "yes", !is_declared, "redact, {method}");
        }
    }
}
