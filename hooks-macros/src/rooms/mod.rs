//! One file for each attribute: its grammar table and its expansion.

pub(crate) mod guidance;
pub(crate) mod lifecycle;
