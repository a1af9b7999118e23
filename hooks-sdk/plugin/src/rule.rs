//! The rules about an author's values: the attributes apply them to literals, and [`problems`](super::problems()) to hooks
//! made by hand. The rules about an answer's type are constants, because only the compiler knows the type.

use super::{Family, PluginAt, PluginMode};
pub use hooks_core::Problem;
pub(super) use hooks_text::rule::plugin::*;

/// Returns the problem in these words, if the rule is broken.
const fn broken(is_broken: bool, words: &'static str) -> Option<Problem> {
    if is_broken {
        return Some(Problem::new(words));
    }
    None
}

/// Nobody answers a question of a gate: clients run the call unasked, end the run, or wait for ever.
pub const fn asks_at(at: PluginAt, asks: bool) -> Option<Problem> {
    broken(
        matches!(at.family(), Family::AgentTool) && asks,
        "a gate cannot ask the user: some clients then run the call, and one waits for ever\n\
         help: answer with `Verdict<AgentToolCall>`, or with `Verdict<Infallible>` if nothing is changed",
    )
}

/// In these modes nobody waits for the user.
pub const fn asks(mode: PluginMode, asks: bool) -> Option<Problem> {
    let words = match mode {
        PluginMode::Audit => {
            "an `audit` hook cannot ask the user, and this answer can\n\
             help: answer with a `Verdict` without `Question`"
        }
        PluginMode::Concurrent => {
            "a `concurrent` hook cannot ask the user, and this answer can\n\
             help: answer with `Verdict<Infallible>`"
        }
        PluginMode::FireAndForget => {
            "a `fire_and_forget` hook cannot ask the user, and this answer can\n\
             help: answer with a `Verdict` without `Question`"
        }
        _ => return None,
    };
    broken(asks, words)
}

/// Hooks that run side by side would overwrite each other's changes.
pub const fn modifies(mode: PluginMode, modifies: bool, asks: bool) -> Option<Problem> {
    broken(
        matches!(mode, PluginMode::Concurrent) && modifies && !asks,
        "a `concurrent` hook cannot change the payload, and this answer can\n\
         help: answer with `Verdict<Infallible>`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AgentToolKind;

    #[test]
    fn what_an_answer_can_do_fits_the_mode_and_the_point() {
        let (gate, other) = (PluginAt::AgentToolPreInvoke, PluginAt::ToolPreInvoke);
        assert!(asks_at(gate, true).is_some() && asks_at(other, true).is_none());
        assert!(asks_at(gate, false).is_none());
        assert!(asks(PluginMode::Enforce, true).is_none());
        assert!(asks(PluginMode::Audit, false).is_none());
        for mode in [
            PluginMode::Concurrent,
            PluginMode::Audit,
            PluginMode::FireAndForget,
        ] {
            assert!(asks(mode, true).is_some_and(|problem| !problem.help().is_empty()));
        }
        assert!(modifies(PluginMode::Concurrent, true, false).is_some());
        assert!(modifies(PluginMode::Concurrent, false, false).is_none());
        assert!(modifies(PluginMode::Audit, true, false).is_none());
    }

    #[test]
    fn the_macros_know_every_word() {
        assert_eq!(crate::mode::WORDS, hooks_text::PLUGIN_MODES.words);
        assert_eq!(crate::list_of::WORDS, hooks_text::PLUGIN_LISTS.words);
        let kinds: Vec<&str> = AgentToolKind::ALL
            .iter()
            .map(|kind| kind.as_str())
            .collect();
        assert_eq!(kinds, hooks_text::AGENT_TOOL_KINDS.words);
        assert_eq!(crate::ROOTS, hooks_text::PLUGIN_ROOTS.words);
        let points: Vec<&str> = PluginAt::ALL.iter().map(|at| at.as_str()).collect();
        assert_eq!(points, hooks_text::PLUGIN_POINTS.words);
        let mut fields = PluginAt::ALL.iter().flat_map(|at| at.fields());
        assert!(fields.all(|field| hooks_text::PLUGIN_FIELDS.words.contains(field)));
    }
}
