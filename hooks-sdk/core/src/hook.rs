//! A hook in the registry: its id, point, place and owner, with the protocol's own part inside.

use std::{
    any::{Any, TypeId, type_name},
    borrow::Cow,
    cmp::Ordering,
    fmt,
    panic::Location,
    ptr,
    sync::Arc,
};

use super::Point;
use crate::macros::{debugs, setters};

/// One hook: its id, its point, where it was written, the server it belongs to, and its protocol's own part.
///
/// Authors get one from a protocol: from `AfterCommit::hook()` of an annotated item, or from a protocol's constructors.
///
/// ```
/// use hooks_sdk::prelude::*;
///
/// struct Notes;
///
/// #[lifecycle::hook(session_end, strength = suggestion, text = "Goodbye.", server = Notes)]
/// struct Farewell;
///
/// assert_eq!(Farewell::hook().id(), "farewell");
/// ```
#[derive(Clone)]
pub struct Hook {
    id: Cow<'static, str>,
    protocol: &'static str,
    point: &'static str,
    origin: Origin,
    owner: Owner,
    detail: Arc<dyn Any + Send + Sync>,
}

impl Hook {
    /// Makes a hook at the point `P` with the protocol's `detail` in it. Its origin is the caller's line.
    ///
    /// Protocols call this, and check the id by their own rule.
    #[track_caller]
    pub fn new<P: Point>(id: impl Into<Cow<'static, str>>, detail: impl Any + Send + Sync) -> Hook {
        Hook::standing_at(P::PROTOCOL, P::METHOD, id, detail)
    }

    /// As [`new`](Hook::new), for a point that is known at run time only.
    #[track_caller]
    pub fn standing_at(
        protocol: &'static str,
        point: &'static str,
        id: impl Into<Cow<'static, str>>,
        detail: impl Any + Send + Sync,
    ) -> Hook {
        Hook {
            id: id.into(),
            protocol,
            point,
            origin: Origin::here(),
            owner: Owner::ANY,
            detail: Arc::new(detail),
        }
    }

    setters! {
        /// Sets where the hook was written, if that is not where it was made.
        fn at(mut self, origin: Origin) { self.origin = origin }

        /// Ties the hook to one server type.
        fn owned_by(mut self, owner: Owner) { self.owner = owner }
    }

    /// Returns the hook's id, unique among the hooks of one server.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the protocol the hook belongs to, such as `lifecycle`.
    pub fn protocol(&self) -> &'static str {
        self.protocol
    }

    /// Returns the wire word of the hook's point, such as `post_tool_use`.
    pub fn point(&self) -> &'static str {
        self.point
    }

    /// Where the hook was written.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Returns the server type the hook belongs to.
    pub fn owner(&self) -> Owner {
        self.owner
    }

    /// Returns the protocol's own part, if it is a `D`.
    pub fn detail<D: Any>(&self) -> Option<&D> {
        self.detail.downcast_ref()
    }
}

debugs!(Hook {
    id,
    protocol,
    point,
    origin,
    owner
});

/// Where a hook was written.
///
/// Places are ordered by package, file, line and column. Collected hooks have the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Origin {
    /// The package that declared the hook; empty for a hook made at run time.
    pub package: &'static str,
    /// The source file, as the compiler names it.
    pub file: &'static str,
    /// The line, from 1; 0 for the whole file.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl Origin {
    /// A place in `package`.
    pub const fn new(package: &'static str, file: &'static str, line: u32, column: u32) -> Origin {
        Origin {
            package,
            file,
            line,
            column,
        }
    }

    /// The line of the caller.
    #[track_caller]
    pub fn here() -> Origin {
        let here = Location::caller();
        Origin::new("", here.file(), here.line(), here.column())
    }
}

impl Ord for Origin {
    fn cmp(&self, other: &Origin) -> Ordering {
        // Thousands of hooks can share one file's name. Equal pointers save the comparison of the text.
        let name = |a: &'static str, b: &'static str| {
            if ptr::eq(a, b) {
                Ordering::Equal
            } else {
                a.cmp(b)
            }
        };
        name(self.package, other.package)
            .then_with(|| name(self.file, other.file))
            .then_with(|| (self.line, self.column).cmp(&(other.line, other.column)))
    }
}

impl PartialOrd for Origin {
    fn partial_cmp(&self, other: &Origin) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(self.file),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

/// The server type a hook belongs to, or any server.
#[derive(Clone, Copy)]
pub struct Owner(Option<OwnerOf>);

#[derive(Clone, Copy)]
struct OwnerOf {
    name: fn() -> &'static str,
    is: fn(TypeId) -> bool,
}

impl Owner {
    /// Every server.
    pub const ANY: Owner = Owner(None);

    /// The server `H`, held as it is, in an `Arc` or in a `Box`.
    pub const fn of<H: Any>() -> Owner {
        Owner(Some(OwnerOf {
            name: type_name::<H>,
            is: |held| {
                held == TypeId::of::<H>()
                    || held == TypeId::of::<Arc<H>>()
                    || held == TypeId::of::<Box<H>>()
            },
        }))
    }

    /// Returns the owner's type name; `None` for a hook of every server.
    pub fn name(&self) -> Option<&'static str> {
        self.0.map(|owner| (owner.name)())
    }

    /// Whether the hook belongs to a server held as `H` (`Memory`, `Arc<Memory>`, …).
    pub fn includes<H: Any>(&self) -> bool {
        self.0.is_none_or(|owner| (owner.is)(TypeId::of::<H>()))
    }
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name().unwrap_or("any server"))
    }
}

/// Returns the server `T` inside of `held`, if that is a `T`, an `Arc<T>` or a `Box<T>`.
pub(crate) fn owner_in<T: Any>(held: &(dyn Any + Send + Sync)) -> Option<&T> {
    held.downcast_ref::<T>()
        .or_else(|| held.downcast_ref::<Arc<T>>().map(|arc| &**arc))
        .or_else(|| held.downcast_ref::<Box<T>>().map(|boxed| &**boxed))
}
