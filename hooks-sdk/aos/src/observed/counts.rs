//! The counts of what was asked and ruled.

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
    pub(super) failed: [u64; FailureClass::COUNT],
}

impl GuardianCounts {
    /// Returns the number of steps without a decision because of this kind of failure.
    pub fn failed(&self, class: FailureClass) -> u64 {
        self.failed[class as usize]
    }
}
