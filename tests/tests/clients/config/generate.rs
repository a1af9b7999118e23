//! Configuration files as users write them.

use proptest::{prelude::*, string::string_regex};

/// Read once: a pattern that is itself the strategy is read anew for each text.
fn text(pattern: &str) -> impl Strategy<Value = String> + use<> {
    string_regex(pattern).expect("a pattern")
}

/// Blanks, line ends and comments, as users leave them between two tokens.
fn trivia() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => Just(String::new()),
        3 => Just(" ".to_owned()),
        1 => Just("\t".to_owned()),
        3 => Just("\n".to_owned()),
        3 => Just("\n    ".to_owned()),
        1 => Just("\r\n  ".to_owned()),
        1 => text("[a-z,{}\"*é ]{0,6}").prop_map(|text| format!("/* {text} */")),
        1 => text("[a-z,{}\"/é ]{0,6}").prop_map(|text| format!("// {text}\n")),
        1 => text("[a-z,\n]{0,6}").prop_map(|text| format!("/*{text}*/")),
    ];
    prop::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

fn list(items: Vec<(String, String, String)>, trailing: bool, end: &str, close: char) -> String {
    let mut text = String::new();
    let last = items.len().saturating_sub(1);
    for (at, (before, item, after)) in items.iter().enumerate() {
        text.push_str(before);
        text.push_str(item);
        text.push_str(after);
        if at < last || trailing {
            text.push(',');
        }
    }
    text.push_str(end);
    text.push(close);
    text
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        text("[a-z]{1,3}"),
        Just("é ü".to_owned()),
        Just("a\\u0041\\\"".to_owned())
    ]
}

fn object(members: impl Strategy<Value = Vec<(String, String)>>) -> impl Strategy<Value = String> {
    let laid_out = members.prop_flat_map(|members| {
        let count = members.len();
        let between = prop::collection::vec((trivia(), trivia(), trivia()), count);
        (Just(members), between, trivia(), any::<bool>())
    });
    laid_out.prop_map(|(members, between, end, trailing)| {
        let items = members.into_iter().zip(between);
        let items = items.map(|((name, value), (before, inside, after))| {
            (before, format!("\"{name}\":{inside}{value}"), after)
        });
        let items: Vec<_> = items.collect();
        let trailing = trailing && !items.is_empty();
        format!("{{{}", list(items, trailing, &end, '}'))
    })
}

fn array(elements: impl Strategy<Value = Vec<String>>) -> impl Strategy<Value = String> {
    let laid_out = elements.prop_flat_map(|elements| {
        let count = elements.len();
        let between = prop::collection::vec((trivia(), trivia()), count);
        (Just(elements), between, trivia(), any::<bool>())
    });
    laid_out.prop_map(|(elements, between, end, trailing)| {
        let items = elements.into_iter().zip(between);
        let items: Vec<_> = items
            .map(|(element, (before, after))| (before, element, after))
            .collect();
        let trailing = trailing && !items.is_empty();
        format!("[{}", list(items, trailing, &end, ']'))
    })
}

fn distinct(
    members: impl Strategy<Value = (String, String)>,
) -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec(members, 0..4).prop_map(|mut members| {
        let mut seen = std::collections::BTreeSet::new();
        members.retain(|(name, _)| seen.insert(name.clone()));
        members
    })
}

fn json_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("1.50e3".to_owned()),
        Just("true".to_owned()),
        Just("\"// no comment \\n\"".to_owned()),
        name().prop_map(|text| format!("\"{text}\"")),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            array(prop::collection::vec(inner.clone(), 0..3)).boxed(),
            object(distinct((name(), inner))).boxed(),
        ]
    })
}

