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
#[cfg(feature = "observed")]
mod over_http;
mod resolve;
mod ruled;
mod settings;
mod step;
mod unaskable;
mod unseen;

pub(super) use self::unaskable::Unruled;
pub use self::{
    bypass::Bypass,
    client::{GuardianClient, SaysOnFailure},
    counts::GuardianCounts,
    failure::{FailureClass, Undecided},
    guarded_call::GuardedCall,
    ids::StepIds,
    messages::Messages,
    ruled::{Denied, Ruled},
    step::GuardedStep,
    unaskable::Unaskable,
    unseen::Unseen,
};
