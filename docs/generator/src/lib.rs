//! The reference of the book, made from the source when the book is built.
//!
//! `SUMMARY.md` lists each page as a chapter without a file. mdbook runs this program as a preprocessor, which fills these chapters, and
//! as a renderer, which writes every page of the book as plain markdown beside its HTML, with a list of them in `llms.txt`.

mod clients;
mod commands;
mod errors;
mod features;
mod gates;
mod keys;

use std::{
    collections::BTreeMap,
    error::Error,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

/// One page of the reference.
#[derive(Debug)]
pub struct Page {
    /// The chapter's name in `SUMMARY.md`.
    pub title: &'static str,
    /// The path of the page in the book.
    pub path: &'static str,
    /// The page, in markdown.
    pub text: String,
}

/// Returns the repository's folder.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.join("../..")
}

/// The pages that people write, with their chapters. Each is in the folder `docs/reference`.
const WRITTEN: [(&str, &str); 30] = [
    ("Held-out calls", "reference/held-out.md"),
    ("Limits of memory", "reference/limits.md"),
    ("Refusals and codes", "reference/codes.md"),
    ("Who sees what", "reference/who-sees-what.md"),
    ("The pipeline of a request", "reference/pipeline.md"),
    (
        "Details of hooks at events",
        "reference/lifecycle-details.md",
    ),
    ("Details of guidance", "reference/guidance-details.md"),
    (
        "Details of sessions and guidance",
        "reference/session-details.md",
    ),
    ("Details of plugin hooks", "reference/plugin-hooks.md"),
    ("Details of policy", "reference/policy-details.md"),
    ("Details of ready-made plugins", "reference/ready-made.md"),
    ("The policy file in full", "reference/policy-file.md"),
    ("Details of gates", "reference/gates-details.md"),
    ("Details of guardians", "reference/guardian-details.md"),
    ("MCPL in full", "reference/mcpl.md"),
    ("Details of MCPL", "reference/mcpl-details.md"),
    ("Methods of MCPL", "reference/mcpl-methods.md"),
    ("Versions of MCPL", "reference/mcpl-versions.md"),
    ("Details of HTTP", "reference/http-details.md"),
    ("Details of the login", "reference/login-details.md"),
    ("Details of deployment", "reference/deployment-details.md"),
    ("Costs of requests and replicas", "reference/costs.md"),
    ("Spans and metrics", "reference/spans.md"),
    ("Details of the decision log", "reference/log-details.md"),
    ("On the wire", "reference/wire.md"),
    ("Details of the wire", "reference/wire-details.md"),
    ("For authors of clients", "reference/host.md"),
    ("Hosts for tests", "reference/testing-details.md"),
    ("Threat model", "reference/threat-model.md"),
    ("Glossary", "reference/glossary.md"),
];

