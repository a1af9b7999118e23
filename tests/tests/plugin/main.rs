//! Plugin hooks around a real server, over rmcp, and a test for each question on which implementations disagree.

mod asking;
mod audit;
mod calls;
mod differences;
mod file;
mod lists;
mod server;
mod waiting;
