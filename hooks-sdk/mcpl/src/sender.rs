//! What a feature set may send to its host, as types named after their words in attributes.

use super::point::sealed::Sealed;
use hooks_core::internal::words;

words! {
    /// One kind of message that a feature set sends to its host on its own initiative.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Sender: "Returns the sender's word in `sends(…)`." {
        /// Events for the agent: `push/event` (MCPL 0.4.1 §9).
        Push = "push",
        /// Its own inferences: `inference/request` (MCPL 0.4.1 §11).
        Inference = "inference",
        /// The question which model the host uses: `model/info` (MCPL 0.4.1 §12).
        ModelInfo = "model_info",
        /// The list of its channels: `channels/register`, `channels/changed` and `channels/list` (MCPL 0.4.1 §14.3).
        Register = "register",
        /// Incoming messages: `channels/incoming` (MCPL 0.4.1 §14.3).
        Incoming = "incoming",
    }
}

impl Sender {
    /// Whether both are the same sender. Unlike `==`, it works in a constant.
    pub(super) const fn is(self, other: Sender) -> bool {
        self as u8 == other as u8
    }
}

/// A sender as a type, named by a word in `sends(…)`.
///
/// Only the unit types of [`sender`](self) implement it.
pub trait Word: Sealed + 'static {
    /// The sender.
    const SENDER: Sender;
}

macro_rules! types {
    ($($(#[$doc:meta])+ $word:ident = $sender:ident;)+) => {
        #[cfg(test)]
        const WORDS: &[&str] = &[$(stringify!($word)),+];
    $(
        $(#[$doc])+
        #[expect(non_camel_case_types, reason = "named after its word in an attribute")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $word;

        impl Sealed for $word {}

        impl Word for $word {
            const SENDER: Sender = Sender::$sender;
        }
    )+};
}

types! {
    /// Events for the agent.
    push = Push;
    /// Its own inferences.
    inference = Inference;
    /// The question which model the host uses.
    model_info = ModelInfo;
    /// The list of its channels.
    register = Register;
    /// Incoming messages.
    incoming = Incoming;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word<W: Word>(_: W) -> &'static str {
        W::SENDER.as_str()
    }

    #[test]
    fn the_macros_know_every_word() {
        assert_eq!(WORDS, hooks_text::SENDERS.words);
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
