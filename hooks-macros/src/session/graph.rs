//! Checks the graph by the rules of `hooks_sdk::core::machine`, with errors on the author's own tokens.

use proc_macro2::Ident;
use syn::{LitStr, ext::IdentExt};

use super::{Edge, Session, State, ToolName};
use hooks_text::nearest;

use crate::report::Errors;

/// Reports every rule that `session` breaks.
///
/// Missing parts are reported only if every argument could be read.
pub(super) fn check(session: &Session, errors: &mut Errors) {
    starts(session, errors);
    for state in &session.states {
        tools(session, state, errors);
        if session.whole {
            way_on(session, state, errors);
        }
    }
    if session.whole {
        unreachable(session, errors);
    }
    unknown(session, errors);
}

fn starts(session: &Session, errors: &mut Errors) {
    let mut starts = session
        .states
        .iter()
        .filter_map(|state| Some((state, state.start.as_ref()?)));
    let Some((first, _)) = starts.next() else {
        if session.whole {
            let help = "mark the state in which every session begins with `start`";
            errors.push(&session.name, "the session has no start state", help);
        }
        return;
    };
    for (second, start) in starts {
        let wrong = format_args!("two start states: `{}` and `{}`", first.name, second.name);
        errors.push(start, wrong, "leave `start` on one of them");
    }
}

fn tools(session: &Session, state: &State, errors: &mut Errors) {
    let name = &state.name;
    let mut contradicted = false;
    for tool in &state.deny {
        let edges = state.next.iter().filter_map(Edge::named);
        if contains(&state.allow, tool) || contains(edges, tool) {
            contradicted = true;
            let wrong = format_args!("`{}` is both allowed and denied in `{name}`", tool.value());
            let help = "remove it from one of them; a tool with an edge is allowed";
            errors.push(tool, wrong, help);
        }
    }
    if let Some(denies) = &state.denies
        && session.whole
        && !contradicted
        && !state.takes_any()
        && !state.deny.iter().any(|tool| session.resets(state, tool))
    {
        let wrong = format_args!("`deny` without `any`: `{name}` refuses what it does not allow");
        errors.push(denies, wrong, "remove it, or add `allow(any)`");
    }
    for (at, edge) in state.next.iter().enumerate() {
        let before = &state.next[..at];
        match &edge.tool {
            ToolName::Any(any) if before.iter().any(|other| other.named().is_none()) => {
                let wrong = format_args!("two edges for `any` in `{name}`");
                errors.push(any, wrong, "leave one `next(any => State)`");
            }
            ToolName::Any(_) => {}
            ToolName::Named(tool) => {
                let called = tool.value();
                if contains(before.iter().filter_map(Edge::named), tool) {
                    let wrong = format_args!(
                        "`{called}` has a second edge in `{name}` that is never taken"
                    );
                    errors.push(tool, wrong, "remove it");
                }
                if contains(&session.reset, tool) {
                    let wrong =
                        format_args!("`{called}` resets the session and has an edge in `{name}`");
                    let help = "remove one of them; a reset leads to the start state";
                    errors.push(tool, wrong, help);
                }
            }
        }
    }
}

fn way_on(session: &Session, state: &State, errors: &mut Errors) {
    let denied = |tool| contains(&state.deny, tool);
    let mut reset = session.reset.iter();
    let resets = reset.any(|tool| session.resets(state, tool) && !denied(tool));
    if !resets && state.allow_any.is_none() && state.next.is_empty() {
        let name = &state.name;
        let wrong = format_args!("`{name}` has no way on: a session in it is stuck");
        let help = "add `next(a_tool => State)`, or `allow(any)` if it is where work is done";
        errors.push(name, wrong, help);
    }
}

