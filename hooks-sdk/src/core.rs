//! The parts that every protocol shares: hooks, the checked registry, templates, verdicts, dispatch and conditions.

#[cfg(any(feature = "guardian-local", feature = "policy-engine"))]
pub use hooks_core::condition;
pub use hooks_core::{
    Answer, BuildError, BuildErrors, Failure, Hook, HookError, Open, Origin, Owner, Point, Posture,
    Problem, Registry, RegistryBuilder, Timestamp, Verdict, Violation, answer, dispatch, duration,
    error, glob, hook, machine, observe, open, point, posture, problem, registry, text, timestamp,
    verdict,
};
