//! The suites of the protocol `mcpl`: the documents of the specification, and the digests of manifests.

mod digests;
mod examples;
mod frame;
mod leftovers;
mod routing;
mod schema;

pub use examples::check;
pub use leftovers::leftovers;

use super::Protocol;

/// The protocol, for the table in `tests/vectors.rs`.
pub const PROTOCOL: Protocol = Protocol {
    name: "mcpl",
    suites: &[
        ("examples-0.4.1", examples::run),
        ("manifest-digest-vectors", digests::run),
    ],
};
