//! The vector harness: recorded behaviour in language-neutral JSON, run against ours.
//!
//! A protocol adds a module with a table of its suites, and one line to `tests/vectors.rs`. The layout and the
//! words of the report are those of `vectors/README.md`.

pub mod aos;
mod arguments;
pub mod guidance;
pub mod lifecycle;
pub mod mcpl;
pub mod plugin;
mod run;

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

pub use arguments::Arguments;
pub use run::run;

/// The suites of one protocol.
#[derive(Clone, Copy, Debug)]
pub struct Protocol {
    /// The protocol's folder.
    pub name: &'static str,
    /// Its suites, by file name without the ending.
    pub suites: &'static [(&'static str, Suite)],
}

/// Runs one file's vectors.
pub type Suite = fn(file: &Value) -> Vec<Outcome>;

/// What came of one vector.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The vector's id.
    pub name: String,
    /// Whether ours behaves as recorded.
    pub result: Result<(), Mismatch>,
}

/// How ours differs from what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// What the vector records.
    pub expected: String,
    /// What ours did.
    pub got: String,
}

impl Mismatch {
    /// Compares what a vector records with what ours gave.
    ///
    /// # Errors
    ///
    /// That they differ.
    pub fn compare(expected: &Value, got: &Value) -> Result<(), Mismatch> {
        if expected == got {
            return Ok(());
        }
        Err(Mismatch {
            expected: expected.to_string(),
            got: got.to_string(),
        })
    }
}

/// Runs each entry of `file.vectors` through `ours`, which makes an output of its `input`.
pub fn each(file: &Value, ours: impl Fn(&Value) -> Value) -> Vec<Outcome> {
    let vectors = file["vectors"].as_array().map_or(&[][..], Vec::as_slice);
    vectors
        .iter()
        .enumerate()
        .map(|(at, vector)| Outcome {
            name: vector["id"]
                .as_str()
                .map_or_else(|| format!("#{at}"), str::to_owned),
            result: catch_unwind(AssertUnwindSafe(|| ours(&vector["input"])))
                .map_err(|panic| Mismatch {
                    expected: vector["output"].to_string(),
                    got: format!("a panic: {}", panic_message(&*panic)),
                })
                .and_then(|got| Mismatch::compare(&vector["output"], &got)),
        })
        .collect()
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
