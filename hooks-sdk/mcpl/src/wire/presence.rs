//! Presence on a channel: somebody is typing, and a message was seen.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use hooks_core::Open;

objects! {
    /// A host shows on a channel that it is typing.
    ///
    /// The params of `channels/typing`. MCPL 0.5 names the method without its members; these are the ones in use.
    pub struct Typing {
        /// The channel.
        channel_id: String,
        /// Whether typing starts or stops. It starts if the member is absent.
        op?: Open<TypingOp>,
        /// Further information.
        metadata?: Map<String, Value>,
    }
}

/// Whether typing starts or stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum TypingOp {
    /// Typing starts.
    Start,
    /// Typing stops.
    Stop,
}

objects! {
    /// A host shows on a channel that it saw a message.
    ///
    /// The params of `channels/acknowledge`. MCPL 0.5 names the method without its members; these are the ones in use.
    pub struct Acknowledge {
        /// The channel.
        channel_id: String,
        /// The message.
        message_id: String,
        /// The form of the acknowledgement, if the platform has a choice.
        value?: Value,
    }

    /// Whether the platform now shows that the host saw a message.
    ///
    /// The answer to `channels/acknowledge` of MCPL 0.5, with the members in use.
    pub struct Acknowledged {
        /// Whether the acknowledgement is shown.
        acknowledged: bool,
        /// How it is shown.
        representation?: Value,
        /// Why it is not shown.
        reason?: String,

        /// Sets how it is shown.
        fn representation(representation: impl Into<Value>) => representation;
    }
}

impl Acknowledged {
    /// The acknowledgement is shown.
    pub fn done() -> Acknowledged {
        Acknowledged {
            acknowledged: true,
            representation: None,
            reason: None,
            other: Map::new(),
        }
    }

    /// The acknowledgement is not shown.
    pub fn failed(reason: impl Into<String>) -> Acknowledged {
        Acknowledged {
            acknowledged: false,
            reason: Some(reason.into()),
            ..Acknowledged::done()
        }
    }
}
