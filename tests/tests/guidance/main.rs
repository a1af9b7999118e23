//! Guidance on its way to the agent: every route, on both generations.

mod bound;
mod computed;
mod declared;
mod notices;
mod observed;
mod prompts;
mod results;
mod settings;
mod shop;
mod start;
mod tools;