/// While there is a misspelt target, unreachable states are not reported: the author meant one of them.
fn unreachable(session: &Session, errors: &mut Errors) {
    let mut edges = session.states.iter().flat_map(|state| &state.next);
    if edges.any(|edge| session.place(&edge.to).is_none()) {
        return;
    }
    let starts = 0..session.states.len();
    let mut open: Vec<usize> = starts
        .filter(|&at| session.states[at].start.is_some())
        .collect();
    if open.is_empty() {
        return;
    }
    let mut reached = vec![false; session.states.len()];
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            let edges = session.states[at].next.iter();
            open.extend(edges.filter_map(|edge| session.place(&edge.to)));
        }
    }
    for (state, reached) in session.states.iter().zip(reached) {
        if !reached {
            let name = &state.name;
            let help =
                format_args!("add `next(a_tool => {name})` to a state that should lead here");
            errors.push(name, format_args!("no transition leads to `{name}`"), help);
        }
    }
}

fn unknown(session: &Session, errors: &mut Errors) {
    let names: Vec<String> = session
        .states
        .iter()
        .map(|state| state.name.to_string())
        .collect();
    for edge in session.states.iter().flat_map(|state| &state.next) {
        if session.place(&edge.to).is_some() {
            continue;
        }
        let to = edge.to.to_string();
        let help = match nearest(&to, names.iter().map(String::as_str)) {
            Some(near) => format!("write `{near}`"),
            None => format!("lead to one of `{}`", names.join("`, `")),
        };
        errors.push(
            &edge.to,
            format_args!("`{}` has no state `{to}`", session.name),
            help,
        );
    }
}

impl Session {
    /// Returns the index of the state `name`.
    fn place(&self, name: &Ident) -> Option<usize> {
        let name = name.unraw();
        self.states
            .iter()
            .position(|state| state.name.unraw() == name)
    }

    /// Whether `tool` resets the session in `state` unless it is denied there.
    fn resets(&self, state: &State, tool: &LitStr) -> bool {
        state.start.is_none() && contains(&self.reset, tool)
    }
}

impl State {
    /// Whether it allows tools that it does not name.
    fn takes_any(&self) -> bool {
        self.allow_any.is_some() || self.next.iter().any(|edge| edge.named().is_none())
    }
}

impl Edge {
    /// Returns the tool, unless it is `any`.
    fn named(&self) -> Option<&LitStr> {
        match &self.tool {
            ToolName::Any(_) => None,
            ToolName::Named(tool) => Some(tool),
        }
    }
}

fn contains<'t>(tools: impl IntoIterator<Item = &'t LitStr>, tool: &LitStr) -> bool {
    tools.into_iter().any(|other| other.value() == tool.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the problems of an enum with these `#[session]` and `#[stage]` attributes.
    fn problems(session: &str, states: &[(&str, &str)]) -> Vec<String> {
        let variants: String = states
            .iter()
            .map(|(name, keys)| format!("#[stage({keys})] {name},"))
            .collect();
        let item = format!("#[session({session})] enum Stage {{ {variants} }}");
        let mut errors = Errors::default();
        let read = Session::read(&syn::parse_str(&item).expect(&item), &mut errors);
        check(&read.expect(&item), &mut errors);
        errors.messages()
    }

    /// The builder in `hooks_sdk` runs the same cases.
    #[test]
    fn the_shared_graphs_have_the_problems_that_they_say() {
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../tests/fixtures/session/graph.txt"
        );
        // The published package has no sibling folders.
        let Ok(file) = std::fs::read_to_string(file) else {
            return;
        };
        let cases = file.split("\n== ").skip(1);
        for case in cases {
            let mut lines = case.lines().filter(|line| !line.is_empty());
            let title = lines.next().expect("a title");
            let (mut session, mut states, mut due) = ("", Vec::new(), Vec::new());
            for line in lines {
                match line.split_once(' ').expect(line) {
                    ("session:", keys) => session = keys,
                    ("!", problem) if problem.starts_with("builder: ") => {}
                    ("!", problem) => due.push(problem.trim_start_matches("derive: ")),
                    (state, keys) => states.push((state.trim_end_matches(':'), keys)),
                }
            }
            let found = problems(session, &states);
            assert_eq!(found.len(), due.len(), "{title}: {found:#?}");
            for problem in due {
                let is_found = found.iter().any(|found| found.contains(problem));
                assert!(is_found, "{title}: {problem}: {found:#?}");
            }
        }
    }
}
