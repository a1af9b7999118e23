//! The words for the position of an injection.

use super::Position;
use hooks_core::internal::constants;

constants! {
    /// With the system instructions.
    system: Position = System;
    /// Before the user's message.
    before_user: Position = BeforeUser;
    /// After the user's message.
    after_user: Position = AfterUser;
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_macros_know_every_word() {
        assert_eq!(super::WORDS, hooks_text::POSITIONS.words);
    }
}
