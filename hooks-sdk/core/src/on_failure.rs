//! The words of an attribute for what happens when a hook fails.

use super::OnFailure;

macro_rules! words {
    ($($(#[$doc:meta])+ $word:ident = $policy:ident;)+) => {
        #[cfg(test)]
        const WORDS: &[&str] = &[$(stringify!($word)),+];
    $(
        $(#[$doc])+
        #[expect(non_upper_case_globals, reason = "named after its word in an attribute")]
        pub const $word: OnFailure = OnFailure::$policy;
    )+};
}

words! {
    /// The caller gets the failure as an error.
    fail = Fail;
    /// The failure is logged, and the hook answers nothing this time.
    ignore = Ignore;
    /// As `ignore`, and the hook is not called again in the registry that it was collected into.
    disable = Disable;
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_macros_know_every_word() {
        assert_eq!(super::WORDS, hooks_text::ON_FAILURE.words);
    }
}
