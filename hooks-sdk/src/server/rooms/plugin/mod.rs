//! Plugin hooks over rmcp: the chain around calls, prompts and resources, questions to the user, and list hooks.

mod ask;
mod item;
mod lists;
mod policy;
mod post;
mod pre;
mod recheck;
mod refusal;
mod state;
mod station;

pub use self::policy::Policy;
pub(in crate::server) use self::{
    lists::ListsStation, policy::Built, recheck::RecheckStation, station::PluginStation,
};
