//! What the tests of the workspace share.

pub mod certificates;
pub mod client;
pub mod clock;
pub mod faulty_store;
pub mod fuzz;
mod idle;
pub mod long_texts;
pub mod policy_file;
pub mod postgres;
pub mod process;
pub mod redis;
mod skipped;
pub mod subscriber;
pub mod toy_server;
pub mod vectors;

pub use idle::idle;
pub use skipped::skipped;
