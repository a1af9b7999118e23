//! Called by mdbook as a renderer: writes each page of the book as plain markdown.

use std::{
    error::Error,
    io::{self, Read},
    path::Path,
};

use hooks_book::write_plain;
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    let input: Value = serde_json::from_str(&input)?;
    let destination = input["destination"].as_str().ok_or("no destination")?;
    // Beside the HTML of the same build.
    let html = Path::new(destination).with_file_name("html");
    write_plain(&input["book"]["items"], &html)
}
