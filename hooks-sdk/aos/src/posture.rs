//! What an observed server does without a decision.

/// What an observed server does with a step when it gets no usable decision. There is no default: the author decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the document leaves the two, and a third would be a decision"
)]
pub enum Posture {
    /// The step is denied.
    Deny,
    /// The step goes on, and the bypass is counted and recorded.
    Proceed,
}
