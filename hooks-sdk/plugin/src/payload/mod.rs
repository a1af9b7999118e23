//! The payloads: what a hook sees at each point, and what it may change.

mod agent_tool;
mod completion;
mod headers;
mod http;
mod items;
mod measure;

use std::borrow::Cow;

use serde_json::Value;

use hooks_core::{Violation, condition::Subject};

pub use self::{agent_tool::*, completion::*, headers::*, http::*, items::*};

/// The data that hooks see at a point (document §5.1.1).
///
/// Hooks borrow the payload. A change is a new one, so that no hook can change what another hook holds.
pub trait Payload: Clone + Send + Sync + 'static {
    /// What a hook returns to change the payload.
    type Change;

    /// Returns the name of the tool, the id of the prompt or the URI of the resource; for a completion the name or URI that it
    /// refers to; for HTTP the path.
    fn item(&self) -> &str;

    /// Returns the number of characters in the payload's strings, or in the names of its item and of all members and in
    /// its numbers (without 64 of these), whichever is larger. Each is counted up to a little more than `limit`.
    fn size(&self, limit: usize) -> usize;

    /// Returns the payload with a change. Fields that are not writable keep their value; also returns those that the
    /// change had touched.
    fn changed(&self, change: Self::Change, writable: Writable<'_>) -> (Self, Vec<&'static str>);

    /// Returns the value under a root of a condition's path: `args`, `input_responses`, `result`, `content`, `metadata`,
    /// `argument` or `value`.
    fn root(&self, root: &str) -> Option<Subject<'_>>;

    /// Returns the HTTP headers that the payload has.
    fn headers(&self) -> Option<&HttpHeaders> {
        None
    }

    /// Returns the content type of the payload, if it has one.
    fn content_type(&self) -> Option<&str> {
        self.headers()?.get("content-type")
    }

    /// Returns the content type of each content of the payload, or `None` where a content has none.
    fn content_types(&self) -> Vec<Option<&str>> {
        vec![self.content_type()]
    }

    /// Returns the kind of the tool of an agent client.
    fn kind(&self) -> Option<AgentToolKind> {
        None
    }

    /// Returns what could not be read of a call of an agent client's tool.
    fn unread(&self) -> &[Unread] {
        &[]
    }

    /// Returns the payload as it is if each argument that may be a command is run.
    fn with_possible(&self) -> Option<Self> {
        None
    }

    /// Returns the refusal of a call of which something could not be read.
    fn unread_refusal(&self) -> Violation {
        let possible = "a program that is not known may run one of its arguments as a command";
        let why = self.unread().first().map_or(possible, |first| &*first.why);
        let reason = format!("the command cannot be judged: {why}");
        let mut violation = Violation::new(reason).code("command_unreadable");
        violation.description =
            "write the command so that each program in it is a plain word".to_owned();
        violation
    }

    /// Returns the value that the item's own definition restricts, and the definition's member with the schema.
    fn restricted(&self) -> Option<(&'static str, Cow<'_, Value>)> {
        None
    }
}

/// The fields that a hook may change; `None` for every field.
pub type Writable<'w> = Option<&'w [Box<str>]>;

/// Keeps the old value of a field that a change may not touch.
fn guard<T: Clone + PartialEq>(
    name: &'static str,
    old: &T,
    new: &mut T,
    writable: Writable<'_>,
    kept: &mut Vec<&'static str>,
) {
    let may = writable.is_none_or(|fields| fields.iter().any(|field| **field == *name));
    if !may && old != new {
        *new = old.clone();
        kept.push(name);
    }
}

/// Writes a payload whose change is a payload: the struct, what its `new` takes, and [`Payload`] by the field with the item's
/// name, how each field counts, the fields that a hook may change, and what the roots of a condition lead to. A change without
/// `keeps` keeps it, so that a hook that makes a new payload does not lose it. Fields after `never` keep their values.
macro_rules! payload {
    (
        $(#[$about:meta])+
        pub struct $payload:ident {
            $($(#[$doc:meta])+ $name:ident: $type:ty,)+
        }
        new $makes:literal ($($argument:ident: $given:ty),+),
        item $item:ident,
        size $($measure:ident $measured:ident)+,
        change $($field:ident)+ $(, keeps $inputs:ident)? $(, never $($fixed:ident)+)?,
        roots $($root:ident $subject:ident)+,
        $($more:item)*
    ) => {
        $(#[$about])+
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[non_exhaustive]
        pub struct $payload {
            $($(#[$doc])+ pub $name: $type,)+
        }

        impl $payload {
            #[doc = $makes]
            #[allow(clippy::needless_update, reason = "some payloads have no further fields")]
            pub fn new($($argument: $given),+) -> $payload {
                $payload { $($argument: $argument.into(),)+ ..$payload::default() }
            }
        }

        impl Payload for $payload {
            type Change = $payload;

            fn item(&self) -> &str {
                &self.$item
            }

            fn size(&self, limit: usize) -> usize {
                Measure::new(limit)$(.$measure(&self.$measured))+.ended()
            }

            fn changed(
                &self,
                mut change: $payload,
                writable: Writable<'_>,
            ) -> ($payload, Vec<&'static str>) {
                let mut kept = Vec::new();
                $(if change.$inputs.is_empty() {
                    change.$inputs.clone_from(&self.$inputs);
                }
                guard(stringify!($inputs), &self.$inputs, &mut change.$inputs, writable, &mut kept);)?
                $(guard(stringify!($field), &self.$field, &mut change.$field, writable, &mut kept);)+
                $($(guard(stringify!($fixed), &self.$fixed, &mut change.$fixed, Some(&[]), &mut kept);)+)?
                (change, kept)
            }

            fn root(&self, root: &str) -> Option<Subject<'_>> {
                match root {
                    $(stringify!($root) => Some(Subject::$subject(&self.$root)),)+
                    _ => None,
                }
            }

            $($more)*
        }
    };
}
use payload;
