//! The suites of the protocol `aos`: pairs of a step and its decision, and what is refused on either side.

mod pairs;
mod refused;
mod scripted;

use serde_json::Value;

use super::{Outcome, Protocol};

/// The protocol, for the table in `tests/vectors.rs`.
pub const PROTOCOL: Protocol = Protocol {
    name: "aos",
    suites: &[
        ("pairs", pairs::run),
        ("printed", refused::requests),
        ("malformed-requests", refused::requests),
        ("malformed-responses", refused::responses),
    ],
};

/// Runs each vector of a file.
fn each(file: &Value, run: impl Fn(&Value) -> Result<(), super::Mismatch>) -> Vec<Outcome> {
    let vectors = file["vectors"].as_array().map_or(&[][..], Vec::as_slice);
    let outcome = |vector: &Value| Outcome {
        name: vector["id"].as_str().unwrap_or("?").to_owned(),
        result: run(vector),
    };
    vectors.iter().map(outcome).collect()
}
