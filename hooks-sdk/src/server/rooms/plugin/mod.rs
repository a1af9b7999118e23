//! Plugin hooks over rmcp: the chain around calls, prompts and resources, questions to the user, and list hooks.

mod ask;
mod item;
mod lists;
#[cfg(feature = "cli")]
mod parts;
mod policy;
mod post;
mod pre;
mod recheck;
mod refusal;
mod state;
mod station;

#[cfg(feature = "cli")]
pub(crate) use self::parts::Parts;
pub use self::policy::Policy;
pub(in crate::server) use self::{
    lists::ListsStation, policy::Built, recheck::RecheckStation, station::PluginStation,
};
