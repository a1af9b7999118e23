//! The words of an attribute for what happens when a hook fails.

use super::{OnFailure, macros::constants};

constants! {
    /// The caller gets the failure as an error.
    fail: OnFailure = Fail;
    /// The failure is logged, and the hook answers nothing this time.
    ignore: OnFailure = Ignore;
    /// As `ignore`, and the hook is not called again in the registry that it was collected into.
    disable: OnFailure = Disable;
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_macros_know_every_word() {
        assert_eq!(super::WORDS, hooks_text::ON_FAILURE.words);
    }
}
