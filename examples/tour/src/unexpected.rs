//! What a step expected, and what came instead.

/// A step that did not do what it says.
#[derive(Debug)]
pub(super) struct Unexpected {
    pub(super) expected: String,
    pub(super) came: String,
}

impl Unexpected {
    pub(super) fn new(expected: impl Into<String>, came: impl ToString) -> Self {
        Self {
            expected: expected.into(),
            came: came.to_string(),
        }
    }
}

/// Checks that a step did what it says.
pub(super) fn check(
    holds: bool,
    expected: impl Into<String>,
    came: impl ToString,
) -> Result<(), Unexpected> {
    if holds {
        Ok(())
    } else {
        Err(Unexpected::new(expected, came))
    }
}
