//! The steps at which hooks of a guardian answer, as types named after their words in attributes.

use std::{any::Any, convert::Infallible};

use super::{
    GuardianAnswer, Reply,
    receive::AosInput,
    wire::{
        A2aMessage, AgentTrigger, CompletedToolCall, KnowledgeStep, McpMessage, Memory,
        MessageStep, Method, StepPayload, StepRole, ToolCallRequest,
    },
};
use hooks_core::{
    HookError, Point, Verdict,
    internal::{point, words},
};

/// The name of this protocol in the registry.
pub(super) const PROTOCOL: &str = "aos";

/// A point of this protocol: one kind of step, as a type.
///
/// Only the unit types of [`point`](self) implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no point",
    label = "not a point",
    note = "the points are `tool_call_request`, `tool_call_result`, and the others of `aos::point`"
)]
pub trait AosPoint:
    Point<In = Self::Payload, Out = Reply<Self::Changed>> + Copy + Send + Sync + sealed::Sealed
{
    /// What a hook decides about.
    type Payload: StepPayload;
    /// What a hook answers with to change the step: the payload, or nothing where the document allows no change.
    type Changed: Send + 'static;
    /// The point as a value.
    const AT: AosAt;
    /// The method of its requests.
    const METHOD: Method = Self::AT.method();
    /// Whether a hook may change the step.
    const MODIFIES: bool = Self::AT.modifies();

    /// Returns a change as the payload that it is.
    fn payload(changed: Self::Changed) -> Self::Payload;
}

mod sealed {
    pub trait Sealed {}
}

/// The type of a change, and what makes it the payload.
macro_rules! changed {
    ($payload:ty, modify) => {
        type Changed = $payload;

        fn payload(changed: $payload) -> $payload {
            changed
        }
    };
    ($payload:ty, keep) => {
        type Changed = Infallible;

        fn payload(changed: Infallible) -> $payload {
            match changed {}
        }
    };
}

macro_rules! out {
    ($payload:ty, modify) => { Reply<$payload> };
    ($payload:ty, keep) => { Reply<Infallible> };
}

// Without the attribute, the compiler shows the inside of this macro where an answer belongs to another point.
macro_rules! answers {
    ($word:ident, $payload:ty, modify) => {
        #[diagnostic::do_not_recommend]
        impl GuardianAnswer<$word> for Reply<$payload> {
            fn answer(self) -> Result<Reply<$payload>, HookError> {
                Ok(self)
            }
        }

        #[diagnostic::do_not_recommend]
        impl GuardianAnswer<$word> for Verdict<$payload> {
            fn answer(self) -> Result<Reply<$payload>, HookError> {
                Ok(self.into())
            }
        }
    };
    ($word:ident, $payload:ty, keep) => {};
}

macro_rules! points {
    ($(
        $(#[$about:meta])+
        $method:ident = $wire:literal $of:ident $may:ident, $payload:ident in $member:literal {
            $($(#[$doc:meta])+ $word:ident = $at:ident $span:literal;)*
        }
    )+) => {
        words! {
            /// A point as a value.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            #[non_exhaustive]
            pub enum AosAt, ALL: "Returns the point's word in an attribute." {
                $($($(#[$doc])+ $at = stringify!($word),)*)+
            }
        }

        impl AosAt {
            /// Returns the method of the requests at this point. The three points of messages share one.
            pub const fn method(self) -> Method {
                match self {
                    $($(AosAt::$at => Method::$method,)*)+
                }
            }
        }

        $($(
            point! {
                $(#[$doc])+
                $word: $payload => out!($payload, $may), PROTOCOL, stringify!($word), AosInput
            }

            impl AosPoint for $word {
                type Payload = $payload;
                changed!($payload, $may);
                const AT: AosAt = AosAt::$at;
            }

            answers!($word, $payload, $may);
        )*)+
    };
}
hooks_text::aos_steps!(points);

impl AosAt {
    /// Returns whether a hook at this point may change the step.
    pub const fn modifies(self) -> bool {
        self.method().modifies()
    }

    /// Returns who says the messages at this point; `None` at a point without messages.
    pub const fn role(self) -> Option<StepRole> {
        match self {
            AosAt::UserMessage => Some(StepRole::User),
            AosAt::AgentResponse => Some(StepRole::Agent),
            AosAt::SystemMessage => Some(StepRole::System),
            _ => None,
        }
    }

    /// Returns whether a payload has the role of this point, or no role.
    pub(super) fn has_role<T: Any>(self, payload: &T) -> bool {
        let step = (payload as &dyn Any).downcast_ref::<MessageStep>();
        step.is_none_or(|step| self.role().is_none_or(|role| step.message.role == role))
    }

    /// Gives a message the role of this point.
    pub(super) fn set_role<T: Any>(self, payload: &mut T) {
        if let Some(role) = self.role()
            && let Some(step) = (payload as &mut dyn Any).downcast_mut::<MessageStep>()
        {
            step.message.role = role;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::any::TypeId;

    use super::*;

    #[test]
    fn the_macros_know_every_point() {
        let points: Vec<&str> = AosAt::ALL.iter().map(|at| at.as_str()).collect();
        assert_eq!(points, hooks_text::AOS_POINTS.words);
    }

    #[test]
    fn what_a_hook_may_change_is_what_the_method_allows() {
        fn changes<P: AosPoint>(_point: P) -> bool {
            assert_eq!(P::MODIFIES, P::AT.method().modifies());
            TypeId::of::<P::Changed>() == TypeId::of::<P::Payload>()
        }
        assert!(changes(tool_call_request));
        assert!(changes(tasks_push_notification_config_set));
        assert!(!changes(tasks_cancel));
        assert!(!changes(tasks_resubscribe));
        assert!(!changes(tasks_push_notification_config_get));
        let kept = AosAt::ALL.iter().filter(|at| !at.modifies());
        assert_eq!(kept.count(), 3);
    }
}
