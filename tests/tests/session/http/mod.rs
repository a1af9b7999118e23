//! Sessions over rmcp's HTTP service, spoken to by a plain HTTP client, on both generations.

mod bound;
mod guidance;
mod legacy;
mod mcpl;
pub(crate) mod office;
mod replicas;
mod stateless;
