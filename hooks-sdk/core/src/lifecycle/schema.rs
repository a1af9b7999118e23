//! The document's two JSON Schemas, as it prints them.

/// The JSON Schema of [`ServerHooksCapability`](super::ServerHooksCapability) (SEP-2282, "JSON Schema").
pub const SERVER: &str = include_str!("../../schemas/server-hooks-capability.json");

/// The JSON Schema of [`ClientHooksCapability`](super::ClientHooksCapability) (SEP-2282, "JSON Schema").
pub const CLIENT: &str = include_str!("../../schemas/client-hooks-capability.json");
