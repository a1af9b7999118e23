//! A moment in the agent's life at which a hook can stand.

/// One moment that a protocol defines: what a hook there receives, what it answers, and its wire name.
///
/// Each room implements it for the unit types of its `point` module, which are named after the wire
/// word, so that the word in an attribute (`#[lifecycle::hook(post_tool_use, …)]`) is resolved by the
/// compiler and a misspelt one is reported on the author's own token.
pub trait Point: 'static {
    /// What a hook at this point receives.
    type In;
    /// What a hook at this point answers.
    type Out;
    /// The room that owns the point, such as `lifecycle`.
    const ROOM: &'static str;
    /// The protocol's own word for the point, such as `post_tool_use`.
    const METHOD: &'static str;
}
