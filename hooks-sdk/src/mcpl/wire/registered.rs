//! What a host says to the channels that a server announced.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a host took of the channels that a server announced or changed.
///
/// The document does not say what the answer to `channels/register` is (MCPL 0.4.1 §14.3), and hosts
/// answer in three ways: with nothing, with the ids they took, and one by one, which is how 0.5 has it, also
/// for `channels/changed`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Option<Answer>", into = "Answer")]
#[non_exhaustive]
pub struct Registered {
    /// The ids that the host took.
    pub registered: Option<Vec<String>>,
    /// What the host says of each.
    pub results: Option<Vec<ChannelResult>>,
    /// Members that the document does not define.
    pub other: Map<String, Value>,
}

/// The members as they stand on the wire.
#[derive(Default, Serialize, Deserialize)]
struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    registered: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<ChannelResult>>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl From<Option<Answer>> for Registered {
    fn from(answer: Option<Answer>) -> Registered {
        let Answer {
            registered,
            results,
            other,
        } = answer.unwrap_or_default();
        Registered {
            registered,
            results,
            other,
        }
    }
}

impl From<Registered> for Answer {
    fn from(registered: Registered) -> Answer {
        let Registered {
            registered,
            results,
            other,
        } = registered;
        Answer {
            registered,
            results,
            other,
        }
    }
}

impl Registered {
    /// An answer one by one.
    pub fn results(results: Vec<ChannelResult>) -> Registered {
        Registered {
            results: Some(results),
            ..Registered::default()
        }
    }

    /// Whether the host took the channel.
    ///
    /// What is said one by one counts first, then the list of ids; an answer that says nothing of channels
    /// took them all. A channel that an answer leaves out was not taken.
    pub fn accepts(&self, id: &str) -> bool {
        match (&self.results, &self.registered) {
            (Some(results), _) => {
                let mut of_it = results.iter().filter(|result| result.id == id).peekable();
                of_it.peek().is_some() && of_it.all(|result| result.accepted)
            }
            (None, Some(ids)) => ids.iter().any(|taken| taken == id),
            (None, None) => true,
        }
    }

    /// Why the host did not take the channel, if it says so.
    pub fn reason(&self, id: &str) -> Option<&str> {
        let results = self.results.iter().flatten();
        let mut refused = results.filter(|result| result.id == id && !result.accepted);
        refused.find_map(|result| result.reason.as_deref())
    }
}

/// Whether a host took one channel (MCPL 0.5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChannelResult {
    /// The channel.
    pub id: String,
    /// Whether the host took it.
    pub accepted: bool,
    /// Why it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ChannelResult {
    /// The host took it.
    pub fn accepted(id: impl Into<String>) -> ChannelResult {
        ChannelResult {
            id: id.into(),
            accepted: true,
            reason: None,
            other: Map::new(),
        }
    }

    /// The host did not take it.
    pub fn refused(id: impl Into<String>, reason: impl Into<String>) -> ChannelResult {
        ChannelResult {
            accepted: false,
            reason: Some(reason.into()),
            ..ChannelResult::accepted(id)
        }
    }
}
