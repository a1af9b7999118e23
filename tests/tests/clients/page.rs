//! The tables of the book's page about clients are made from the table of clients.

use std::{env, fs, path::Path};

use hooks_sdk::{
    clients::{ALL, Aftermath, Client, Delivery, Evidence, InstallScope, Place, TABLE},
    lifecycle::Event,
};

use crate::recorded::folder;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/clients.md");

/// What SEP-2282 gives as the events of Claude Code, Codex CLI and Gemini CLI, in the order of [`Event::ALL`].
const DOCUMENT: [[&str; 3]; 6] = [
    ["SessionStart", "—", "BeforeAgent"],
    ["SessionEnd", "AfterAgent", "SessionEnd"],
    ["PreToolUse", "—", "BeforeToolSelection"],
    ["PostToolUse", "AfterToolUse", "AfterTool"],
    ["—", "—", "BeforeModel"],
    ["Notification", "AfterAgent", "AfterAgent"],
];

fn row(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().collect();
    format!("| {} |\n", cells.join(" | "))
}

fn table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = row(heads.iter().map(|&head| head.to_owned()));
    text.push_str(&format!("|{}\n", "---|".repeat(heads.len())));
    text.extend(rows.map(row));
    text
}

/// A table with a row for each client and a column for each event.
fn by_event(cell: impl Fn(&dyn Client, Event) -> String) -> String {
    let events = Event::ALL.map(|event| format!("`{event}`"));
    let heads: Vec<&str> = ["client"]
        .into_iter()
        .chain(events.iter().map(String::as_str))
        .collect();
    let rows = ALL.into_iter().map(|client| {
        let cells = Event::ALL.map(|event| cell(client, event));
        [client.title().to_owned()]
            .into_iter()
            .chain(cells)
            .collect()
    });
    table(&heads, rows)
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.map(|item| format!("- {item}\n")).collect()
}

fn known() -> String {
    let heads = ["client", "`--client`", "version", "known by", "`--scope`"];
    let rows = ALL.into_iter().map(|client| {
        let tested = client.tested();
        let how = match tested.how {
            Evidence::Run => "a run",
            Evidence::Documents => "its documents; **not run**",
            other => panic!("{other:?} is not in the table"),
        };
        let scopes = client
            .scopes()
            .iter()
            .map(|scope| format!("`{}`", scope.as_str()));
        vec![
            client.title().to_owned(),
            format!("`{}`", client.name()),
            format!("{}, {}", tested.version, tested.date),
            how.to_owned(),
            scopes.collect::<Vec<_>>().join(", "),
        ]
    });
    table(&heads, rows)
}

fn reached() -> String {
    by_event(|client, event| {
        let mapping = client.mapping(event);
        let how = match mapping.delivery {
            Delivery::Context => "context",
            Delivery::Next => "with the next event",
            Delivery::Continue => "keeps it going",
            Delivery::Gates => "gates only",
            Delivery::Never => "nothing",
            other => panic!("{other:?} is not in the table"),
        };
        let role = mapping
            .role
            .map(|role| format!(", {role}"))
            .unwrap_or_default();
        let natives = mapping.natives().map(|native| format!("`{native}`"));
        format!("{}: {how}{role}", natives.collect::<Vec<_>>().join(", "))
    })
}

fn subagents() -> String {
    by_event(|client, event| {
        let said = match client.mapping(event).subagents {
            Some(true) => "yes",
            Some(false) => "no",
            None => "not run",
        };
        said.to_owned()
    })
}

fn after_start() -> String {
    let heads = ["client", "resumed", "compacted", "cleared"];
    let rows = ALL.into_iter().map(|client| {
        let after = client.capabilities().after_start;
        let cells = [after.resume, after.compaction, after.clear];
        let cells = cells.iter().map(Aftermath::to_string);
        [client.title().to_owned()]
            .into_iter()
            .chain(cells)
            .collect()
    });
    table(&heads, rows)
}

fn limits() -> String {
    by_event(|client, event| {
        let mapping = client.mapping(event);
        if !mapping.delivery.reaches_agent() {
            return format!("{} s", mapping.deadline.as_secs_f32());
        }
        format!(
            "{} s, {}",
            mapping.deadline.as_secs_f32(),
            client.budget(event)
        )
    })
}

fn own_limits() -> String {
    list(ALL.into_iter().flat_map(|client| {
        let limits = Event::ALL.into_iter().filter_map(|event| {
            let limit = client.mapping(event).limit?;
            Some((event, limit))
        });
        let all: Vec<_> = limits.collect();
        let mut different: Vec<_> = all.iter().map(|(_, limit)| *limit).collect();
        different.dedup();
        let lines = different.into_iter().map(move |limit| {
            let at = all.iter().filter(|(_, each)| *each == limit);
            let at: Vec<String> = at.map(|(event, _)| format!("`{event}`")).collect();
            let title = client.title();
            format!(
                "{title}, {}: {limit}; above that, {}",
                at.join(", "),
                limit.above
            )
        });
        lines.collect::<Vec<_>>()
    }))
}

fn notes(of: impl Fn(Delivery) -> bool) -> String {
    let mut notes: Vec<(String, Event, Vec<&str>)> = Vec::new();
    for client in ALL {
        for event in Event::ALL {
            let mapping = client.mapping(event);
            let Some(note) = mapping.note.filter(|_| of(mapping.delivery)) else {
                continue;
            };
            match notes
                .iter_mut()
                .find(|(said, at, _)| said == note && *at == event)
            {
                Some((_, _, who)) => who.push(client.title()),
                None => notes.push((note.to_owned(), event, vec![client.title()])),
            }
        }
    }
    list(
        notes
            .into_iter()
            .map(|(note, event, who)| format!("{}, `{event}`: {note}", who.join(", "))),
    )
}

