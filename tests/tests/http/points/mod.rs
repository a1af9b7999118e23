//! The plugin points of HTTP, around rmcp's own service in an author's own router.

mod call;
mod file;
mod headers;
mod refusals;
pub(crate) mod rig;
