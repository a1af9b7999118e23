//! The rules about an author's values. Those about the type of an answer are constants, because only the compiler knows the
//! type.

use super::{Scoped, point::At, sender::Sender};
pub use hooks_core::Problem;
pub(super) use hooks_text::rule::mcpl::*;

/// The definition of a feature set names every sender that its type implements.
pub const fn declared(is_named: bool, sender: Sender) -> Option<Problem> {
    if is_named {
        return None;
    }
    Some(sender.undeclared())
}

/// A hook that returns `()` cannot inject.
pub const fn inject_nothing(at: At, says: bool) -> Option<Problem> {
    // At other points `inject` itself is wrong, and another rule reports it.
    if says || !at.is(At::BeforeInference) {
        return None;
    }
    Some(Problem::new(
        "the hook answers nothing, so that it has nothing to put into the context\n\
         help: answer with `Vec<Injection>`, or remove the positions",
    ))
}

/// An answer to a host that does not wait for one is lost.
pub const fn change(at: At, blocking: bool, says: bool) -> Option<Problem> {
    if !at.is(At::AfterInference) || blocking || !says {
        return None;
    }
    Some(Problem::new(
        "the hook changes what the model said, but no host waits for it\n\
         help: add `blocking`, or answer nothing",
    ))
}

/// The feature set of a tool with a `scope` is scoped (MCPL 0.4.1 §7.1).
pub const fn scoped<F: Scoped>() {}
