//! The counts of what was asked and ruled.

use std::sync::atomic::{AtomicU64, Ordering};

use super::FailureClass;

/// How many steps were asked about since the start, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GuardianCounts {
    /// Steps that the guardian allowed.
    pub allowed: u64,
    /// Steps that the guardian changed.
    pub modified: u64,
    /// Steps that the guardian denied.
    pub denied: u64,
    /// Steps that were denied without a decision, by [`Posture::Deny`](crate::Posture::Deny).
    pub refused: u64,
    /// Steps that went on without a decision, by [`Posture::Proceed`](crate::Posture::Proceed).
    pub bypassed: u64,
    /// Steps that were denied because the guardian cannot be asked about them: see [`Unaskable`](super::Unaskable). They
    /// are neither `refused` nor failures.
    pub unaskable: u64,
    failed: [u64; FailureClass::COUNT],
}

impl GuardianCounts {
    /// Returns the number of steps without a decision because of this kind of failure.
    pub fn failed(&self, class: FailureClass) -> u64 {
        self.failed[class as usize]
    }
}

/// The running counts.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) allowed: AtomicU64,
    pub(super) modified: AtomicU64,
    pub(super) denied: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) bypassed: AtomicU64,
    pub(super) unaskable: AtomicU64,
    failed: [AtomicU64; FailureClass::COUNT],
}

impl Tally {
    pub(super) fn add(count: &AtomicU64) {
        count.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn failed(&self, class: FailureClass) {
        Tally::add(&self.failed[class as usize]);
    }

    pub(super) fn snapshot(&self) -> GuardianCounts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        GuardianCounts {
            allowed: read(&self.allowed),
            modified: read(&self.modified),
            denied: read(&self.denied),
            refused: read(&self.refused),
            bypassed: read(&self.bypassed),
            unaskable: read(&self.unaskable),
            failed: self.failed.each_ref().map(read),
        }
    }
}
