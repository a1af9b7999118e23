//! The moments at which a host sends a request or a notification to a server, as types named after their words in
//! attributes.

use std::time::Duration;

use super::{
    Acknowledge, Acknowledged, AfterInference, BeforeInference, ChannelDescriptor, ChannelsClose,
    ChannelsOpen, Enabled, InferenceLifecycle, Injection, Modified, OutgoingChunk,
    OutgoingComplete, PROTOCOL, Publish, Published, RollbackRequest, Typing, wire::method,
};
use hooks_core::Point;

/// A point of MCPL: one moment, as a type.
///
/// Only the unit types of [`point`](self) implement it.
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
    /// How long a hook may take at this point by default.
    const DEADLINE: Duration = Self::AT.deadline();
    /// Whether the point is part of the host's inference. A hook at such a point may not request inference (MCPL 0.4.1
    /// §10.7).
    const CONTEXT: bool = Self::AT.is_context();
}

pub(super) mod sealed {
    pub trait Sealed {}
}

macro_rules! points {
    ($($(#[$doc:meta])+ $word:ident = $at:ident: $method:expr, $in:ty => $out:ty;)+) => {
        /// A point as a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum At {
            $($(#[$doc])+ $at,)+
        }

        impl At {
            /// Every point.
            pub const ALL: &'static [At] = &[$(At::$at,)+];

            /// Returns the point's word in an attribute.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(At::$at => stringify!($word),)+
                }
            }

            /// Returns the wire method. `enabled` is not a method: the SDK itself reports that moment.
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
                const PROTOCOL: &'static str = PROTOCOL;
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
    /// The host is about to run the model. The host puts the answer into the context (MCPL 0.4.1 §10.1).
    before_inference = BeforeInference: method::BEFORE_INFERENCE, BeforeInference => Vec<Injection>;
    /// The model has answered. A blocking hook may change the answer (MCPL 0.4.1 §10.5).
    after_inference = AfterInference: method::AFTER_INFERENCE, AfterInference => Modified;
    /// An inference starts or ends; its content is not sent (MCPL 0.5).
    lifecycle = Lifecycle: method::INFERENCE_LIFECYCLE, InferenceLifecycle => ();
    /// The feature set has become usable. The hook runs in its own task.
    enabled = Enabled: "enabled", Enabled => ();
    /// The host goes back to an earlier checkpoint (MCPL 0.4.1 §8.5).
    rollback = Rollback: method::STATE_ROLLBACK, RollbackRequest => ();
    /// The host wants a channel opened (MCPL 0.4.1 §14.3).
    channels_open = ChannelsOpen: method::CHANNELS_OPEN, ChannelsOpen => ChannelDescriptor;
    /// The host wants a channel closed (MCPL 0.4.1 §14.3).
    channels_close = ChannelsClose: method::CHANNELS_CLOSE, ChannelsClose => ();
    /// The host wants a message delivered to a channel (MCPL 0.4.1 §14.3).
    channels_publish = ChannelsPublish: method::CHANNELS_PUBLISH, Publish => Published;
    /// One chunk of the model's output. A server may show it, and never delivers it (MCPL 0.4.1 §14.3).
    channels_outgoing_chunk = ChannelsOutgoingChunk: method::CHANNELS_OUTGOING_CHUNK, OutgoingChunk => ();
    /// The whole of the model's output. A server may show it, and never delivers it (MCPL 0.4.1 §14.3).
    channels_outgoing_complete = ChannelsOutgoingComplete: method::CHANNELS_OUTGOING_COMPLETE, OutgoingComplete => ();
    /// Somebody is typing on a channel (MCPL 0.5).
    channels_typing = ChannelsTyping: method::CHANNELS_TYPING, Typing => ();
    /// The host wants a message acknowledged (MCPL 0.5).
    channels_acknowledge = ChannelsAcknowledge: method::CHANNELS_ACKNOWLEDGE, Acknowledge => Acknowledged;
}

impl At {
    /// Returns how long a hook may take at this point by default. At the context points it is half a second less than
    /// the host's own time-out (MCPL 0.4.1 §10.6).
    pub const fn deadline(self) -> Duration {
        match self {
            At::BeforeInference => Duration::from_millis(4500),
            At::AfterInference => Duration::from_millis(9500),
            At::Rollback => Duration::from_secs(30),
            At::Enabled => Duration::MAX,
            _ => Duration::from_secs(10),
        }
    }

    /// Whether the point is part of the host's inference.
    pub const fn is_context(self) -> bool {
        matches!(
            self,
            At::BeforeInference | At::AfterInference | At::Lifecycle
        )
    }

    /// Whether both are the same point. Unlike `==`, it works in a constant.
    pub(super) const fn is(self, other: At) -> bool {
        self as u8 == other as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_of<P: McplPoint>(_: P) -> (At, &'static str, &'static str) {
        (P::AT, P::METHOD, P::PROTOCOL)
    }

    #[test]
    fn the_macros_know_every_point() {
        let words: Vec<&str> = At::ALL.iter().map(|at| at.as_str()).collect();
        assert_eq!(words, hooks_text::MCPL_POINTS.words);
    }

    #[test]
    fn each_point_has_its_method() {
        for (at, method, protocol) in [all_of(before_inference), all_of(channels_publish)] {
            assert_eq!((at.method(), protocol), (method, "mcpl"));
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