fn names() -> String {
    let clients = ["claude-code", "codex", "gemini"].map(crate::recorded::client);
    let heads: Vec<&str> = ["event"]
        .into_iter()
        .chain(clients.map(|client| client.title()))
        .collect();
    let rows = Event::ALL.into_iter().zip(DOCUMENT).map(|(event, said)| {
        let cells = clients.into_iter().zip(said).map(|(client, said)| {
            let native = client.mapping(event).native;
            let word = match said {
                "—" => "—".to_owned(),
                said => format!("`{said}`"),
            };
            match said == native {
                true => word,
                false => format!("{word} ≠ `{native}`"),
            }
        });
        [format!("`{event}`")].into_iter().chain(cells).collect()
    });
    table(&heads, rows)
}

/// A path as people write it.
fn shown(path: &Path) -> String {
    let path = path.to_string_lossy();
    format!(
        "`{}`",
        path.replace("/PROJECT/", "").replace("/HOME/", "~/")
    )
}

fn files() -> String {
    let place = Place::new("/HOME", "/PROJECT");
    let heads = [
        "client",
        "scope",
        "hooks",
        "the server, and where it is in the file",
    ];
    let rows = ALL.into_iter().flat_map(|client| {
        let place = &place;
        client.scopes().iter().map(move |&scope| {
            let servers = match client.servers_file(scope, place) {
                Some((file, path)) => format!("{}, `{}`", shown(&file), path.join(".")),
                None => "not written".to_owned(),
            };
            vec![
                client.title().to_owned(),
                scope.as_str().to_owned(),
                shown(&client.hooks_file(scope, place, "SERVER")),
                servers.replace("/PROJECT", "FOLDER"),
            ]
        })
    });
    table(&heads, rows)
}

fn tools() -> String {
    let heads = ["client", "the shell", "`store` of the server `memory`"];
    let rows = ALL.into_iter().map(|client| {
        let named = |server, tool| {
            let members = client.named_tool(server, tool);
            format!("`{}`", members["tool_name"].as_str().unwrap_or("—"))
        };
        vec![
            client.title().to_owned(),
            named(None, "Bash"),
            named(Some("memory"), "store"),
        ]
    });
    table(&heads, rows)
}

fn steps() -> String {
    list(ALL.into_iter().flat_map(|client| {
        let whom = |scope| match scope {
            InstallScope::User => "for the user",
            InstallScope::Project => "in a project",
            InstallScope::Local => "for the user in a project",
        };
        client.scopes().iter().filter_map(move |&scope| {
            let step = client.further_step(scope)?;
            Some(format!("{}, {}: {step}", client.title(), whom(scope)))
        })
    }))
}

fn readers() -> String {
    list(TABLE.iter().flat_map(|row| {
        let title = row.title;
        row.also_read_by
            .iter()
            .map(move |other| format!("{title}'s: {other}"))
    }))
}

#[test]
fn the_tables_of_the_page_are_the_table_of_clients() {
    let parts = [
        ("known", known()),
        ("reached", reached()),
        ("lost", notes(|delivery| !delivery.reaches_agent())),
        ("different", notes(Delivery::reaches_agent)),
        ("subagents", subagents()),
        ("after-start", after_start()),
        ("limits", limits()),
        ("own-limits", own_limits()),
        ("names", names()),
        ("files", files()),
        ("tools", tools()),
        ("steps", steps()),
        ("readers", readers()),
    ];
    let page = fs::read_to_string(PAGE).expect("the page");
    let mut renewed = page.clone();
    for (name, made) in &parts {
        let begin = format!("<!-- made from the table: {name} -->\n");
        let (before, rest) = renewed.split_once(&begin).expect(name);
        let (_, after) = rest.split_once("<!-- end -->").expect(name);
        renewed = format!("{before}{begin}\n{made}\n<!-- end -->{after}");
    }
    assert_eq!(page.matches("<!-- end -->").count(), parts.len());
    if env::var_os("HOOKS_DOCS").is_some_and(|word| word == "overwrite") {
        fs::write(PAGE, &renewed).expect("written");
        return;
    }
    assert!(
        page == renewed,
        "docs/src/clients.md differs from the table; renew it with HOOKS_DOCS=overwrite"
    );
}

#[test]
fn every_row_is_whole() {
    for (client, row) in ALL.into_iter().zip(&TABLE) {
        assert_eq!(client.name(), row.name);
        for (at, event) in Event::ALL.into_iter().enumerate() {
            let mapping = row.at(event);
            assert_eq!(mapping, row.events[at]);
            let title = format!("{} at {event}", row.title);
            let reaches = mapping.delivery.reaches_agent();
            assert!(reaches || mapping.note.is_some(), "{title} says why not");
            let was_run = row.recorded.how == Evidence::Run;
            assert!(reaches || mapping.role.is_none(), "{title}");
            assert!(!was_run || !reaches || mapping.role.is_some(), "{title}");
            assert!(
                was_run || mapping.recording.is_none() || !reaches,
                "{title}"
            );
            if let Some(recording) = mapping.recording {
                assert!(folder().join(recording).exists(), "{recording}");
                assert!(recording.starts_with(row.name), "{recording}");
            }
            if was_run && reaches {
                assert!(mapping.recording.is_some(), "{title} was recorded");
            }
        }
    }
}
