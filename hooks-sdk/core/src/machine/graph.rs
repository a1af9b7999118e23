//! The checks of a machine's graph.

use std::borrow::Cow;

use super::{MachineBuilder, State};
use crate::{BuildError, text::MAX_TEXT};

/// The maximum number of states.
const MAX_STATES: usize = u16::MAX as usize - 1;

/// Returns every problem of the machine that `builder` describes.
pub(super) fn problems(builder: &MachineBuilder) -> Vec<BuildError> {
    let mut problems = starts(builder);
    for (at, state) in builder.states.iter().enumerate() {
        if builder.states[..at]
            .iter()
            .any(|other| other.name == state.name)
        {
            problems.push(of(
                state,
                format!("a second state called `{}`", state.name),
                "rename one of them",
            ));
        }
        problems.extend(of_state(builder, state));
    }
    problems.extend(unreachable(builder));
    problems
}

fn of(
    state: &State,
    message: impl Into<Cow<'static, str>>,
    help: impl Into<Cow<'static, str>>,
) -> BuildError {
    BuildError::new(state.origin, message, help)
}

fn starts(builder: &MachineBuilder) -> Vec<BuildError> {
    if builder.states.len() > MAX_STATES {
        let message = format!("the session has {} states", builder.states.len());
        return vec![BuildError::new(
            None,
            message,
            format!("use at most {MAX_STATES}"),
        )];
    }
    let mut starts = builder.states.iter().filter(|state| state.start);
    let Some(first) = starts.next() else {
        let origin = builder.states.first().map(|state| state.origin);
        return vec![BuildError::new(
            origin,
            "the session has no start state",
            "mark the state in which every session begins with `start`",
        )];
    };
    starts
        .map(|second| {
            let message = format!("two start states: `{}` and `{}`", first.name, second.name);
            of(second, message, "leave `start` on one of them")
        })
        .collect()
}

fn of_state(builder: &MachineBuilder, state: &State) -> Vec<BuildError> {
    let mut problems = Vec::new();
    let name = &state.name;
    if name.trim().is_empty() {
        problems.push(of(state, "a state without a name", "name it"));
    }
    if state.text.len() > MAX_TEXT {
        let message = format!("the text of `{name}` is longer than {MAX_TEXT} bytes");
        problems.push(of(state, message, "shorten it"));
    }
    let targets = state
        .next
        .iter()
        .map(|next| &next.to)
        .chain(&state.next_any);
    for to in targets.filter(|to| builder.states.iter().all(|each| each.name != **to)) {
        let known: Vec<&str> = builder.states.iter().map(|state| &*state.name).collect();
        problems.push(of(
            state,
            format!("`{name}` leads to `{to}`, which is no state"),
            format!("lead to one of: `{}`", known.join("`, `")),
        ));
    }
    if !state.allow_any
        && state.next.is_empty()
        && state.next_any.is_empty()
        && builder.reset.is_empty()
    {
        problems.push(of(
            state,
            format!("`{name}` has no way on: a session in it is stuck"),
            "add `next(a_tool => State)`, or `allow(any)` if it is where work is done",
        ));
    }
    problems.extend(of_tools(builder, state));
    problems
}

fn of_tools(builder: &MachineBuilder, state: &State) -> Vec<BuildError> {
    let mut problems = Vec::new();
    let name = &state.name;
    for tool in &state.deny {
        if state.allow.contains(tool) || state.next.iter().any(|next| next.tool == *tool) {
            problems.push(of(
                state,
                format!("`{tool}` is both allowed and denied in `{name}`"),
                "remove it from one of them; a tool with an edge is allowed",
            ));
        }
    }
    for (at, next) in state.next.iter().enumerate() {
        let shadows =
            |before: &super::state::Next| before.tool == next.tool && before.guard.is_none();
        if state.next[..at].iter().any(shadows) {
            problems.push(of(
                state,
                format!(
                    "`{}` has a second edge in `{name}` that is never taken",
                    next.tool
                ),
                "remove it, or put a guard on the first",
            ));
        }
        if builder.reset.contains(&next.tool) {
            problems.push(of(
                state,
                format!(
                    "`{}` resets the session and has an edge in `{name}`",
                    next.tool
                ),
                "remove one of them; a reset leads to the start state",
            ));
        }
    }
    if state.next_any.len() > 1 {
        let message = format!("two edges for `any` in `{name}`");
        problems.push(of(state, message, "leave one `next(any => State)`"));
    }
    let mut named = state
        .allow
        .iter()
        .chain(&state.deny)
        .chain(state.next.iter().map(|next| &next.tool));
    if named.any(|tool| tool.is_empty()) {
        problems.push(of(
            state,
            format!("a tool without a name in `{name}`"),
            "name the tool",
        ));
    }
    problems
}

