//! The twenty moments at which guidance fires, and the data of one firing.

use std::{convert::Infallible, fmt, marker::PhantomData};

use super::{HookType, Lifecycle};

/// A type and a lifecycle: one of the twenty moments at which hooks fire.
///
/// Implements the Hooks System document, "Mental Model".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "the document has two axes")]
pub struct Moment {
    /// What the hooks are about.
    pub hook_type: HookType,
    /// When they fire.
    pub lifecycle: Lifecycle,
}

macro_rules! names {
    ($($hook_type:literal),+) => {
        [$([
            concat!($hook_type, "_start"),
            concat!($hook_type, "_running"),
            concat!($hook_type, "_progress"),
            concat!($hook_type, "_cancel"),
            concat!($hook_type, "_end"),
        ]),+]
    };
}

const NAMES: [[&str; Lifecycle::ALL.len()]; HookType::ALL.len()] =
    names!["session", "action", "storage", "config"];

impl Moment {
    /// Makes a moment of a type and a lifecycle.
    pub const fn new(hook_type: HookType, lifecycle: Lifecycle) -> Moment {
        Moment {
            hook_type,
            lifecycle,
        }
    }

    /// Returns every moment, by type.
    pub fn all() -> impl Iterator<Item = Moment> {
        HookType::ALL.iter().flat_map(|&hook_type| {
            let lifecycles = Lifecycle::ALL.iter();
            lifecycles.map(move |&lifecycle| Moment::new(hook_type, lifecycle))
        })
    }

    /// Returns the moment of this name.
    pub fn named(name: &str) -> Option<Moment> {
        Moment::all().find(|moment| moment.as_str() == name)
    }

    /// Returns the moment's name, such as `session_start`. Its MCP prompt has this name after `hooks_`.
    pub const fn as_str(self) -> &'static str {
        NAMES[self.hook_type as usize][self.lifecycle as usize]
    }

    #[doc(hidden)]
    pub const fn index(self) -> usize {
        self.hook_type as usize * Lifecycle::ALL.len() + self.lifecycle as usize
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The data of one firing.
///
/// ```
/// use hooks_sdk::guidance::{Firing, HookType, Lifecycle, Moment};
///
/// let firing = Firing::at(Moment::new(HookType::Action, Lifecycle::Start));
/// assert_eq!(firing.moment.as_str(), "action_start");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Firing {
    /// The moment.
    pub moment: Moment,
    /// The tool of the call, at a moment of an action.
    pub tool: Option<String>,
    /// The MCP request, by the server's own name for it, which is unique over all connections.
    pub request_id: Option<String>,
    /// The session, by the server's own name for it.
    pub session_id: Option<String>,
}

impl Firing {
    /// Makes a firing of which only the moment is known.
    pub fn at(moment: Moment) -> Firing {
        Firing {
            moment,
            tool: None,
            request_id: None,
            session_id: None,
        }
    }
}

/// The argument of a function that makes a text, beside its server: a [`Firing`].
#[diagnostic::on_unimplemented(
    message = "guidance hooks do not receive `{Self}`",
    label = "not the firing",
    note = "behind the server they receive `&Firing`"
)]
#[doc(hidden)]
pub trait FiringInput {
    fn receive(firing: &Firing) -> &Self;
}

#[diagnostic::do_not_recommend]
impl FiringInput for Firing {
    fn receive(firing: &Firing) -> &Firing {
        firing
    }
}

/// `IsFiringInput::ANSWER` says whether `T` is what a hook receives. The attribute asks it about a type in the wrong place.
#[doc(hidden)]
#[derive(Debug)]
pub struct IsFiringInput<T>(PhantomData<T>, Infallible);

impl<T: FiringInput> IsFiringInput<T> {
    pub const ANSWER: bool = true;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_made_of_both_words() {
        assert_eq!(Moment::all().count(), 20);
        for (at, moment) in Moment::all().enumerate() {
            let words = format!("{}_{}", moment.hook_type, moment.lifecycle);
            assert_eq!((moment.as_str(), moment.index()), (words.as_str(), at));
            assert_eq!(Moment::named(&words), Some(moment));
        }
        assert_eq!(Moment::named("session"), None);
    }
}
