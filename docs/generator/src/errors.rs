//! All compile errors that the tests of the attributes have, by protocol: the message and the edit that mends it.

use std::{collections::BTreeMap, error::Error, fmt::Write, fs};

use crate::{files, root};

/// The errors of one recorded output of the compiler: each message with its help lines.
pub(crate) fn messages(output: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = output.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((head, message)) = line.split_once(": ") else {
            continue;
        };
        if !head.starts_with("error") {
            continue;
        }
        let mut text = message
            .strip_prefix("evaluation panicked: ")
            .unwrap_or(message)
            .to_owned();
        while let Some(more) = lines.next_if(|line| is_more(line)) {
            text.push('\n');
            text.push_str(more.trim());
        }
        found.push(text);
    }
    found
}

/// Returns whether the line belongs to the message above it, and not to the picture of the source.
fn is_more(line: &str) -> bool {
    let words = line.trim_start();
    line.starts_with("      ")
        && !words.starts_with("-->")
        && !words.starts_with('|')
        && !words.is_empty()
}

pub(crate) fn page() -> Result<String, Box<dyn Error>> {
    let folder = root().join("tests/ui");
    let mut parts: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for path in files(&folder, ".stderr")? {
        let place = path
            .strip_prefix(&folder)?
            .to_string_lossy()
            .replace('\\', "/");
        let part = place.split('/').next().unwrap_or_default().to_owned();
        for message in messages(&fs::read_to_string(&path)?) {
            parts
                .entry(part.clone())
                .or_default()
                .entry(message)
                .or_insert_with(|| place.clone());
        }
    }
    let count: usize = parts.values().map(BTreeMap::len).sum();
    let mut text = format!(
        "# Compile errors\n\nAll {count} errors of the tests of our attributes, in the author's own words there. Search for a part of the \
         message. Below it is the edit that mends it. The compiler adds `evaluation panicked` to checks that run during compilation.\n"
    );
    for (part, messages) in &parts {
        write!(text, "\n## {part}\n\n```text\n")?;
        for message in messages.keys() {
            writeln!(text, "{message}\n")?;
        }
        text.truncate(text.trim_end().len());
        text.push_str("\n```\n");
    }
    Ok(text)
}
