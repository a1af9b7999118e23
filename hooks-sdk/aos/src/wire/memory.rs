//! Memory: what an agent keeps, and what it remembers.

/// Texts that are about to be kept, or to be remembered. Data travels as its JSON text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// The texts.
    pub memory: Vec<String>,
}

impl Memory {
    /// Makes memory of texts.
    pub fn new<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Memory {
        Memory {
            memory: texts.into_iter().map(Into::into).collect(),
        }
    }
}
