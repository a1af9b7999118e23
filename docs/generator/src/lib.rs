//! The pages of the book's reference that are made from the source.
//!
//! They are in the repository, and a test compares them with the source. mdbook runs this program as a renderer, which writes every page
//! of the book as plain markdown beside its HTML, with a list of them in `llms.txt`.

mod clients;
mod commands;
mod errors;
mod features;
mod gates;
mod keys;

use std::{
    error::Error,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

/// One page that is made from the source.
#[derive(Debug)]
pub struct Page {
    /// The path of the page in `docs/src`.
    pub path: &'static str,
    /// The page, in markdown.
    pub text: String,
}

/// Returns the repository's folder.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.join("../..")
}

/// Makes the pages.
///
/// # Errors
///
/// Returns an error if a file of the source cannot be read, or has another form than this program knows.
pub fn pages() -> Result<Vec<Page>, Box<dyn Error>> {
    let page = |path, text| Page { path, text };
    Ok(vec![
        page("reference/clients.md", clients::page()),
        page("reference/gates.md", gates::page()?),
        page("reference/commands.md", commands::page()),
        page("reference/keys.md", keys::page()?),
        page("reference/features.md", features::page()?),
        page("reference/messages.md", messages()?),
        page("reference/errors.md", errors::page()?),
    ])
}

/// Makes the table of the page `clients.md`.
pub fn abilities_of_clients() -> String {
    clients::abilities()
}

/// The files below a folder of the repository whose names end with `end`, sorted.
fn files(folder: &Path, end: &str) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(end) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The recorded exchanges between clients and servers of the book.
fn messages() -> Result<String, Box<dyn Error>> {
    let mut text = String::from(
        "# Messages\n\nExchanges between a client (→) and the servers of this book (←). A test sends each message and compares the answers.\n",
    );
    let folder = root().join("docs/frames");
    for path in files(&folder, ".txt")? {
        let name = path.strip_prefix(&folder)?.with_extension("");
        let held = fs::read_to_string(&path)?;
        write!(text, "\n## {}\n\n```text\n{held}```\n", name.display())?;
    }
    Ok(text)
}

/// Writes each page as markdown beside its HTML, and their list as `llms.txt`.
///
/// # Errors
///
/// Returns an error if a file cannot be written.
pub fn write_plain(items: &Value, folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut list = String::from(
        "# hooks-sdk\n\n> Hooks for MCP servers in Rust: texts, functions and rules that run at moments of an agent's session.\n",
    );
    plain_from(items, folder, &mut list)?;
    fs::write(folder.join("llms.txt"), list)?;
    Ok(())
}

fn plain_from(items: &Value, folder: &Path, list: &mut String) -> Result<(), Box<dyn Error>> {
    for item in items.as_array().into_iter().flatten() {
        if let Some(title) = item["PartTitle"].as_str() {
            write!(list, "\n## {title}\n\n")?;
        }
        let Some(chapter) = item.get("Chapter") else {
            continue;
        };
        let name = chapter["name"].as_str().unwrap_or_default();
        if let (Some(path), Some(text)) = (chapter["path"].as_str(), chapter["content"].as_str()) {
            let file = folder.join(path);
            fs::create_dir_all(file.parent().ok_or("a page has a folder")?)?;
            fs::write(file, text)?;
            writeln!(list, "- [{name}]({path}): {}", first_sentence(text))?;
        }
        plain_from(&chapter["sub_items"], folder, list)?;
    }
    Ok(())
}

/// Returns the first sentence below the title; a section number of a document is none.
fn first_sentence(text: &str) -> String {
    let mut paragraphs = text.split("\n\n").map(str::trim);
    let is_words =
        |text: &&str| text.starts_with(|first: char| first.is_alphabetic() || first == '`');
    let paragraph = paragraphs.find(is_words).unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut sentences = line
        .split(". ")
        .map(|sentence| sentence.trim_end_matches('.'));
    let long = sentences.find(|sentence| sentence.split(' ').count() > 3);
    long.map(|sentence| format!("{sentence}.")).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_has_its_content() {
        let made = pages().expect("the pages");
        let text = |path: &str| {
            let path = format!("reference/{path}.md");
            let page = made.iter().find(|page| page.path == path);
            page.map(|page| &*page.text).expect("a page")
        };
        let errors = text("errors");
        assert!(errors.matches("\nhelp: ").count() > 200, "{errors}");
        assert!(errors.contains("## aos\n") && errors.contains("unknown key `strenght`"));
        assert!(text("keys").contains("| `strength` | `=` one of `suggestion`"));
        assert!(text("commands").contains("## `SERVER hooks install`"));
        assert!(text("commands").contains("## `cargo hooks prove`"));
        assert!(text("clients").contains("| Claude Code | user |"));
        assert!(text("features").contains("| `http` | streamable HTTP"));
    }

    #[test]
    fn a_page_is_listed_with_its_first_sentence() {
        let text = "# It\n\nMCPL §1. It has three words or more. End.\n";
        assert_eq!(first_sentence(text), "It has three words or more.");
    }
}
