//! One station for each room.

pub(in crate::server) mod gate;
pub(in crate::server) mod guidance;
pub(in crate::server) mod lifecycle;
#[cfg(feature = "mcpl")]
pub(in crate::server) mod mcpl;
pub(in crate::server) mod observer;
#[cfg(feature = "plugin")]
pub(in crate::server) mod plugin;
