//! The wire objects of AOS, and the engine behind them, with whatever is sent.

mod forms;
mod fuzz;
mod generated;
mod property;
