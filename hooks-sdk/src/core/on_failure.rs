//! The words for what happens when a hook that makes its text fails.

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
    /// Whoever asked gets the failure.
    fail = Fail;
    /// The failure is logged, and the hook has nothing to say this time.
    ignore = Ignore;
    /// As `ignore`, and the hook is not run again in the registry that it was collected into.
    disable = Disable;
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_macros_know_every_word() {
        assert_eq!(super::WORDS, hooks_text::ON_FAILURE.words);
    }
}
