//! The words for the position of an injection.

use super::Position;

macro_rules! words {
    ($($(#[$doc:meta])+ $word:ident = $position:ident;)+) => {
        #[cfg(test)]
        const WORDS: &[&str] = &[$(stringify!($word)),+];
    $(
        $(#[$doc])+
        #[expect(non_upper_case_globals, reason = "named after its word in an attribute")]
        pub const $word: Position = Position::$position;
    )+};
}

words! {
    /// With the system instructions.
    system = System;
    /// Before the user's message.
    before_user = BeforeUser;
    /// After the user's message.
    after_user = AfterUser;
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_macros_know_every_word() {
        assert_eq!(super::WORDS, hooks_text::POSITIONS.words);
    }
}
