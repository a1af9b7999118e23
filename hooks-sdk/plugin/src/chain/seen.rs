//! Which hooks are done with a request that waits, so that a policy that was read again meanwhile still holds.

use std::{fmt::Write, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{Chain, ChainEntry};
use crate::{Contexts, PluginAt, hook::Body};

/// The hooks of a point as a request met them. A hook that was added or changed since is not among them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
#[doc(hidden)]
pub struct MetHooks(Vec<One>);

#[derive(Clone, Debug, Serialize, Deserialize)]
struct One {
    /// The entry's key.
    hook: Arc<str>,
    /// What the hook was, as far as the server can tell: another one is another hook.
    stamp: u64,
    /// Whether the hook is done with the request.
    ran: bool,
    /// Whether the configuration file keeps the hook out of the request.
    out: bool,
}

impl Chain {
    /// Returns the hooks of a point, all of which are done with a request.
    #[doc(hidden)]
    pub fn seen(&self, at: PluginAt) -> MetHooks {
        self.seen_until(at, usize::MAX, &[])
    }

    /// Returns the hooks of a point. Those at the places before `until` are done with the request.
    pub(super) fn seen_until(&self, at: PluginAt, until: usize, out: &[usize]) -> MetHooks {
        let stand = self.points[at as usize].iter().enumerate();
        MetHooks(
            stand
                .map(|(place, index)| One {
                    hook: self.entries[*index].key.clone(),
                    stamp: stamp(&self.entries[*index]),
                    ran: place < until,
                    out: out.contains(index),
                })
                .collect(),
        )
    }
}

impl MetHooks {
    /// Returns the hooks that have asked the user, with the answers in `contexts`. All others are new to the request.
    #[doc(hidden)]
    pub fn that_asked(mut self, contexts: &Contexts) -> MetHooks {
        self.0
            .retain(|one| contexts.answers(&one.hook).next().is_some());
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a hook, as it is now, is done with the request, and whether it is kept out of it; `None` for a
    /// hook that the request has not met.
    pub(super) fn find(&self, entry: &ChainEntry) -> Option<(bool, bool)> {
        let is_its = |one: &&One| one.hook == entry.key;
        let known = self.0.iter().find(is_its)?;
        (known.stamp == stamp(entry)).then_some((known.ran, known.out))
    }
}

/// Returns a number of everything that a file can change about a hook. It is the same in each replica of a program.
fn stamp(entry: &ChainEntry) -> u64 {
    let hook = &entry.hook;
    let mut text = String::new();
    let rule = match &hook.body {
        Body::Deny(violation) => Some(violation),
        Body::Call(_) => None,
    };
    // Writing to a `String` cannot fail.
    _ = write!(
        text,
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        hook.filter,
        hook.mode,
        hook.posture,
        hook.deadline,
        hook.writable,
        hook.priority,
        rule,
        hook.configured,
    );
    // FNV-1a: a hasher of the standard library may differ between two builds.
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
