//! The enums of this program that derive `SessionState`.

use crate::Origin;

/// An enum that derives `SessionState`, as the derive submits it. It does not name the type, so that the compiler still warns of
/// one that nothing uses.
#[derive(Debug)]
#[doc(hidden)]
#[expect(clippy::exhaustive_structs, reason = "built by generated code")]
pub struct SubmittedStates {
    pub name: &'static str,
    pub states: &'static [&'static str],
    /// The tools that the states name, some of them more than once.
    pub tools: &'static [&'static str],
    pub origin: Origin,
}

inventory::collect!(SubmittedStates);

/// Returns every enum that derives `SessionState` and is linked into this program.
#[doc(hidden)]
pub fn linked_states() -> impl Iterator<Item = &'static SubmittedStates> {
    inventory::iter::<SubmittedStates>.into_iter()
}
