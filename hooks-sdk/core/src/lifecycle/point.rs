//! The six events as types, named after their words on the wire, for use in attributes.

use super::{Event, event};
use crate::{Point, point::sealed};

/// A point of this protocol: one of the six events as a type.
///
/// Implemented by the unit types of [`point`](self) and by nothing else.
pub trait LifecyclePoint: Point + sealed::Sealed {
    /// The event of this point.
    const EVENT: Event;
}

macro_rules! points {
    ($($(#[$doc:meta])+ $word:ident = $event:ident;)+) => {
        #[cfg(test)]
        const WORDS: &[&str] = &[$(stringify!($word)),+];
    $(
        $(#[$doc])+
        #[expect(non_camel_case_types, reason = "a point is named after its wire word")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $word;

        impl Point for $word {
            type In = event::$event;
            type Out = String;
            const PROTOCOL: &'static str = "lifecycle";
            const METHOD: &'static str = stringify!($word);
        }

        impl LifecyclePoint for $word {
            const EVENT: Event = Event::$event;
        }

        impl sealed::Sealed for $word {}
    )+};
}

points! {
    /// Agent session begins.
    session_start = SessionStart;
    /// Agent session ends.
    session_end = SessionEnd;
    /// Before a tool call.
    pre_tool_use = PreToolUse;
    /// After a tool call.
    post_tool_use = PostToolUse;
    /// Before agent turn.
    pre_request = PreRequest;
    /// After agent turn.
    post_request = PostRequest;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_macros_know_every_point() {
        assert_eq!(WORDS, hooks_text::LIFECYCLE_POINTS.words);
    }

    fn word<P: LifecyclePoint>(_: P) -> (&'static str, &'static str) {
        (P::METHOD, P::EVENT.as_str())
    }

    #[test]
    fn each_point_has_its_events_word() {
        let words = [
            word(session_start),
            word(session_end),
            word(pre_tool_use),
            word(post_tool_use),
            word(pre_request),
            word(post_request),
        ];
        for ((method, event), expected) in words.into_iter().zip(Event::ALL) {
            assert_eq!((method, event), (expected.as_str(), expected.as_str()));
        }
    }
}
