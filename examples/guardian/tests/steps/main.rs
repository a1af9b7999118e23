//! The guardian over real HTTP: its policy, its audit log, and its page, also in a real browser.

mod asks;
mod audit;
mod browser;
mod live;
mod mistakes;
mod page;
mod program;
mod readme;
mod rules;
mod shown;
