//! The wire objects of AOS, and the engine behind them, with whatever is sent.

mod generated;
mod property;
