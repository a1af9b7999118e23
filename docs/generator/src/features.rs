//! The features of the crate with their prices: the table of its first page in rustdoc.

use std::{error::Error, fs};

use crate::root;

/// The heading of the part, and the one after it.
const PART: &str = "# Features";
const NEXT: &str = "# Linking and panics";

pub(crate) fn page() -> Result<String, Box<dyn Error>> {
    let source = fs::read_to_string(root().join("hooks-sdk/src/lib.rs"))?;
    let lines = source
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line));
    let part: Vec<&str> = lines
        .skip_while(|line| *line != PART)
        .take_while(|line| *line != NEXT)
        .collect();
    if part.is_empty() {
        return Err(format!("the crate page has no part `{PART}`").into());
    }
    // Rustdoc finds the items of its links by their names; here they are words.
    Ok(part.join("\n").replace("[`", "`").replace("`]", "`") + "\n")
}
