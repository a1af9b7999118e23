//! Injections: what a server adds to a context, and at which position.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, de::value::StrDeserializer};
use serde_json::{Map, Value};

use super::Content;

/// A position in a context.
///
/// Implements MCPL 0.4.1 §10.4 and appendix B.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Position {
    /// With the system instructions.
    System,
    /// Before the user's message.
    BeforeUser,
    /// After the user's message.
    AfterUser,
}

impl Position {
    /// All positions, in the document's order.
    pub const ALL: [Position; 3] = [Position::System, Position::BeforeUser, Position::AfterUser];

    /// Returns the position's word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Position::System => "system",
            Position::BeforeUser => "beforeUser",
            Position::AfterUser => "afterUser",
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

objects! {
    /// Content that a server adds to a context.
    ///
    /// Implements MCPL 0.4.1 §10.4.
    pub struct Injection {
        /// The server's own name for this kind of content.
        namespace: String,
        /// The position.
        #[serde(deserialize_with = "closed")]
        position: Position,
        /// The content.
        content: Content,
        /// Further information for the host.
        metadata?: Map<String, Value>,

        /// Makes an injection without metadata.
        fn new(namespace: impl Into<String>, position: Position, content: impl Into<Content>);

        /// Sets further information for the host.
        fn metadata(metadata: Map<String, Value>) => metadata;
    }
}

/// Reads a word of a closed vocabulary. It must be a string.
fn closed<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let word = Box::<str>::deserialize(deserializer)?;
    T::deserialize(StrDeserializer::new(&word))
}
