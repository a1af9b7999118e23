//! Today's agent clients: what they were recorded to say, what we answer, and what we write into their files.

mod answers;
mod copilot;
mod entries;
mod guards;
mod limits;
mod page;
mod property;
mod recorded;
