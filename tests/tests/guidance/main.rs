//! Guidance: hooks as items, as files and by hand, what is composed of them, and every route to the agent.

mod attribute;
mod bench;
mod bound;
mod composer;
mod computed;
mod declared;
mod definition;
mod folder;
mod hostile;
mod loader;
mod notices;
mod prompts;
mod registry;
mod results;
mod settings;
mod shop;
mod skills;
mod start;
mod tools;
