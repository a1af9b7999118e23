//! What a server's context hooks contributed, as far as the host took it.

use serde_json::{Map, Value};

use super::CallError;
use crate::mcpl::{Content, Injection, Position};

/// What a server contributed before an inference.
///
/// Implements MCPL 0.4.1 §10.2, §10.6 and §10.8: whatever went wrong, the host goes on.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Contribution {
    /// The feature set that the server named.
    pub feature_set: Option<String>,
    /// What was taken, by position, and within one in the server's order.
    pub injections: Vec<Injection>,
    /// What was not taken, in the server's order.
    pub rejected: Vec<Rejected>,
    /// Why there is nothing, when the hook failed.
    pub failure: Option<CallError>,
}

/// An injection that the host did not take.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rejected {
    /// The injection.
    pub injection: Injection,
    /// Why.
    pub reason: String,
}

impl Contribution {
    /// What was taken at one position.
    pub fn at(&self, position: Position) -> impl Iterator<Item = &Injection> {
        let taken = self.injections.iter();
        taken.filter(move |injection| injection.position == position)
    }

    /// The texts that were taken at one position, with a line break between two.
    pub fn text_at(&self, position: Position) -> String {
        let contents = self.at(position).map(|injection| match &injection.content {
            Content::Text(text) => text.clone(),
            other => {
                let blocks = other.clone().into_blocks();
                let texts = blocks.iter().filter_map(|block| block.as_text());
                texts.collect::<Vec<_>>().join("\n")
            }
        });
        let texts = contents.filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// What became of a response that a blocking hook was asked about.
///
/// Implements MCPL 0.4.1 §10.5 and §13.3.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Moderated {
    /// What the user is shown; `None` when the hook failed and the host is closed then.
    pub response: Option<String>,
    /// Whether that is the server's text rather than the model's.
    pub modified: bool,
    /// The feature set that the server named.
    pub feature_set: Option<String>,
    /// What the server said about what it did.
    pub metadata: Option<Map<String, Value>>,
    /// Why the hook had no say.
    pub failure: Option<CallError>,
}
