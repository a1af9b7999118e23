//! Sessions over rmcp's HTTP service, spoken to by a plain HTTP client, on both generations.

mod bound;
mod client;
mod guidance;
mod legacy;
mod mcpl;
mod office;
mod replicas;
mod stateless;
