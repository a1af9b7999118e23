//! Names in hook texts: tools that the server does not have, and words in braces that are no variables.

use std::{collections::BTreeSet, iter};

use hooks_clients::{
    self as clients,
    dump::{Diagnostic, DumpedHook, DumpedServer},
};
use hooks_core::lifecycle::Event;
use hooks_text::{distance, nearest, variables};

/// The words before the name of a tool that the agent is to call.
const CALLS: [&str; 3] = ["call", "calls", "calling"];

/// A name in a text that may be a tool's.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name<'t> {
    word: &'t str,
    /// Whether it is in backticks.
    is_code: bool,
    /// Whether the text tells the agent to call it.
    is_called: bool,
}

/// Returns the tools that a text names and that the server does not list, where no other meaning is probable: the text tells the
/// agent to call it, or the server has a tool of a similar name. Another word may be a tool of the client, a file or a member.
pub(super) fn unknown_tools(
    hook: &DumpedHook,
    (name, server): (&str, &DumpedServer),
) -> Vec<Diagnostic> {
    let text = hook.text.as_deref().unwrap_or_default();
    let is_known = |word: &str| {
        let mut known = server.tools.iter().chain(&server.arguments);
        known.any(|name| name == word) || is_of_a_client(word)
    };
    let unknown = names(text, name)
        .into_iter()
        .filter(|name| !is_known(name.word));
    let found = unknown.filter_map(|name| {
        let word = name.word;
        let near = nearest(word, server.tools.iter().map(String::as_str));
        let near = near.filter(|near| name.is_code || name.is_called || distance(word, near) <= 1);
        let help = match near {
            Some(near) => format!("write `{near}`"),
            None if name.is_called && !server.tools.is_empty() => {
                "name a tool of this server; before a tool of another program, write \"use\""
                    .to_owned()
            }
            None => return None,
        };
        let message = format!("the text names `{word}`, and the server has no such tool");
        Some(Diagnostic::new(message, help).at(hook.hooks.join(", ")))
    });
    let mut found: Vec<Diagnostic> = found.collect();
    found.dedup();
    found
}

/// Returns the words in braces that are no variables of the event. In backticks, only those with one wrong letter.
pub(super) fn unknown_variables(hook: &DumpedHook) -> Vec<Diagnostic> {
    let (Some(event), Some(text)) = (hook.event, &hook.text) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for (part, is_code) in parts(text) {
        for word in variables(part).map(|variable| variable.name) {
            let near = nearest(word, event.variables().iter().copied());
            let is_meant = !is_code || near.is_some_and(|near| distance(word, near) <= 1);
            if near == Some(word) || !is_meant || !seen.insert(word) {
                continue;
            }
            let help = match near {
                Some(near) => format!("write `{{{near}}}`"),
                None => format!(
                    "write one of {}, or put the word into backticks",
                    listed(event)
                ),
            };
            let message = format!(
                "`{{{word}}}` is no variable of `{event}`: the agent reads it as it is written"
            );
            found.push(Diagnostic::new(message, help).at(hook.hooks.join(", ")));
        }
    }
    found
}

fn listed(event: Event) -> String {
    let variables = event.variables().iter();
    let variables = variables.map(|name| format!("`{{{name}}}`"));
    variables.collect::<Vec<_>>().join(", ")
}

/// Returns the parts of a text outside and inside of backticks. Code ends with as many backticks as it begins with.
fn parts(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let (mut rest, mut fence) = (Some(text), None);
    iter::from_fn(move || {
        let text = rest?;
        let mut from = 0;
        loop {
            let Some(begin) = text[from..].find('`').map(|at| from + at) else {
                rest = None;
                return Some((text, fence.is_some()));
            };
            let behind = text[begin..].trim_start_matches('`');
            let length = text.len() - begin - behind.len();
            if fence.is_none_or(|open| open == length) {
                let is_code = fence.is_some();
                (rest, fence) = (Some(behind), (!is_code).then_some(length));
                return Some((&text[..begin], is_code));
            }
            from = begin + length;
        }
    })
}

/// Returns the names in snake case. `own` is the name of the server.
fn names<'t>(text: &'t str, own: &str) -> BTreeSet<Name<'t>> {
    let mut names = BTreeSet::new();
    let mut before = "";
    for (part, is_code) in parts(text) {
        if is_code {
            let is_called = CALLS.iter().any(|word| ends_with_word(before, word));
            let word = beginning(part, own);
            names.extend(is_name(word).then_some(Name {
                word,
                is_code,
                is_called,
            }));
        } else {
            let mut last = "";
            for written in part.split_whitespace() {
                let word = written.trim_matches(|letter| {
                    matches!(
                        letter,
                        '.' | ',' | ';' | ':' | '!' | '?' | '(' | ')' | '"' | '\'' | '*'
                    )
                });
                let is_called = CALLS.iter().any(|calls| last.eq_ignore_ascii_case(calls));
                names.extend(is_name(word).then_some(Name {
                    word,
                    is_code,
                    is_called,
                }));
                last = written;
            }
        }
        before = part;
    }
    names
}

