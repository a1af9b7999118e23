//! Moments whose prompt the author has written. The SDK then serves the author's prompt instead of the guidance's.

use std::sync::atomic::{AtomicU32, Ordering};

use hooks_core::guidance::Moment;

/// The moments whose names the author's own prompts have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Clashes(u32);

impl Clashes {
    pub(super) fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Clashes {
        let moments = names.into_iter().filter_map(Moment::named);
        Clashes(moments.fold(0, |all, moment| all | 1 << moment.index()))
    }

    pub(super) fn has(self, moment: Moment) -> bool {
        self.0 & 1 << moment.index() != 0
    }
}

/// The clashes that the last listing of the author's prompts on a connection showed.
#[derive(Debug, Default)]
pub(super) struct OwnPrompts(AtomicU32);

impl OwnPrompts {
    /// Set once the clashes are known. There are twenty moments, so the highest bit is free.
    const KNOWN: u32 = 1 << 31;

    pub(super) fn get(&self) -> Option<Clashes> {
        let known = self.0.load(Ordering::Relaxed);
        (known & OwnPrompts::KNOWN != 0).then_some(Clashes(known & !OwnPrompts::KNOWN))
    }

    pub(super) fn set(&self, clashes: Clashes) {
        self.0
            .store(clashes.0 | OwnPrompts::KNOWN, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_can_clash_and_be_known() {
        let own = OwnPrompts::default();
        assert_eq!(own.get(), None);
        own.set(Clashes::default());
        assert_eq!(own.get(), Some(Clashes::default()));
        for moment in Moment::all() {
            let clashes = Clashes::of(["deploy", moment.as_str()]);
            own.set(clashes);
            assert_eq!(own.get(), Some(clashes));
            let has = Moment::all().filter(|each| clashes.has(*each));
            assert!(has.eq([moment]));
        }
    }
}
