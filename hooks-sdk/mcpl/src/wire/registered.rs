//! The host's answer to announced channels.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

objects! {
    /// The channels that a host accepted, of those that a server announced or changed.
    ///
    /// The document does not define the answer to `channels/register` (MCPL 0.4.1 §14.3). Hosts answer in three ways: with
    /// nothing, with the accepted ids, or with one result for each channel. 0.5 defines the last, also for
    /// `channels/changed`.
    #[derive(Default)]
    #[serde(from = "Option<Answer>")]
    pub struct Registered {
        /// The accepted ids.
        registered?: Vec<String>,
        /// One result for each channel.
        results?: Vec<ChannelResult>,
    }
}

/// The members on the wire, where the answer is an object.
#[derive(Default, Deserialize)]
struct Answer {
    registered: Option<Vec<String>>,
    results: Option<Vec<ChannelResult>>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl From<Option<Answer>> for Registered {
    fn from(answer: Option<Answer>) -> Registered {
        let answer = answer.unwrap_or_default();
        Registered {
            registered: answer.registered,
            results: answer.results,
            other: answer.other,
        }
    }
}

impl Registered {
    /// Makes an answer with one result for each channel.
    pub fn results(results: Vec<ChannelResult>) -> Registered {
        Registered {
            results: Some(results),
            ..Registered::default()
        }
    }

    /// Whether the host accepted the channel.
    ///
    /// A result for the channel counts first, then the list of ids. An answer with neither accepts all channels. A
    /// channel that an answer leaves out was not accepted.
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

    /// Returns why the host did not accept the channel, if it says so.
    pub fn reason(&self, id: &str) -> Option<&str> {
        let results = self.results.iter().flatten();
        let mut refused = results.filter(|result| result.id == id && !result.accepted);
        refused.find_map(|result| result.reason.as_deref())
    }
}

objects! {
    /// The host's result for one channel (MCPL 0.5).
    pub struct ChannelResult {
        /// The channel.
        id: String,
        /// Whether the host accepted the channel.
        accepted: bool,
        /// Why the host did not accept it.
        reason?: String,
    }
}

impl ChannelResult {
    /// The host accepted the channel.
    pub fn accepted(id: impl Into<String>) -> ChannelResult {
        ChannelResult {
            id: id.into(),
            accepted: true,
            reason: None,
            other: Map::new(),
        }
    }

    /// The host did not accept the channel.
    pub fn refused(id: impl Into<String>, reason: impl Into<String>) -> ChannelResult {
        ChannelResult {
            accepted: false,
            reason: Some(reason.into()),
            ..ChannelResult::accepted(id)
        }
    }
}
