//! The checks of a machine: its graph, and what only a machine that is built by hand can have wrong.

use hooks_text::{Graph, GraphEdge, GraphPlace, GraphState};

use super::{MachineBuilder, State};
use crate::{BuildError, Origin, findings::Findings, text::MAX_TEXT};

/// The maximum number of states.
const MAX_STATES: usize = u16::MAX as usize - 1;

/// Returns every problem of the machine that `builder` describes.
pub(super) fn problems(builder: &MachineBuilder) -> Vec<BuildError> {
    let mut found = Findings::default();
    let states = &builder.states;
    if states.len() > MAX_STATES {
        let message = format!("the session has {} states", states.len());
        found.add(None, message, format!("use at most {MAX_STATES}"));
        return found.all();
    }
    for problem in graph(builder).problems() {
        let origin: Option<Origin> = match problem.place {
            GraphPlace::Session => states.first().map(|state| state.origin),
            GraphPlace::State(at)
            | GraphPlace::Start(at)
            | GraphPlace::Denied(at, _)
            | GraphPlace::Edge(at, _) => Some(states[at].origin),
            // A state that is made by hand may deny for clearness.
            GraphPlace::Denies(_) => continue,
        };
        found.add(origin, problem.message, problem.help);
    }
    for (at, state) in states.iter().enumerate() {
        if states[..at].iter().any(|other| other.name == state.name) {
            let message = format!("a second state called `{}`", state.name);
            found.add(state.origin, message, "rename one of them");
        }
        of_state(builder, state, &mut found);
    }
    found.all()
}

fn graph(builder: &MachineBuilder) -> Graph {
    let place = |to: &str| builder.states.iter().position(|state| state.name == to);
    let states = builder.states.iter().map(|state| {
        let own = state.next.iter().map(|next| GraphEdge {
            tool: Some(next.tool.clone()),
            is_guarded: next.guard.is_some(),
            to: place(&next.to),
        });
        let any = state.next_any.iter().map(|to| GraphEdge {
            tool: None,
            is_guarded: false,
            to: place(to),
        });
        GraphState {
            name: state.name.clone(),
            is_start: state.start,
            allow: state.allow.clone(),
            allow_any: state.allow_any,
            deny: state.deny.clone(),
            next: own.chain(any).collect(),
        }
    });
    Graph {
        states: states.collect(),
        reset: builder.reset.clone(),
        takes_guards: true,
    }
}

fn of_state(builder: &MachineBuilder, state: &State, found: &mut Findings) {
    let (name, origin) = (&state.name, state.origin);
    if name.trim().is_empty() {
        found.add(origin, "a state without a name", "name it");
    }
    if state.text.len() > MAX_TEXT {
        let message = format!("the text of `{name}` is longer than {MAX_TEXT} bytes");
        found.add(origin, message, "shorten it");
    }
    let targets = state
        .next
        .iter()
        .map(|next| &next.to)
        .chain(&state.next_any);
    for to in targets.filter(|to| builder.states.iter().all(|each| each.name != **to)) {
        let known: Vec<&str> = builder.states.iter().map(|state| &*state.name).collect();
        let help = format!("lead to one of: `{}`", known.join("`, `"));
        found.add(
            origin,
            format!("`{name}` leads to `{to}`, which is no state"),
            help,
        );
    }
    let edges = state.next.iter().map(|next| &next.tool);
    let mut tools = state.allow.iter().chain(&state.deny).chain(edges);
    if tools.any(|tool| tool.is_empty()) {
        found.add(
            origin,
            format!("a tool without a name in `{name}`"),
            "name the tool",
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::machine::{Machine, MachineBuilder, State};

    fn error(builder: MachineBuilder) -> String {
        builder.build().unwrap_err().to_string()
    }

    #[test]
    fn while_a_target_is_unknown_no_state_counts_as_unreachable() {
        let new = State::new("New").start().next("open", "Raedy");
        assert_eq!(
            error(
                Machine::builder()
                    .state(new)
                    .state(State::new("Ready").allow_any())
            )
            .split_once("`New`")
            .unwrap()
            .1,
            " leads to `Raedy`, which is no state\n    help: lead to one of: `New`, `Ready`"
        );
    }

    #[test]
    fn a_start_state_that_only_resets_is_stuck() {
        let only = Machine::builder().state(State::new("New").start().allow("look"));
        assert!(error(only.reset("clear")).contains("`New` has no way on"));
    }

    #[test]
    fn a_text_has_as_many_bytes_as_it_may_have() {
        let machine = |length| {
            let text = "x".repeat(length);
            Machine::builder()
                .state(State::new("Ready").allow_any().start().text(text))
                .build()
        };
        assert!(machine(crate::text::MAX_TEXT).is_ok());
        let long = machine(crate::text::MAX_TEXT + 1).unwrap_err().to_string();
        assert!(long.contains("is longer than"), "{long}");
    }
}