/// Somebody's entry in the list of an event, or one of ours from an older version.
fn entry() -> impl Strategy<Value = String> {
    let command = prop_oneof![
        4 => Just("date"),
        1 => Just("timeout 3 notes hooks fire --id notes"),
        1 => Just("echo 'notes hooks fire'"),
    ];
    let command = command.prop_map(|command| format!("{{\"command\": \"{command}\"}}"));
    let group = array(prop::collection::vec(command.clone(), 0..3));
    let group = (group, json_value()).prop_flat_map(|(group, other)| {
        object(Just(vec![
            ("matcher".to_owned(), other),
            ("hooks".to_owned(), group),
        ]))
    });
    prop_oneof![group.boxed(), command.boxed(), json_value().boxed()]
}

pub(crate) fn settings() -> impl Strategy<Value = String> {
    let lists = || array(prop::collection::vec(entry(), 0..3));
    let events = (
        prop::option::of(lists()),
        prop::option::of(lists()),
        distinct((name(), json_value())),
    );
    let events = events.prop_flat_map(|(stop, start, mut others)| {
        others.extend(stop.map(|list| ("Stop".to_owned(), list)));
        others.extend(start.map(|list| ("Start".to_owned(), list)));
        object(Just(others).prop_shuffle())
    });
    let server = json_value().prop_map(|value| ("other".to_owned(), value));
    let servers = object(prop::collection::vec(server, 0..2));
    let members = (
        prop::option::of(events),
        prop::option::of(servers.boxed()),
        distinct((name(), json_value())),
    );
    let root = members.prop_flat_map(|(events, servers, mut others)| {
        others.extend(events.map(|events| ("hooks".to_owned(), events)));
        others.extend(servers.map(|servers| ("mcpServers".to_owned(), servers)));
        object(Just(others).prop_shuffle())
    });
    (any::<bool>(), trivia(), root, trivia()).prop_map(|(mark, before, root, after)| {
        let mark = if mark { "\u{feff}" } else { "" };
        format!("{mark}{before}{root}{after}")
    })
}

pub(crate) fn config() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        3 => Just(String::new()),
        2 => Just("# [mcp_servers.notes]".to_owned()),
        2 => text("[a-z]{1,3}").prop_map(|name| format!("  # {name}")),
    ];
    let value = prop_oneof![
        Just("1_000 # one"),
        Just("'x'"),
        Just("[ 1,\n  2, # two\n]"),
        Just("\"\"\"\n[mcp_servers.notes]\n\"\"\""),
        Just("{ a = 1, b.c = 2 }"),
    ];
    let section = (0..6_usize, prop::collection::vec((line, value), 0..3));
    let servers = prop_oneof![
        4 => Just(""),
        1 => Just("mcp_servers.old.command = 'x'\n"),
        1 => Just("mcp_servers = { old = { command = 'x' } } # old\n"),
        1 => Just("mcp_servers = {}\n"),
        1 => Just("mcp_servers.old = { command = 'x' }\n"),
    ];
    let sections = prop::collection::vec(section, 0..4);
    (servers, sections, any::<(bool, bool, bool)>()).prop_map(
        |(servers, sections, (mark, returns, ended))| {
            let mut text = servers.to_owned();
            let inline = servers.contains('{');
            for (at, (kind, lines)) in sections.into_iter().enumerate() {
                let header = match kind {
                    0 if at == 0 => String::new(),
                    1 if !inline => format!("[mcp_servers.s{at}]\n"),
                    2 if !inline => format!("[ mcp_servers . \"s {at}\" ] # mine\n"),
                    3 => format!("[[list.l{at}]]\n"),
                    _ => format!("[table.t{at}]\n"),
                };
                text.push_str(&header);
                for (number, (line, value)) in lines.into_iter().enumerate() {
                    text.push_str(&format!("{line}\nkey{at}_{number} = {value}\n"));
                }
            }
            if !ended {
                text.truncate(text.trim_end().len());
            }
            if returns {
                text = text.replace('\n', "\r\n");
            }
            if mark {
                format!("\u{feff}{text}")
            } else {
                text
            }
        },
    )
}
