//! The types that an answering hook receives at each event.

use std::{convert::Infallible, marker::PhantomData};

use super::{LifecyclePoint, Variables, point};

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

macro_rules! events {
    ($($(#[$doc:meta])+ $name:ident at $point:ident { $($(#[$field_doc:meta])+ $field:ident,)* })+) => {$(
        $(#[$doc])+
        ///
        /// A value that the client does not know is `None`.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $name {
            /// Current project or workspace name.
            pub project_name: Option<String>,
            /// Current session identifier.
            pub session_id: Option<String>,
            $($(#[$field_doc])+ pub $field: Option<String>,)*
        }

        // For each point by itself: the compiler then suggests the type that an author probably meant.
        impl LifecycleInput<point::$point> for $name {
            fn receive(variables: Variables) -> $name {
                $name {
                    project_name: variables.project_name,
                    session_id: variables.session_id,
                    $($field: variables.$field,)*
                }
            }
        }
    )+};
}

events! {
    /// A new agent session begins.
    SessionStart at session_start {}
    /// The session is about to close.
    SessionEnd at session_end {}
    /// The agent is about to invoke a tool.
    PreToolUse at pre_tool_use {
        /// Name of the tool being invoked.
        tool_name,
        /// Serialized tool input.
        tool_input,
    }
    /// A tool call has completed.
    PostToolUse at post_tool_use {
        /// Name of the tool that was invoked.
        tool_name,
        /// Serialized tool input.
        tool_input,
        /// Serialized tool output.
        tool_output,
    }
    /// The agent is about to process a new user message.
    PreRequest at pre_request {}
    /// The agent has finished responding to a user message.
    PostRequest at post_request {}
}
