//! How hook texts are read, alike at compile time and at run time: front matter, `{variables}`, headings.

mod entries;
mod front_matter;
mod shield;
mod variable;

pub use front_matter::{
    Entry, FrontMatter, FrontMatterError, MAX_KEYS, Scalar, Value, front_matter,
};
pub use shield::{one_line, shield};
pub use variable::{Variable, Variables, variables};

/// The longest hook text, in bytes (32 KiB).
pub const MAX_TEXT: usize = 32 * 1024;
