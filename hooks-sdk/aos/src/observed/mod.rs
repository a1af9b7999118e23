//! The observed side: asks a guardian about a step, and resolves every failure by the author's posture.

mod agent;
mod bypass;
mod client;
mod counts;
mod failure;
mod guarded_call;
mod here;
#[cfg(feature = "observed")]
mod http;
mod ids;
mod messages;
mod outcome;
#[cfg(feature = "observed")]
mod over_http;
mod resolve;
mod settings;
mod step;
mod unaskable;
mod unseen;

pub(super) use self::unaskable::Unruled;
pub use self::{
    bypass::Bypass,
    client::{GuardianClient, SaysOnFailure},
    counts::GuardianCounts,
    failure::{FailureClass, MissingDecision},
    guarded_call::GuardedCall,
    ids::StepIds,
    messages::Messages,
    outcome::{Denied, StepOutcome},
    step::GuardedStep,
    unaskable::Unaskable,
    unseen::Unseen,
};
