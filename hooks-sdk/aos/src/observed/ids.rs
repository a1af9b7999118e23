//! The ids of a step.

use uuid::Uuid;

/// The ids of a step. A tool call's request and its result share all four.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct StepIds {
    /// The agent's session.
    pub session_id: String,
    /// One turn of the session: for a server that knows no turns, one call of a tool.
    pub turn_id: String,
    /// The step of the turn.
    pub step_id: String,
    /// The execution of a tool.
    pub execution_id: String,
}

impl StepIds {
    /// Makes the ids of a new turn's first step.
    pub fn new(session_id: impl Into<String>) -> StepIds {
        StepIds::in_turn(session_id, new_id())
    }

    /// Makes the ids of a step in a turn whose id is known.
    pub fn in_turn(session_id: impl Into<String>, turn_id: impl Into<String>) -> StepIds {
        StepIds {
            session_id: session_id.into(),
            turn_id: turn_id.into(),
            step_id: new_id(),
            execution_id: new_id(),
        }
    }

    /// Makes the ids of another step in the same turn, as memory that a tool stores while it runs. It belongs to the same
    /// execution.
    #[must_use]
    pub fn next_step(&self) -> StepIds {
        StepIds {
            step_id: new_id(),
            ..self.clone()
        }
    }
}

/// Returns a new UUID of version 7, whose order is that of time.
pub(super) fn new_id() -> String {
    Uuid::now_v7().to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_uuids_that_never_repeat() {
        let ids: HashSet<String> = (0..10_000).map(|_| new_id()).collect();
        assert_eq!(ids.len(), 10_000);
        for id in ids {
            let id: Uuid = id.parse().unwrap();
            assert_eq!(id.get_version_num(), 7);
        }
    }

    #[test]
    fn the_next_step_is_in_the_same_turn() {
        let first = StepIds::new("s");
        let next = first.next_step();
        assert_ne!(next.step_id, first.step_id);
        let step_id = first.step_id.clone();
        assert_eq!(StepIds { step_id, ..next }, first);
    }
}
