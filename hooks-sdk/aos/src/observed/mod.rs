//! The observed side: asks a guardian about a step, and resolves every failure by the author's posture.

mod client;
mod counts;
mod guarded_call;
mod here;
#[cfg(feature = "guardian-client")]
mod http;
mod ids;
mod messages;
mod outcome;
#[cfg(feature = "guardian-client")]
mod over_http;
mod resolve;
mod settings;
mod step;
mod unaskable;

pub(super) use self::unaskable::Unruled;
pub use self::{
    client::{GuardianClient, HasPosture},
    counts::GuardianCounts,
    guarded_call::GuardedCall,
    ids::StepIds,
    messages::Messages,
    outcome::{Bypass, Denied, FailureClass, MissingDecision, StepOutcome},
    settings::Unseen,
    step::GuardedStep,
    unaskable::Unaskable,
};
