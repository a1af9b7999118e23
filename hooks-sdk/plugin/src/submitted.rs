//! The kinds of plugins that are linked into the program.

use super::Kind;

/// A kind as `#[plugin(kind = "…")]` submits it for collection.
#[derive(Debug)]
#[doc(hidden)]
#[expect(clippy::exhaustive_structs, reason = "built by generated code")]
pub struct SubmittedKind {
    pub kind: Kind,
}

inventory::collect!(SubmittedKind);

/// Returns every kind that is linked into this program by its attribute.
pub fn linked_kinds() -> impl Iterator<Item = Kind> {
    let submitted = inventory::iter::<SubmittedKind>;
    submitted.into_iter().map(|each| each.kind)
}
