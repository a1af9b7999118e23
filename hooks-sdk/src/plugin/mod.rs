//! Policy around every call: hooks before and after tools, prompts and resources.

pub mod finder;
