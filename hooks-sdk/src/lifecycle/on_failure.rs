//! The words for what happens when an answering hook fails.

use crate::core::OnFailure;

macro_rules! words {
    ($($(#[$doc:meta])+ $word:ident = $policy:ident;)+) => {$(
        $(#[$doc])+
        #[expect(non_upper_case_globals, reason = "named after its word in an attribute")]
        pub const $word: OnFailure = OnFailure::$policy;
    )+};
}

words! {
    /// The client gets the failure as the tool's error.
    fail = Fail;
    /// The failure is logged, and the hook has nothing to say this time.
    ignore = Ignore;
    /// As `ignore`, and the hook is not run again in this process.
    disable = Disable;
}