/// Makes the pages of the reference.
///
/// # Errors
///
/// Returns an error if a file of the source cannot be read, or has another form than this program knows.
pub fn pages() -> Result<Vec<Page>, Box<dyn Error>> {
    let page = |title, path, text| Page { title, path, text };
    let mut pages = vec![
        page("Clients", "reference/clients.md", clients::page()),
        page("Proven gates", "reference/gates.md", gates::page()?),
        page(
            "Commands and options",
            "reference/commands.md",
            commands::page(),
        ),
        page("Keys of the attributes", "reference/keys.md", keys::page()?),
        page("Features", "reference/features.md", features::page()?),
        page("Messages", "reference/messages.md", messages()?),
        page("Compile errors", "reference/errors.md", errors::page()?),
    ];
    for (title, path) in WRITTEN {
        let text = fs::read_to_string(root().join("docs").join(path))?;
        pages.push(page(title, path, text));
    }
    Ok(pages)
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

/// Puts the pages into the chapters of the book that have their names and no file.
///
/// # Errors
///
/// Returns an error if the book has no such chapter for a page.
pub fn fill(items: &mut Value, pages: &[Page]) -> Result<(), Box<dyn Error>> {
    let mut left: BTreeMap<&str, &Page> = pages.iter().map(|page| (page.title, page)).collect();
    fill_from(items, &mut left, pages);
    match left.keys().next() {
        Some(title) => Err(format!("`SUMMARY.md` has no chapter `[{title}]()`").into()),
        None => Ok(()),
    }
}

fn fill_from(items: &mut Value, left: &mut BTreeMap<&str, &Page>, pages: &[Page]) {
    for item in items.as_array_mut().into_iter().flatten() {
        let Some(chapter) = item.get_mut("Chapter") else {
            continue;
        };
        let name = chapter["name"].as_str().unwrap_or_default();
        if chapter["path"].is_null()
            && let Some(page) = left.remove(name)
        {
            chapter["content"] = json!(page.text);
            chapter["path"] = json!(page.path);
        }
        // The pages about the reference exist in the built book only: there, the other pages link them.
        let text = chapter["content"].as_str().unwrap_or_default();
        chapter["content"] = json!(linked(text, pages));
        fill_from(&mut chapter["sub_items"], left, pages);
    }
}

/// Puts links to the pages of the reference in the place of their names on the page about the reference, and of the links to it.
fn linked(text: &str, pages: &[Page]) -> String {
    let mut text = text.to_owned();
    for page in pages {
        let named = format!("`{}`", page.path.replace(".md", ".html"));
        text = text.replace(&named, &format!("[{}]({})", page.title, page.path));
        let anchor = page.title.to_lowercase().replace(' ', "-");
        text = text.replace(
            &format!("reference.md#{anchor})"),
            &format!("{})", page.path),
        );
    }
    text
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
    fn each_page_has_a_chapter_and_its_content() {
        let summary = fs::read_to_string(root().join("docs/src/SUMMARY.md")).expect("a summary");
        let made = pages().expect("the reference");
        for page in &made {
            let chapter = format!("- [{}]()\n", page.title);
            assert!(summary.contains(&chapter), "{chapter}");
        }
        let text = |title: &str| {
            let page = made.iter().find(|page| page.title == title);
            page.map(|page| &*page.text).expect("a page")
        };
        let errors = text("Compile errors");
        assert!(errors.matches("\nhelp: ").count() > 200, "{errors}");
        assert!(errors.contains("## aos\n") && errors.contains("unknown key `strenght`"));
        assert!(text("Keys of the attributes").contains("| `strength` | `=` one of `suggestion`"));
        assert!(text("Commands and options").contains("## `SERVER hooks install`"));
        assert!(text("Commands and options").contains("## `cargo hooks prove`"));
        assert!(text("Clients").contains("| Claude Code | user |"));
        assert!(text("Features").contains("| `http` | streamable HTTP"));
    }

    #[test]
    fn chapters_without_a_file_are_filled_and_linked() {
        let page = |title, path| Page {
            title,
            path,
            text: "# It\n\nMCPL §1. It has three words or more. End.\n".to_owned(),
        };
        let index = "see `reference/it.html` [or](../reference.md#it)";
        let mut items = json!([
            {"Chapter": {"name": "Index", "path": "reference.md", "content": index, "sub_items": [
                {"Chapter": {"name": "It", "path": null, "content": "", "sub_items": []}},
            ]}},
        ]);
        fill(&mut items, &[page("It", "reference/it.md")]).expect("a chapter");
        let index = &items[0]["Chapter"];
        assert_eq!(
            index["content"],
            "see [It](reference/it.md) [or](../reference/it.md)"
        );
        let chapter = &index["sub_items"][0]["Chapter"];
        assert_eq!(chapter["path"], "reference/it.md");
        let text = chapter["content"].as_str().expect("a text");
        assert_eq!(first_sentence(text), "It has three words or more.");
        assert!(fill(&mut items, &[page("Another", "reference/another.md")]).is_err());
    }
}
