//! The moments at which a host asks or tells a server something, as types named after their words for use in attributes.

use std::time::Duration;

use super::{
    Acknowledge, Acknowledged, AfterInference, BeforeInference, ChannelDescriptor, ChannelsClose,
    ChannelsOpen, Enabled, InferenceLifecycle, Injection, Modified, OutgoingChunk,
    OutgoingComplete, Publish, Published, RollbackRequest, Typing, feature_set::ROOM, wire::method,
};
use crate::core::Point;

/// A point of this room: one moment as a type.
///
/// Implemented by the unit types of [`point`](self) and by nothing else.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no point",
    label = "not a point",
    note = "the points are `before_inference`, `after_inference`, and the others of `mcpl::point`"
)]
pub trait McplPoint:
    Point<In: Send + Sync + 'static, Out: Send + 'static> + sealed::Sealed
{
    /// The point as a value.
    const AT: At;
    /// How long a hook there may take unless its author says otherwise.
    const DEADLINE: Duration = Self::AT.deadline();
    /// Whether the host's inference waits there or is watched there, so that a hook may not ask for inference itself
    /// (MCPL 0.4.1 §10.7).
    const CONTEXT: bool = Self::AT.is_context();
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! points {
    ($($(#[$doc:meta])+ $word:ident = $at:ident: $method:expr, $in:ty => $out:ty;)+) => {
        #[cfg(test)]
        const EVENTS: &[&str] = &[$(stringify!($in)),+];

        /// A point as a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum At {
            $($(#[$doc])+ $at,)+
        }

        impl At {
            /// Every point.
            pub const ALL: &'static [At] = &[$(At::$at,)+];

            /// The point's word in an attribute.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(At::$at => stringify!($word),)+
                }
            }

            /// The wire method; `enabled`, which is no method, for what this SDK tells.
            pub const fn method(self) -> &'static str {
                match self {
                    $(At::$at => $method,)+
                }
            }
        }

        $(
            $(#[$doc])+
            #[expect(non_camel_case_types, reason = "a point is named after its word in an attribute")]
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
            pub struct $word;

            impl Point for $word {
                type In = $in;
                type Out = $out;
                const ROOM: &'static str = ROOM;
                const METHOD: &'static str = $method;
            }

            impl McplPoint for $word {
                const AT: At = At::$at;
            }

            impl sealed::Sealed for $word {}
        )+
    };
}

points! {
    /// The host is about to run the model; what is answered is put into the context (MCPL 0.4.1 §10.1).
    before_inference = BeforeInference: method::BEFORE_INFERENCE, BeforeInference => Vec<Injection>;
    /// After the model answered; a blocking hook may change the answer (MCPL 0.4.1 §10.5).
    after_inference = AfterInference: method::AFTER_INFERENCE, AfterInference => Modified;
    /// How an inference goes, without its content (MCPL 0.5).
    lifecycle = Lifecycle: method::INFERENCE_LIFECYCLE, InferenceLifecycle => ();
    /// The feature set has become usable; the hook runs in a task of its own.
    enabled = Enabled: "enabled", Enabled => ();
    /// Back to an earlier checkpoint (MCPL 0.4.1 §8.5).
    rollback = Rollback: method::STATE_ROLLBACK, RollbackRequest => ();
    /// A channel is wanted (MCPL 0.4.1 §14.3).
    channels_open = ChannelsOpen: method::CHANNELS_OPEN, ChannelsOpen => ChannelDescriptor;
    /// A channel is no longer wanted (MCPL 0.4.1 §14.3).
    channels_close = ChannelsClose: method::CHANNELS_CLOSE, ChannelsClose => ();
    /// Something is to be delivered to a channel (MCPL 0.4.1 §14.3).
    channels_publish = ChannelsPublish: method::CHANNELS_PUBLISH, Publish => Published;
    /// A piece of what the model says, to be shown and never delivered (MCPL 0.4.1 §14.3).
    channels_outgoing_chunk = ChannelsOutgoingChunk: method::CHANNELS_OUTGOING_CHUNK, OutgoingChunk => ();
    /// All of what the model said, to be shown and never delivered (MCPL 0.4.1 §14.3).
    channels_outgoing_complete = ChannelsOutgoingComplete: method::CHANNELS_OUTGOING_COMPLETE, OutgoingComplete => ();
    /// Somebody is typing (MCPL 0.5).
    channels_typing = ChannelsTyping: method::CHANNELS_TYPING, Typing => ();
    /// A message is to be marked as noticed (MCPL 0.5).
    channels_acknowledge = ChannelsAcknowledge: method::CHANNELS_ACKNOWLEDGE, Acknowledge => Acknowledged;
}

impl At {
    /// How long a hook there may take unless its author says otherwise: at the context points half a second less than
    /// a host waits (MCPL 0.4.1 §10.6).
    pub const fn deadline(self) -> Duration {
        match self {
            At::BeforeInference => Duration::from_millis(4500),
            At::AfterInference => Duration::from_millis(9500),
            At::Rollback => Duration::from_secs(30),
            At::Enabled => Duration::MAX,
            _ => Duration::from_secs(10),
        }
    }

    /// Whether the host's inference waits there or is watched there.
    pub const fn is_context(self) -> bool {
        matches!(
            self,
            At::BeforeInference | At::AfterInference | At::Lifecycle
        )
    }

    /// Whether both are the same, in a constant too.
    pub(super) const fn is(self, other: At) -> bool {
        self as u8 == other as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_of<P: McplPoint>(_: P) -> (At, &'static str, &'static str) {
        (P::AT, P::METHOD, P::ROOM)
    }

    #[test]
    fn the_macros_know_every_point_and_its_event() {
        let words: Vec<&str> = At::ALL.iter().map(|at| at.as_str()).collect();
        assert_eq!(words, hooks_text::MCPL_POINTS.words);
        assert_eq!(EVENTS, hooks_text::MCPL_EVENTS);
    }

    #[test]
    fn each_point_has_its_method() {
        for (at, method, room) in [all_of(before_inference), all_of(channels_publish)] {
            assert_eq!((at.method(), room), (method, "mcpl"));
        }
        for at in At::ALL {
            assert_ne!(at.as_str(), "");
        }
    }

    #[test]
    fn context_points_end_before_their_hosts_time_out() {
        assert_eq!(before_inference::DEADLINE, Duration::from_millis(4500));
        assert_eq!(after_inference::DEADLINE, Duration::from_millis(9500));
        assert_eq!(enabled::DEADLINE, Duration::MAX);
        assert_eq!(rollback::DEADLINE, Duration::from_secs(30));
        assert_eq!(channels_open::DEADLINE, Duration::from_secs(10));
        for &at in At::ALL {
            let watched = matches!(
                at.as_str(),
                "before_inference" | "after_inference" | "lifecycle"
            );
            assert_eq!(at.is_context(), watched, "{at:?}");
        }
    }
}
