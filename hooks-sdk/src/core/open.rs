//! A closed vocabulary read openly: a peer's new word is kept, not refused.

use serde::{Deserialize, Serialize};

/// A word of the vocabulary `T`, or one that it does not know yet.
///
/// What peers send is decoded as `Open<T>`; what authors write is a `T`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Open<T> {
    /// A word that this version knows.
    Known(T),
    /// Any other word, as it stood on the wire.
    Other(Box<str>),
}

impl<T> Open<T> {
    /// The known word, if it is one.
    pub fn known(&self) -> Option<&T> {
        match self {
            Open::Known(word) => Some(word),
            Open::Other(_) => None,
        }
    }
}

impl<T> From<T> for Open<T> {
    fn from(word: T) -> Open<T> {
        Open::Known(word)
    }
}
