//! One middleware for each protocol.

#[cfg(feature = "guardian-local")]
pub(in crate::server) mod aos;
pub(in crate::server) mod guidance;
pub(in crate::server) mod lifecycle;
#[cfg(feature = "log")]
pub(in crate::server) mod log;
#[cfg(feature = "mcpl")]
pub(in crate::server) mod mcpl;
#[cfg(feature = "cli")]
pub(in crate::server) mod offer;
#[cfg(feature = "policy-engine")]
pub(in crate::server) mod plugin;
pub(in crate::server) mod session;
#[cfg(feature = "guidance")]
pub(in crate::server) mod skills;
