//! The moments at which a host sends a request or a notification to a server, as types named after their words in
//! attributes.

use std::time::Duration;

use super::{Enabled, McplAnswer, PROTOCOL, derived::Row, receive::McplInput, rule, wire::*};
use hooks_core::{
    HookError, Point,
    internal::{point, words},
};

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

/// Whether an answer can hold anything.
macro_rules! says {
    (()) => {
        false
    };
    ($($out:tt)+) => {
        true
    };
}

macro_rules! points {
    (
        points {$(
            $(#[$doc:meta])+
            $word:ident = $at:ident [$($constant:ident)? $method:literal] ($in:ident => $($out:tt)+)
                uses [$($uses_04:literal)*] [$($uses_05:literal)*] can [$($can_04:literal)*] [$($can_05:literal)*]
                $served:tt;
        )+}
        methods $methods:tt
        senders $senders:tt
    ) => {
        words! {
            /// A point as a value.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[non_exhaustive]
            pub enum At, ALL: "Returns the point's word in an attribute." {
                $($(#[$doc])+ $at = stringify!($word),)+
            }
        }

        impl At {
            /// Returns the wire method. `enabled` is not a method: the SDK itself reports that moment.
            pub const fn method(self) -> &'static str {
                match self {
                    $(At::$at => $method,)+
                }
            }

            /// Returns what a hook at this point needs and can use.
            pub(super) const fn row(self) -> Row {
                match self {
                    $(At::$at => Row {
                        uses_04: &[$($uses_04),*],
                        can_04: &[$($can_04),*],
                        uses_05: &[$($uses_05),*],
                        can_05: &[$($can_05),*],
                    },)+
                }
            }
        }

        $(
            point! {
                $(#[$doc])+
                $word: $in => $($out)+, PROTOCOL, $method, McplInput
            }

            impl McplPoint for $word {
                const AT: At = At::$at;
            }

            impl McplAnswer<$word> for $($out)+ {
                const SAYS: bool = says!($($out)+);

                fn answer(self) -> Result<$($out)+, HookError> {
                    Ok(self)
                }
            }
        )+
    };
}
hooks_text::mcpl_methods!(points);

impl At {
    /// Returns how long a hook may take at this point by default. At the context points it is half a second less than
    /// the host's own time-out (MCPL 0.4.1 §10.6).
    pub const fn deadline(self) -> Duration {
        match self {
            At::BeforeInference => Duration::from_millis(rule::BEFORE_INFERENCE_MS),
            At::AfterInference => Duration::from_millis(rule::AFTER_INFERENCE_MS),
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
        assert_eq!(
            before_inference::DEADLINE,
            Duration::from_millis(rule::BEFORE_INFERENCE_MS)
        );
        assert_eq!(
            after_inference::DEADLINE,
            Duration::from_millis(rule::AFTER_INFERENCE_MS)
        );
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
