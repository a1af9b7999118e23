//! Checks the graph, with errors on the author's own tokens.

use std::borrow::Cow;

use hooks_text::{Graph, GraphEdge, GraphPlace, GraphState, nearest};
use proc_macro2::Ident;
use quote::ToTokens;
use syn::{LitStr, ext::IdentExt};

use super::{Edge, Session, ToolName};
use crate::report::Errors;

/// Reports every rule that `session` breaks.
///
/// Missing parts are reported only if every argument could be read.
pub(super) fn check(session: &Session, errors: &mut Errors) {
    for problem in session.graph().problems() {
        if session.whole || !problem.is_missing {
            errors.push(session.tokens(problem.place), problem.message, problem.help);
        }
    }
    unknown(session, errors);
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
    fn graph(&self) -> Graph {
        let states = self.states.iter().map(|state| GraphState {
            name: state.name.to_string().into(),
            is_start: state.start.is_some(),
            allow: values(&state.allow),
            allow_any: state.allow_any.is_some(),
            deny: values(&state.deny),
            next: state.next.iter().map(|edge| self.edge(edge)).collect(),
        });
        Graph {
            states: states.collect(),
            reset: values(&self.reset),
            takes_guards: false,
        }
    }

    fn edge(&self, edge: &Edge) -> GraphEdge {
        GraphEdge {
            tool: match &edge.tool {
                ToolName::Any(_) => None,
                ToolName::Named(tool) => Some(tool.value().into()),
            },
            is_guarded: false,
            to: self.place(&edge.to),
        }
    }

    /// Returns the index of the state `name`.
    fn place(&self, name: &Ident) -> Option<usize> {
        let name = name.unraw();
        self.states
            .iter()
            .position(|state| state.name.unraw() == name)
    }

    /// Returns the author's tokens of a part of the graph.
    fn tokens(&self, place: GraphPlace) -> &dyn ToTokens {
        match place {
            GraphPlace::Session => &self.name,
            GraphPlace::State(at) => &self.states[at].name,
            GraphPlace::Start(at) => &self.states[at].start,
            GraphPlace::Denies(at) => &self.states[at].denies,
            GraphPlace::Denied(at, tool) => &self.states[at].deny[tool],
            GraphPlace::Edge(at, edge) => &self.states[at].next[edge].tool,
        }
    }
}

fn values(tools: &[LitStr]) -> Vec<Cow<'static, str>> {
    tools.iter().map(|tool| tool.value().into()).collect()
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
                    ("!", problem) => due.push(problem),
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
