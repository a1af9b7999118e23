//! Plugin hooks around a real server, over rmcp, and a test for each question on which implementations disagree.

mod asking;
mod audit;
mod calls;
#[path = "../session/http/client.rs"]
#[allow(dead_code, reason = "the tests of sessions use all of it")]
mod client;
mod differences;
mod file;
mod http;
mod judged;
mod lists;
mod names;
mod server;
mod waiting;
