//! What a feature set may send to its host, as types named after their words in attributes.

use super::{derived::Row, point::sealed::Sealed};
use hooks_core::{Problem, internal::words};

/// A sender as a type, named by a word in `sends(…)`.
///
/// Only the unit types of [`sender`](self) implement it.
pub trait Word: Sealed + 'static {
    /// The sender.
    const SENDER: Sender;
}

macro_rules! senders {
    (
        points $points:tt
        methods $methods:tt
        senders {$(
            $(#[$doc:meta])+
            $word:ident = $sender:ident
                uses [$($uses_04:literal)*] [$($uses_05:literal)*] can [$($can_04:literal)*] [$($can_05:literal)*];
        )+}
    ) => {
        words! {
            /// One kind of message that a feature set sends to its host on its own initiative.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[non_exhaustive]
            pub enum Sender, ALL: "Returns the sender's word in `sends(…)`." {
                $($(#[$doc])+ $sender = stringify!($word),)+
            }
        }

        impl Sender {
            /// The problem of a definition that does not name the sender, although its type sends it.
            pub(super) const fn undeclared(self) -> Problem {
                Problem::new(match self {
                    $(Sender::$sender => concat!(
                        "its definition does not name `Sender::", stringify!($sender), "`\n",
                        "help: add it to `Definition::sends`"
                    ),)+
                })
            }

            /// Returns what a feature set that sends this needs and can use.
            pub(super) const fn row(self) -> Row {
                match self {
                    $(Sender::$sender => Row {
                        uses_04: &[$($uses_04),*],
                        can_04: &[$($can_04),*],
                        uses_05: &[$($uses_05),*],
                        can_05: &[$($can_05),*],
                    },)+
                }
            }
        }

        $(
            $(#[$doc])+
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
            pub struct $word;

            impl Sealed for $word {}

            impl Word for $word {
                const SENDER: Sender = Sender::$sender;
            }
        )+
    };
}
hooks_text::mcpl_methods!(senders);

impl Sender {
    /// Whether both are the same sender. Unlike `==`, it works in a constant.
    pub(super) const fn is(self, other: Sender) -> bool {
        self as u8 == other as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word<W: Word>(_: W) -> &'static str {
        W::SENDER.as_str()
    }

    #[test]
    fn each_word_is_its_senders() {
        let words = [
            word(push),
            word(inference),
            word(model_info),
            word(register),
            word(incoming),
        ];
        let expected = ["push", "inference", "model_info", "register", "incoming"];
        assert_eq!(words, expected);
    }
}
