//! One middleware for each protocol.

#[cfg(feature = "guardian-local")]
pub(crate) mod aos;
pub(crate) mod guidance;
pub(crate) mod lifecycle;
#[cfg(feature = "log")]
pub(crate) mod log;
#[cfg(feature = "mcpl")]
pub(crate) mod mcpl;
#[cfg(feature = "cli")]
pub(crate) mod offer;
#[cfg(feature = "policy-engine")]
pub(crate) mod plugin;
pub(crate) mod session;
#[cfg(feature = "guidance")]
pub(crate) mod skills;
