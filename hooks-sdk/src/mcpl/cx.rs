//! What a hook can reach of its host while it runs.

/// What surrounds one call of a hook.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Context {}

/// A feature set has become usable.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Enabled {}

/// The host of one connection.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Host {}
