//! A guardian over HTTP: what it answers, whom it refuses and with which words, its limits, and how it stops.
//!
//! `keeper` is the guardian of these tests, and `client` has what it is asked.

mod answers;
mod client;
mod keeper;
mod mounted;
mod refusals;
mod settings;
mod stop;
