//! What each client can do: the tables of `clients::ALL`.

use std::path::Path;

use hooks_sdk::{
    clients::{ALL, Aftermath, Client, Delivery, Evidence, InstallScope, Place, by_name},
    guidance::McpFeature,
    lifecycle::Event,
};

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

pub(crate) fn table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = row(heads.iter().map(|&head| head.to_owned()));
    text.push_str(&format!("|{}\n", "---|".repeat(heads.len())));
    text.extend(rows.map(row));
    text
}

/// A table with a row for each client and a column for each event.
fn by_event(cell: impl Fn(&Client, Event) -> String) -> String {
    let events = Event::ALL.map(|event| format!("`{event}`"));
    let heads: Vec<&str> = ["client"]
        .into_iter()
        .chain(events.iter().map(String::as_str))
        .collect();
    let rows = ALL.into_iter().map(|client| {
        let cells = Event::ALL.map(|event| cell(client, event));
        [client.title.to_owned()].into_iter().chain(cells).collect()
    });
    table(&heads, rows)
}

/// The table of the book's page about clients: what a server can do in each one.
pub(crate) fn abilities() -> String {
    let with_texts = [
        Event::SessionStart,
        Event::PreToolUse,
        Event::PostToolUse,
        Event::PreRequest,
        Event::PostRequest,
    ];
    let events = with_texts.map(|event| format!("`{event}`"));
    let mut heads = vec!["client"];
    heads.extend(events.iter().map(String::as_str));
    heads.extend([
        "gates",
        "asks its user",
        "names its session",
        "instructions",
    ]);
    let yes = |is: bool| if is { "yes" } else { "no" };
    let rows = ALL.into_iter().map(|client| {
        let is_run = client.tested.how == Evidence::Run;
        let title = match is_run {
            true => client.title.to_owned(),
            false => format!("{}, not run", client.title),
        };
        let asks = match (client.features.contains(McpFeature::Elicitation), is_run) {
            (false, false) => "not known",
            (asks, _) => yes(asks),
        };
        let texts = with_texts.map(|event| match client.mapping(event).delivery {
            Delivery::Continue => "keeps it going",
            delivery => yes(delivery.reaches_agent()),
        });
        let others = [
            yes(client.gates.is_some()),
            asks,
            yes(client.tells_session),
            client.shows_instructions.map_or("not known", yes),
        ];
        let cells = texts.into_iter().chain(others).map(str::to_owned);
        [title].into_iter().chain(cells).collect()
    });
    table(&heads, rows)
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.map(|item| format!("- {item}\n")).collect()
}

fn known() -> String {
    let heads = ["client", "`--client`", "version", "known by", "`--scope`"];
    let rows = ALL.into_iter().map(|client| {
        let tested = client.tested;
        let how = match tested.how {
            Evidence::Run => "a run",
            Evidence::Documents => "its documents; **not run**",
            other => panic!("{other:?} is not in the table"),
        };
        let scopes = client
            .scopes
            .iter()
            .map(|scope| format!("`{}`", scope.as_str()));
        vec![
            client.title.to_owned(),
            format!("`{}`", client.name),
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
        let after = client.after_start;
        let cells = [after.resume, after.compaction, after.clear];
        let cells = cells.iter().map(Aftermath::to_string);
        [client.title.to_owned()].into_iter().chain(cells).collect()
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
            let title = client.title;
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
                Some((_, _, who)) => who.push(client.title),
                None => notes.push((note.to_owned(), event, vec![client.title])),
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
    let clients = ["claude-code", "codex", "gemini"].map(named);
    let heads: Vec<&str> = ["event"]
        .into_iter()
        .chain(clients.map(|client| client.title))
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
        client.scopes.iter().map(move |&scope| {
            let servers = match client.servers_file(scope, place) {
                Some((file, path)) => format!("{}, `{}`", shown(&file), path.join(".")),
                None => "not written".to_owned(),
            };
            vec![
                client.title.to_owned(),
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
            client.title.to_owned(),
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
        client.scopes.iter().filter_map(move |&scope| {
            let step = client.steps[scope as usize]?;
            Some(format!("{}, {}: {step}", client.title, whom(scope)))
        })
    }))
}

fn readers() -> String {
    list(ALL.iter().flat_map(|row| {
        let title = row.title;
        row.also_read_by
            .iter()
            .map(move |other| format!("{title}'s: {other}"))
    }))
}

fn named(name: &str) -> &'static Client {
    by_name(name).expect("a client of the table")
}

pub(crate) fn page() -> String {
    let part =
        |title: &str, words: &str, made: String| format!("\n## {title}\n\n{words}\n\n{made}");
    [
        "# Clients\n\nThe tables of `clients::ALL`: `install`, `fire`, `explain` and `doctor` work by them. \
         [Clients of today](../clients.md) explains the words.\n"
            .to_owned(),
        part("Versions and scopes", "A client that was run was run unattended on Linux, against a stand-in for its model.", known()),
        part("Events and texts", "The client's name for the event, how a text reaches the agent, and its role in the request.", reached()),
        part("Where no text arrives", "The events at which no text reaches the agent:", notes(|delivery| !delivery.reaches_agent())),
        part("Differences", "The client's own behaviour at an event:", notes(Delivery::reaches_agent)),
        part("Files", "`hooks install` writes these files. SERVER is the server's name, and FOLDER is the project's.", files()),
        part("Steps for the user", "`install` prints these steps:", steps()),
        part("Subagents", "Whether a text reaches a subagent:", subagents()),
        part("Resumed, compacted and cleared sessions", "The fate of the texts of the session's start:", after_start()),
        part("Tool names", "`{tool_name}` in each client:", tools()),
        part("Limits", "The time after which the client ends a hook, and the longest answer:", limits()),
        part("Limits of the clients", "Where a client has a limit of its own:", own_limits()),
        part("Event names in SEP-2282", "The names of the document. A ≠ marks a difference, followed by the measured name:", names()),
        part("Entries that another client reads", "Some clients read the entries of another:", readers()),
    ]
    .concat()
}
