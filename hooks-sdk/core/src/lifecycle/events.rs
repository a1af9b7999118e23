//! The six lifecycle events: as values, as the types that attributes name, and as what an answering hook receives.

use std::{convert::Infallible, marker::PhantomData};

use serde::{Deserialize, Serialize};

use super::Variables;
use crate::{Point, macros::words, point::sealed};

/// A point of this protocol: one of the six events as a type.
///
/// Implemented by the unit types of [`point`] and by nothing else.
pub trait LifecyclePoint: Point + sealed::Sealed {
    /// The event of this point.
    const EVENT: Event;
}

/// A type that a hook at the point `P` can receive as its event.
///
/// Implemented by the event's own struct, by [`Variables`], and by `()` for a hook that ignores the event.
#[diagnostic::on_unimplemented(
    message = "`{P}` hooks do not receive `{Self}`",
    label = "not this point's input",
    note = "a hook receives the struct that is named after its point: `&SessionStart` at `session_start`, and so on"
)]
pub trait LifecycleInput<P: LifecyclePoint>: Sized {
    /// Makes the event from the values that the client sent.
    fn receive(variables: Variables) -> Self;
}

impl<P: LifecyclePoint> LifecycleInput<P> for Variables {
    fn receive(variables: Variables) -> Variables {
        variables
    }
}

impl<P: LifecyclePoint> LifecycleInput<P> for () {
    fn receive(_: Variables) {}
}

/// `IsLifecycleInput::ANSWER` says whether `T` is an input of the point `P`. The attribute asks it about a type in the wrong place.
#[doc(hidden)]
#[derive(Debug)]
pub struct IsLifecycleInput<T, P>(PhantomData<(T, P)>, Infallible);

impl<T: LifecycleInput<P>, P: LifecyclePoint> IsLifecycleInput<T, P> {
    pub const ANSWER: bool = true;
}

/// Each row has the word of an event, its name as a value and as a struct, and the variables that it knows besides the project and the session.
macro_rules! events {
    ($(
        $(#[$doc:meta])+
        $word:ident = $event:ident { $($(#[$field_doc:meta])+ $field:ident,)* }
    )+) => {
        words! {
            /// A moment in an agent's session, as SEP-2282 normalises it across clients.
            ///
            /// Implements SEP-2282, "Event types". [`Open`](crate::Open) keeps a peer's word that is none of the six.
            ///
            /// ```
            /// use hooks_sdk::lifecycle::Event;
            ///
            /// assert_eq!(Event::PostToolUse.as_str(), "post_tool_use");
            /// assert!(Event::PostToolUse.is_tool_event());
            /// ```
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
            #[serde(rename_all = "snake_case")]
            #[non_exhaustive]
            pub enum Event: "Returns the event's word on the wire." {
                $($(#[$doc])+ $event = stringify!($word),)+
            }
        }

        impl Event {
            /// The six events, in the document's order.
            pub const ALL: [Event; 6] = [$(Event::$event),+];

            /// Returns the template variables that can have a value at this event.
            ///
            /// Implements SEP-2282, "Template variables".
            pub const fn variables(self) -> &'static [&'static str] {
                match self {
                    $(Event::$event => &["project_name", "session_id", $(stringify!($field)),*],)+
                }
            }
        }

        /// The six events as types, named after their words on the wire, for use in attributes.
        pub mod point {
            use super::{Event, LifecyclePoint};
            use crate::{Point, point::sealed};

            $(
            $(#[$doc])+
            #[expect(non_camel_case_types, reason = "a point is named after its wire word")]
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
            pub struct $word;

            impl Point for $word {
                type In = super::$event;
                type Out = String;
                const PROTOCOL: &'static str = "lifecycle";
                const METHOD: &'static str = stringify!($word);
            }

            impl LifecyclePoint for $word {
                const EVENT: Event = Event::$event;
            }

            impl sealed::Sealed for $word {}
            )+
        }
    $(
        $(#[$doc])+
        ///
        /// A value that the client does not know is `None`.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $event {
            /// Current project or workspace name.
            pub project_name: Option<String>,
            /// Current session identifier.
            pub session_id: Option<String>,
            $($(#[$field_doc])+ pub $field: Option<String>,)*
        }

        // For each point by itself: the compiler then suggests the type that an author probably meant.
        impl LifecycleInput<point::$word> for $event {
            fn receive(variables: Variables) -> $event {
                $event {
                    project_name: variables.project_name,
                    session_id: variables.session_id,
                    $($field: variables.$field,)*
                }
            }
        }
    )+};
}

events! {
    /// Agent session begins: the client initializes a new agent session.
    session_start = SessionStart {}
    /// Agent session ends: the client is about to close the session.
    session_end = SessionEnd {}
    /// Before a tool call: the agent is about to invoke a tool.
    pre_tool_use = PreToolUse {
        /// Name of the tool being invoked.
        tool_name,
        /// Serialized tool input.
        tool_input,
    }
    /// After a tool call: a tool call has completed.
    post_tool_use = PostToolUse {
        /// Name of the tool that was invoked.
        tool_name,
        /// Serialized tool input.
        tool_input,
        /// Serialized tool output.
        tool_output,
    }
    /// Before agent turn: the agent is about to process a new user message.
    pre_request = PreRequest {}
    /// After agent turn: the agent has finished responding to a user message.
    post_request = PostRequest {}
}

impl Event {
    /// Returns whether the event is about a tool call, so that a matcher applies.
    pub const fn is_tool_event(self) -> bool {
        matches!(self, Event::PreToolUse | Event::PostToolUse)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;
    use crate::Open;

    #[test]
    fn each_word_is_the_wire_word() {
        for event in Event::ALL {
            assert_eq!(to_value(event).unwrap(), json!(event.as_str()));
            assert_eq!(from_value::<Event>(json!(event.as_str())).unwrap(), event);
        }
    }

    #[test]
    fn a_new_word_is_kept() {
        let word: Open<Event> = from_value(json!("pre_compact")).unwrap();
        assert_eq!(word, Open::Other("pre_compact".into()));
        assert_eq!(to_value(word).unwrap(), json!("pre_compact"));
    }

    #[test]
    fn the_macros_know_every_point() {
        assert_eq!(
            Event::ALL.map(Event::as_str),
            hooks_text::LIFECYCLE_POINTS.words
        );
    }

    fn word<P: LifecyclePoint>(_: P) -> (&'static str, &'static str) {
        (P::METHOD, P::EVENT.as_str())
    }

    #[test]
    fn each_point_has_its_events_word() {
        let words = [
            word(point::session_start),
            word(point::session_end),
            word(point::pre_tool_use),
            word(point::post_tool_use),
            word(point::pre_request),
            word(point::post_request),
        ];
        assert_eq!(
            words,
            Event::ALL.map(|event| (event.as_str(), event.as_str()))
        );
    }
}
