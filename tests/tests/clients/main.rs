//! Today's agent clients: what they were recorded to say, what we answer, their files, and the hook store.

mod answers;
mod config;
mod copilot;
mod documented;
mod entries;
mod fuzz;
mod gate_plugins;
mod guards;
mod identity;
mod limits;
mod page;
mod plugins;
mod property;
mod receipts;
mod recorded;
mod shown;
mod stage;
mod unbroken;
