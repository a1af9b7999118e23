//! Diagrams of a machine for documentation, in Mermaid or in DOT for Graphviz.
//!
//! ```
//! use hooks_sdk::session::{Machine, diagram};
//!
//! let machine = Machine::standard().build()?;
//! assert!(diagram::mermaid(&machine).contains("s0 --> s1: session_init"));
//! assert!(diagram::dot(&machine).contains("s0 -> s1 [label=\"session_init\"]"));
//! # Ok::<(), hooks_sdk::core::BuildErrors>(())
//! ```
//!
//! In a diagram, `any` stands for the tools without an edge of their own. A question mark marks an edge that
//! depends on the call's input.

use std::fmt::Write;

use crate::machine::{Machine, StateIndex};

/// Draws the machine as a Mermaid state diagram.
pub fn mermaid(machine: &Machine) -> String {
    let mut out = String::from("stateDiagram-v2\n");
    for state in machine.states() {
        _ = writeln!(
            out,
            "    state \"{}\" as s{}",
            mermaid_text(machine.name(state)),
            state.get()
        );
    }
    _ = writeln!(out, "    [*] --> s{}", machine.start().get());
    for (from, to, label) in machine.states().flat_map(|state| arrows(machine, state)) {
        _ = writeln!(
            out,
            "    s{} --> s{}: {}",
            from.get(),
            to.get(),
            mermaid_text(&label)
        );
    }
    for state in machine.states() {
        if let Some(note) = note(machine, state) {
            _ = writeln!(
                out,
                "    note right of s{}: {}",
                state.get(),
                mermaid_text(&note)
            );
        }
    }
    out
}

/// Draws the machine as a DOT graph.
pub fn dot(machine: &Machine) -> String {
    let mut out = String::from("digraph session {\n    rankdir=LR;\n    start [shape=point];\n");
    for state in machine.states() {
        let note =
            note(machine, state).map_or_else(String::new, |note| format!("\\n{}", dot_text(&note)));
        let name = dot_text(machine.name(state));
        _ = writeln!(
            out,
            "    s{} [label=\"{name}{note}\", shape=box, style=rounded];",
            state.get()
        );
    }
    _ = writeln!(out, "    start -> s{};", machine.start().get());
    for (from, to, label) in machine.states().flat_map(|state| arrows(machine, state)) {
        _ = writeln!(
            out,
            "    s{} -> s{} [label=\"{}\"];",
            from.get(),
            to.get(),
            dot_text(&label)
        );
    }
    out.push_str("}\n");
    out
}

/// Returns one arrow for each target of `state`, labelled with its tools.
fn arrows(machine: &Machine, state: StateIndex) -> Vec<(StateIndex, StateIndex, String)> {
    let mut all: Vec<(StateIndex, StateIndex, String)> = Vec::new();
    for arrow in machine.arrows(state) {
        let label = format!(
            "{}{}",
            arrow.tool.unwrap_or("any"),
            if arrow.guarded { "?" } else { "" }
        );
        match all.iter_mut().find(|(_, to, _)| *to == arrow.to) {
            Some((_, _, labels)) => _ = write!(labels, ", {label}"),
            None => all.push((state, arrow.to, label)),
        }
    }
    all
}

/// Describes the tools that a state allows without an edge.
fn note(machine: &Machine, state: StateIndex) -> Option<String> {
    let allowed: Vec<&str> = machine.allowed(state).collect();
    let denied: Vec<&str> = machine.denied(state).collect();
    let but = if denied.is_empty() {
        String::new()
    } else {
        format!(" but {}", denied.join(", "))
    };
    match (machine.allows_any(state), allowed.is_empty()) {
        (true, _) => Some(format!("allows any{but}")),
        (false, false) => Some(format!("allows {}", allowed.join(", "))),
        (false, true) => None,
    }
}

fn mermaid_text(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, each| {
        if each.is_alphanumeric() || matches!(each, ' ' | '_' | '-' | '.' | '/' | ',' | '?') {
            out.push(each);
        } else {
            // Mermaid reads `#34;` as the character with that number.
            _ = write!(out, "#{};", u32::from(each));
        }
        out
    })
}

fn dot_text(text: &str) -> String {
    text.chars()
        .filter(|each| !each.is_control())
        .fold(String::new(), |mut out, each| {
            if matches!(each, '"' | '\\') {
                out.push('\\');
            }
            out.push(each);
            out
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::State;

    fn machine() -> Machine {
        Machine::builder()
            .state(
                State::new("New")
                    .start()
                    .allow("search")
                    .next("open", "Re\"ady")
                    .next("login", "Re\"ady"),
            )
            .state(State::new("Re\"ady").allow_any().deny("drop; x").next_if(
                "open",
                |_| true,
                "New",
            ))
            .reset("clear")
            .build()
            .unwrap()
    }

    #[test]
    fn as_mermaid() {
        assert_eq!(
            mermaid(&machine()),
            "stateDiagram-v2
    state \"New\" as s0
    state \"Re#34;ady\" as s1
    [*] --> s0
    s0 --> s1: login, open
    s1 --> s0: clear, open?
    note right of s0: allows search
    note right of s1: allows any but drop#59; x
"
        );
    }

    #[test]
    fn as_dot() {
        assert_eq!(
            dot(&machine()),
            "digraph session {
    rankdir=LR;
    start [shape=point];
    s0 [label=\"New\\nallows search\", shape=box, style=rounded];
    s1 [label=\"Re\\\"ady\\nallows any but drop; x\", shape=box, style=rounded];
    start -> s0;
    s0 -> s1 [label=\"login, open\"];
    s1 -> s0 [label=\"clear, open?\"];
}
"
        );
    }
}
