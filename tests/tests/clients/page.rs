//! The book's page about clients says what the adapters do.

use std::{collections::BTreeMap, fs};

use hooks_sdk::{
    clients::{ALL, Delivery, InstallScope},
    lifecycle::Event,
};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/clients.md");

/// What SEP-2282 gives as the clients' events, in the order of [`Event::ALL`] and [`ALL`].
const DOCUMENT: [[&str; 3]; 6] = [
    ["SessionStart", "—", "BeforeAgent"],
    ["SessionEnd", "AfterAgent", "SessionEnd"],
    ["PreToolUse", "—", "BeforeToolSelection"],
    ["PostToolUse", "AfterToolUse", "AfterTool"],
    ["—", "—", "BeforeModel"],
    ["Notification", "AfterAgent", "AfterAgent"],
];

fn page() -> String {
    fs::read_to_string(PAGE).expect("the page")
}

/// The page without its line ends.
fn words() -> String {
    page().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The table under a heading: for each event a cell for each client.
fn table(heading: &str) -> BTreeMap<String, Vec<String>> {
    let page = page();
    let (_, rest) = page.split_once(&format!("## {heading}\n")).expect(heading);
    let section = rest.split("\n## ").next().expect("the first part");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let mut cells = row
            .trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().to_owned());
        let event = cells.next().expect("the event");
        (event.trim_matches('`').to_owned(), cells.collect())
    })
    .collect()
}

#[test]
fn the_table_is_the_mapping() {
    let table = table("What reaches the agent");
    assert_eq!(table.len(), Event::ALL.len());
    for event in Event::ALL {
        for (at, client) in ALL.into_iter().enumerate() {
            let mapping = client.mapping(event);
            let reaches = match mapping.delivery {
                Delivery::Context => "context",
                Delivery::Continue => "keeps it going",
                Delivery::Never => "nothing",
                other => panic!("{other:?} is not in the table"),
            };
            let cell = format!("`{}`: {reaches}", mapping.native);
            assert_eq!(
                table[event.as_str()][at],
                cell,
                "{event} in {}",
                client.title()
            );
        }
    }
}

#[test]
fn every_difference_from_the_document_is_marked() {
    let table = table("Event names in SEP-2282 and in the clients");
    for (event, row) in Event::ALL.into_iter().zip(DOCUMENT) {
        for (at, client) in ALL.into_iter().enumerate() {
            let native = client.mapping(event).native;
            let said = match row[at] {
                "—" => "—".to_owned(),
                said => format!("`{said}`"),
            };
            let cell = if row[at] == native {
                said
            } else {
                format!("{said} ≠ `{native}`")
            };
            assert_eq!(
                table[event.as_str()][at],
                cell,
                "{event} in {}",
                client.title()
            );
        }
    }
}

#[test]
fn what_is_told_to_people_is_on_the_page() {
    let words = words();
    for client in ALL {
        let title = client.title();
        for event in Event::ALL {
            let mapping = client.mapping(event);
            let Some(note) = mapping.note else {
                assert_ne!(
                    mapping.delivery,
                    Delivery::Never,
                    "{title} at {event} says why not"
                );
                continue;
            };
            let who = if event == Event::PostRequest {
                "All three"
            } else {
                title
            };
            let line = format!("- {who}, `{event}`: {note}");
            assert!(words.contains(&line), "{line}");
        }
        for (scope, whom) in [
            (InstallScope::User, "for the user"),
            (InstallScope::Project, "in a project"),
        ] {
            if let Some(step) = client.further_step(scope) {
                let line = format!("- {title}, {whom}: {step}");
                assert!(words.contains(&line), "{line}");
            }
        }
        for other in client.also_read_by() {
            assert!(words.contains(&format!("- {other}")), "{other}");
        }
    }
}

#[test]
fn what_is_said_of_subagents_and_resumed_sessions_is_on_the_page() {
    let table = table("Subagents");
    for event in Event::ALL {
        for (at, client) in ALL.into_iter().enumerate() {
            let cell = match client.mapping(event).subagents {
                Some(true) => "yes",
                Some(false) => "no",
                None => "not run",
            };
            let said = &table[event.as_str()][at];
            assert_eq!(said, cell, "{event} in {}", client.title());
        }
    }
    for client in ALL {
        let tested = client.tested();
        assert!(words().contains(&format!("{} {}", client.title(), tested.version)));
        let keeps = if client.keeps_start() { "kept" } else { "lost" };
        let line = format!("| {} | {keeps} |", client.title());
        assert!(words().contains(&line), "{line}");
    }
}
