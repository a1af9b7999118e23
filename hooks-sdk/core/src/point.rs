//! A point: a moment in the agent's life that a hook can be written for.

/// Keeps the traits of points to the unit types of this package.
pub(crate) mod sealed {
    pub trait Sealed {}
}

/// One moment that a protocol defines: the input and the answer of a hook there, and its wire name.
///
/// Each protocol implements it for the unit types in its `point` module, which have the names of the wire words. So rustc
/// resolves the word in an attribute (`#[lifecycle::hook(post_tool_use, …)]`), and underlines the author's token if it is
/// misspelt.
pub trait Point: 'static {
    /// The input of a hook at this point.
    type In;
    /// The answer of a hook at this point.
    type Out;
    /// The protocol that owns the point, such as `lifecycle`.
    const PROTOCOL: &'static str;
    /// The protocol's own word for the point, such as `post_tool_use`.
    const METHOD: &'static str;
}

/// A point whose hooks receive a `T` by reference.
pub trait Takes<T>: Point {
    /// Borrows it.
    fn take(input: &Self::In) -> &T;
}
