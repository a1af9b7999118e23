//! The plugin points of HTTP, as a tower layer.

mod around;
mod headers;
mod layer;

pub use layer::{HeaderHookService, HeaderHooks};