/// Returns the name with which a part in backticks begins, without the prefix that some clients write for this server, as in
/// `mcp__notes__add_note(text)`. A tool of another server has no name here.
fn beginning<'t>(code: &'t str, own: &str) -> &'t str {
    let end = code.find(['(', ' ', '{']).unwrap_or(code.len());
    let word = &code[..end];
    let Some(of_server) = word.strip_prefix("mcp__") else {
        return word;
    };
    let tool = of_server.strip_prefix(own);
    tool.and_then(|tool| tool.strip_prefix("__"))
        .unwrap_or_default()
}

fn is_name(word: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_joined = word.trim_matches('_').contains('_');
    is_joined && word.chars().all(is_letter)
}

fn ends_with_word(text: &str, word: &str) -> bool {
    let last = text.split_whitespace().next_back().unwrap_or_default();
    text.ends_with(char::is_whitespace) && last.eq_ignore_ascii_case(word)
}

/// Returns whether a client has a tool of this name.
fn is_of_a_client(word: &str) -> bool {
    clients::ALL.iter().any(|client| {
        let gates = client.gates.iter().flat_map(|gates| gates.tools());
        client.shells.contains(&word) || gates.into_iter().any(|(tool, _)| tool == word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(event: Event, text: &str) -> DumpedHook {
        let mut hook = DumpedHook::default();
        (hook.event, hook.hooks) = (Some(event), vec!["begin".to_owned()]);
        hook.text = Some(text.to_owned());
        hook
    }

    #[test]
    fn a_tool_that_the_server_does_not_have_is_found_and_other_words_are_not() {
        let mut server = DumpedServer::default();
        server.tools = ["add_note", "search"].map(str::to_owned).to_vec();
        server.arguments = vec!["note_id".to_owned()];
        let found = |text| {
            let found = unknown_tools(&hook(Event::SessionStart, text), ("notes", &server));
            let help = found
                .into_iter()
                .map(|found| found.help.unwrap_or_default());
            help.collect::<Vec<_>>()
        };
        let near = ["write `add_note`"];
        for wrong in [
            "Keep it with `add_nota`, then `add_nota` again.",
            "Keep it with `add_nota(text)`.",
            "Keep it with `mcp__notes__add_nota`.",
            "Keep it with add_notes.",
            "Please call add_nota.",
            "Please call ad_note_s.",
            "Please use (add_ntoe).",
        ] {
            assert_eq!(found(wrong), near, "{wrong}");
        }
        let none = ["name a tool of this server; before a tool of another program, write \"use\""];
        for wrong in [
            "Call `write_down` first.",
            "calling write_down",
            "Call `write_down(x)`",
        ] {
            assert_eq!(found(wrong), none, "{wrong}");
        }
        for right in [
            "`add_note`",
            "`Cargo.lock`",
            "`project_name`",
            "`searchx`",
            "call `run_shell_command`, use `write_down`",
            "Call `mcp__github__create_issue`.",
            "See `` add_nota `x` `` or ````\n```\nwrite_down\n```\ncall add_nota\n````",
            "Call `add_note` with `note_id`, `write_down` or note_id.",
            "Look into docs/add_nota and add_nota.md, or add_a_note.",
            "{add_nota} __init__ recall `write_down`",
        ] {
            assert_eq!(found(right), [""; 0], "{right}");
        }
    }

    #[test]
    fn a_word_in_braces_that_is_no_variable_is_found() {
        let found = |event, text| {
            let found = unknown_variables(&hook(event, text));
            let lines = found.into_iter().map(|found| found.to_string());
            lines.collect::<Vec<_>>().join("\n")
        };
        assert_eq!(
            found(Event::SessionStart, "In {project}, or {project}"),
            "begin: `{project}` is no variable of `session_start`: the agent reads it as it is written\n\
             help: write one of `{project_name}`, `{session_id}`, or put the word into backticks"
        );
        let near = found(Event::PostToolUse, "After `{tool_nam}`");
        assert!(near.ends_with("help: write `{tool_name}`"), "{near}");
        for right in [
            "{project_name} {session_id} {} {a b}",
            "`/users/{id}` `{\"a\": 1}` `/v1/{session}`",
            "```\n{x}\n```",
        ] {
            assert_eq!(found(Event::SessionEnd, right), "", "{right}");
        }
        assert_ne!(found(Event::SessionStart, "{tool_output}"), "");
    }
}
