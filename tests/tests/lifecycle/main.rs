//! Lifecycle hooks as SEP-2282 has them: what is declared, and what a host makes of it.

mod by_hand;
mod host;
mod property;
mod sep;
