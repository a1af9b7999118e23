//! Plugin hooks around a real server, over rmcp, and a test for each question on which implementations disagree.

mod asking;
mod background;
mod calls;
mod completions;
mod decision_log;
mod differences;
mod edges;
mod file;
mod found;
mod guarded;
mod http;
mod judged;
mod lists;
mod names;
mod one_id;
mod ready;
mod reread;
mod server;
mod shells;
mod waiting;
