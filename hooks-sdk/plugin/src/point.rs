//! The moments at which plugin hooks run, as types named after their words in attributes.

use serde::{Deserialize, Serialize};

use super::{Outcome, Payload, PluginAnswer, Question, payload::*, receive::PluginInput};
use hooks_core::{
    HookError, Point, Verdict,
    internal::{point, words},
};

/// The name of this protocol in the registry.
pub(super) const PROTOCOL: &str = "plugin";

/// A point of this protocol: one moment, as a type.
///
/// Only the unit types of [`point`](self) implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no point",
    label = "not a point",
    note = "the points are `tool_pre_invoke`, `tool_post_invoke`, and the others of `plugin::point`"
)]
pub trait PluginPoint:
    Point<In = Self::Payload, Out = Answered<Self::Change>> + sealed::Sealed
{
    /// The payload of the point.
    type Payload: Payload<Change = Self::Change>;
    /// What a hook returns to change the payload. The points of HTTP take headers; every other point takes its payload.
    type Change: Send + 'static;
    /// The point as a value.
    const AT: PluginAt;
}

/// A hook's answer: `None` if the hook lets the request go on unchanged, without metadata.
pub type Answered<T> = Option<Box<Outcome<T>>>;

mod sealed {
    pub trait Sealed {}
}

macro_rules! is_post {
    (pre) => {
        false
    };
    (post) => {
        true
    };
}

macro_rules! points {
    ($(
        $(#[$doc:meta])+
        $word:ident = $at:ident($payload:ident => $change:ident) {
            of $family:ident $side:ident,
            fields [$($field:ident)+] else $wrong:literal,
            roots [$($root:ident)*],
        }
    )+) => {
        words! {
            /// A point as a value.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
            #[serde(rename_all = "snake_case")]
            #[non_exhaustive]
            pub enum PluginAt, ALL: "Returns the point's word, in an attribute and in a configuration file." {
                $($(#[$doc])+ $at = stringify!($word),)+
            }
        }

        impl PluginAt {
            /// Returns what the point is about.
            pub const fn family(self) -> Family {
                match self {
                    $(PluginAt::$at => Family::$family,)+
                }
            }

            /// Returns whether hooks at this point see an answer.
            pub const fn is_post(self) -> bool {
                match self {
                    $(PluginAt::$at => is_post!($side),)+
                }
            }

            /// Returns the fields of the payload at this point that a hook may change, in the document's words.
            pub const fn fields(self) -> &'static [&'static str] {
                match self {
                    $(PluginAt::$at => &[$(stringify!($field)),+],)+
                }
            }
        }

        $(
            point! {
                $(#[$doc])+
                $word: $payload => Answered<$change>, PROTOCOL, stringify!($word), PluginInput
            }

            impl PluginPoint for $word {
                type Payload = $payload;
                type Change = $change;
                const AT: PluginAt = PluginAt::$at;
            }

            // Without the attribute, the compiler shows the inside of this macro where an answer belongs to another point.
            #[diagnostic::do_not_recommend]
            impl PluginAnswer<$word> for Outcome<$change> {
                const ASKS: bool = true;

                fn answer(self) -> Result<Answered<$change>, HookError> {
                    Ok(Some(Box::new(self)))
                }
            }

            #[diagnostic::do_not_recommend]
            impl PluginAnswer<$word> for Verdict<$change, Question> {
                const ASKS: bool = true;

                fn answer(self) -> Result<Answered<$change>, HookError> {
                    Ok(match self {
                        Verdict::Allow => None,
                        other => Some(Box::new(other.into())),
                    })
                }
            }

            #[diagnostic::do_not_recommend]
            impl PluginAnswer<$word> for Verdict<$change> {
                fn answer(self) -> Result<Answered<$change>, HookError> {
                    Ok(match self {
                        Verdict::Allow => None,
                        Verdict::Modify(payload) => Some(Box::new(Outcome::modify(payload))),
                        Verdict::Deny(violation) => Some(Box::new(Outcome::deny(violation))),
                        Verdict::Ask(never) => match never {},
                    })
                }
            }
        )+
    };
}
hooks_text::plugin_points!(points);

macro_rules! families {
    (
        named { $($named:ident $key:ident $keys:ident { $doc:literal, $($row:tt)* })+ }
        nameless { $($nameless:ident $word:ident { $about:literal, $($seen:tt)* })* }
        lent { $($lent:ident $of:ident $lent_key:ident { $lent_doc:literal, $($lent_row:tt)* })* }
    ) => {
        words! {
            /// What a point is about: the kind of item that a hook's filter names.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[non_exhaustive]
            pub enum Family: "Returns the key of an attribute that names items of this family." {
                $(#[doc = $doc] $named = stringify!($key),)+
                $(#[doc = $about] $nameless = stringify!($word),)*
                $(#[doc = $lent_doc] $lent = stringify!($lent_key),)*
            }
        }

        impl Family {
            /// The families whose items have names, each with the key of a configuration file that names items of it.
            pub(crate) const NAMED: &[(Family, &str)] = &[$((Family::$named, stringify!($keys)),)+];

            /// Returns the family whose key names items of this one.
            pub(crate) const fn key(self) -> Family {
                match self {
                    $(Family::$lent => Family::$of,)*
                    own => own,
                }
            }
        }
    };
}
hooks_text::plugin_families!(families);

impl PluginAt {
    /// The number of points.
    pub(crate) const COUNT: usize = PluginAt::ALL.len();

    /// Returns whether hooks at this point are gates: they judge the calls of an agent client's tools.
    pub const fn is_gate(self) -> bool {
        matches!(self, PluginAt::AgentToolPreInvoke)
    }

    /// Returns the point with this word.
    pub fn named(word: &str) -> Option<PluginAt> {
        PluginAt::ALL.iter().copied().find(|at| at.as_str() == word)
    }
}