fn unreachable(builder: &MachineBuilder) -> Vec<BuildError> {
    let Some(start) = builder.states.iter().position(|state| state.start) else {
        return Vec::new();
    };
    let mut reached = vec![false; builder.states.len()];
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut reached[at], true) {
            continue;
        }
        let state = &builder.states[at];
        let targets = state
            .next
            .iter()
            .map(|next| &next.to)
            .chain(&state.next_any);
        open.extend(
            targets.filter_map(|to| builder.states.iter().position(|each| each.name == *to)),
        );
    }
    let lost = builder
        .states
        .iter()
        .zip(reached)
        .filter(|(state, reached)| !reached && !state.start);
    lost.map(|(state, _)| {
        let name = &state.name;
        of(
            state,
            format!("no transition leads to `{name}`"),
            format!("add `next(a_tool => {name})` to a state that should lead here"),
        )
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;

    /// Reads `a, b(c, d)` as `("a", "")` and `("b", "c, d")`.
    fn keys(mut text: &'static str) -> Vec<(&'static str, &'static str)> {
        let mut keys = Vec::new();
        while !text.is_empty() {
            let end = text.find([',', '(']).unwrap_or(text.len());
            let (key, rest) = text.split_at(end);
            let (value, rest) = match rest.strip_prefix('(') {
                Some(rest) => rest.split_once(')').expect(text),
                None => ("", rest),
            };
            keys.push((key, value));
            text = rest.trim_start_matches([',', ' ']);
        }
        keys
    }

    fn state(name: &'static str, text: &'static str) -> State {
        let mut state = State::new(name);
        for (key, value) in keys(text) {
            if key == "start" {
                state = state.start();
            }
            for part in value.split(", ").filter(|part| !part.is_empty()) {
                state = match (key, part.split_once(" => ")) {
                    ("allow", _) if part == "any" => state.allow_any(),
                    ("allow", _) => state.allow(part),
                    ("deny", _) => state.deny(part),
                    ("next", Some(("any", to))) => state.next_any(to),
                    ("next", Some((tool, to))) => state.next(tool, to),
                    other => panic!("{other:?}"),
                };
            }
        }
        state
    }

    /// The tests of the derive in `hooks_macros` run the same cases.
    #[test]
    fn the_shared_graphs_have_the_problems_that_they_say() {
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/fixtures/session/graph.txt"
        );
        // A published package stands alone.
        let Ok(file) = std::fs::read_to_string(file) else {
            return;
        };
        for case in file.leak().split("\n== ").skip(1) {
            let mut lines = case.lines().filter(|line| !line.is_empty());
            let title = lines.next().expect("a title");
            let (mut builder, mut due) = (Machine::builder(), Vec::new());
            for line in lines {
                builder = match line.split_once(' ').expect(line) {
                    ("session:", text) => keys(text)
                        .into_iter()
                        .fold(builder, |builder, (_, tool)| builder.reset(tool)),
                    ("!", problem) => {
                        if !problem.starts_with("derive: ") {
                            due.push(problem.trim_start_matches("builder: "));
                        }
                        builder
                    }
                    (name, text) => builder.state(state(name.trim_end_matches(':'), text)),
                };
            }
            let found: Vec<String> = problems(&builder).iter().map(ToString::to_string).collect();
            assert_eq!(found.len(), due.len(), "{title}: {found:#?}");
            for problem in due {
                let is_found = found.iter().any(|found| found.contains(problem));
                assert!(is_found, "{title}: {problem}: {found:#?}");
            }
        }
    }
}
