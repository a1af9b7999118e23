//! The book for its readers: links, anchors and pictures exist, it is short enough, and its codes are those of the source.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::architecture::root;

/// The most words of the guides, with their code and their tables.
const MOST_WORDS: usize = 45_000;
/// The most words of the guides outside of code and tables.
const MOST_PROSE: usize = 25_000;
/// The most words of half of the guides.
const MOST_IN_HALF: usize = 600;
/// The most rows of tables of a guide: one for each client.
const MOST_ROWS: usize = 9;
/// The most words of the README, with its code and its tables.
const MOST_README: usize = 800;
/// The most words of a recipe, with its code.
const MOST_IN_A_RECIPE: usize = 250;

const OWN: &str = "https://github.com/hooks-sdk/hooks-sdk/";
const OWN_FILES: &str = "https://raw.githubusercontent.com/hooks-sdk/hooks-sdk/main/";

pub(crate) fn markdown(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            pages.extend(markdown(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    pages.sort();
    pages
}

/// The pages of the book that people write, with its reference.
pub(crate) fn written() -> Vec<PathBuf> {
    let made = hooks_book::pages().expect("pages of the source");
    let mut pages = markdown(&root().join("docs/src"));
    pages.retain(|page| !made.iter().any(|made| page.ends_with(made.path)));
    pages
}

/// The pages that people read, without the reference.
fn guides() -> Vec<PathBuf> {
    let folder = root().join("docs/src");
    let mut pages = markdown(&folder);
    pages.retain(|page| !page.starts_with(folder.join("reference")));
    pages
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// The anchors of a page's headings, as mdbook and GitHub make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut heading: Option<String> = None;
    for event in parser(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let name: String = heading.take().unwrap_or_default();
                let name = name.trim().to_lowercase();
                let letters = name.chars().filter_map(|letter| match letter {
                    letter if letter.is_alphanumeric() => Some(letter),
                    '_' | '-' => Some(letter),
                    letter if letter.is_whitespace() => Some('-'),
                    _ => None,
                });
                let id: String = letters.collect();
                let mut unique = id.clone();
                let mut number = 0;
                while !found.insert(unique.clone()) {
                    number += 1;
                    unique = format!("{id}-{number}");
                }
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            _ => {}
        }
    }
    found
}

/// The links and the pictures of a page.
fn links(text: &str) -> Vec<String> {
    let found = parser(text).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.into_string())
        }
        _ => None,
    });
    found.collect()
}

#[test]
fn links_anchors_and_pictures_exist() {
    let root = root().canonicalize().expect("the repository");
    let book = root.join("docs/src");
    let mut pages: BTreeMap<PathBuf, String> = BTreeMap::new();
    for folder in ["docs/src", "docs/project"] {
        for page in markdown(&root.join(folder)) {
            pages.insert(page.clone(), read(&page));
        }
    }
    let mut others: Vec<PathBuf> = fs::read_dir(root.join("examples"))
        .expect("the examples")
        .map(|entry| entry.expect("an entry").path().join("README.md"))
        .filter(|path| path.exists())
        .collect();
    others.extend(
        [
            "README.md",
            "CONTRIBUTING.md",
            "ARCHITECTURE.md",
            "tests/README.md",
        ]
        .map(|name| root.join(name)),
    );
    for path in others {
        let text = read(&path);
        pages.insert(path, text);
    }
    let mut broken = Vec::new();
    let mut count = 0;
    for (page, text) in &pages {
        let own = anchors(text);
        for link in links(text) {
            count += 1;
            let place = page.strip_prefix(&root).unwrap_or(page).display();
            let (target, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let path = if target.is_empty() {
                if !own.contains(anchor) {
                    broken.push(format!("{place}: no heading `#{anchor}`"));
                }
                continue;
            } else if let Some(rest) = target.strip_prefix(OWN_FILES) {
                root.join(rest)
            } else if let Some(rest) = target.strip_prefix(OWN) {
                let rest = ["blob/main/", "tree/main/", "raw/main/"]
                    .iter()
                    .find_map(|kind| rest.strip_prefix(kind));
                let Some(rest) = rest else { continue };
                root.join(rest)
            } else if target.contains("://") || target.starts_with("mailto:") {
                continue;
            } else {
                normal(&page.parent().expect("a folder").join(target))
            };
            if !path.exists() {
                broken.push(format!("{place}: `{link}` does not exist"));
                continue;
            }
            let in_book = page.starts_with(&book);
            if in_book && !target.starts_with(OWN) && !path.starts_with(&book) {
                broken.push(format!("{place}: `{link}` leaves the book"));
            }
            if anchor.is_empty() || path.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let text = pages.get(&path).cloned().unwrap_or_else(|| read(&path));
            if !anchors(&text).contains(anchor) {
                broken.push(format!("{place}: `{link}` has no such heading"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(count > 300, "{count} links");
}

/// Removes `.` and `..`, also of a path that does not exist.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => _ = out.pop(),
            std::path::Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// The words of a page: all, and those outside of code and tables.
fn words(text: &str) -> (usize, usize) {
    let mut prose = 0;
    let mut in_fence = false;
    for line in text.lines() {
        let start = line.trim_start().trim_start_matches("> ");
        if start.starts_with("```") {
            in_fence = !in_fence;
        } else if !in_fence && !start.starts_with('|') && !start.starts_with("<!--") {
            prose += line.split_whitespace().count();
        }
    }
    (text.split_whitespace().count(), prose)
}

/// GitHub shows a picture on a light or on a dark page: its own background, or its own colours for each, keep it legible.
#[test]
fn each_drawn_picture_has_a_background_and_a_title() {
    let mut drawn = 0;
    for entry in fs::read_dir(root().join("docs/src/images")).expect("the pictures") {
        let path = entry.expect("a picture").path();
        if path.extension().is_none_or(|extension| extension != "svg") {
            continue;
        }
        let text = read(&path);
        let (_, first) = text.split_once("<rect ").expect("a background");
        let first = first.split_once('>').expect("an end").0;
        let has_background = first.contains("fill=\"#")
            || first.contains("class=\"back\"") && text.contains("prefers-color-scheme: dark");
        assert!(has_background, "{}: {first}", path.display());
        let is_named = text.contains("<title>") && text.contains("role=\"img\"");
        assert!(is_named, "{}: no title", path.display());
        drawn += 1;
    }
    assert!(drawn > 10, "{drawn}");
}

#[test]
fn the_book_is_short_enough() {
    let mut all = (0, 0);
    let mut lengths = Vec::new();
    for page in guides() {
        let (total, prose) = words(&read(&page));
        all = (all.0 + total, all.1 + prose);
        lengths.push(total);
    }
    lengths.sort_unstable();
    let half = lengths[lengths.len() / 2];
    let (readme, _) = words(&read(&root().join("README.md")));
    eprintln!(
        "guides: {} words, {} of prose, median {half}; README: {readme}",
        all.0, all.1
    );
    for (name, count, most) in [
        ("the guides", all.0, MOST_WORDS),
        ("the guides' prose", all.1, MOST_PROSE),
        ("half of the guides", half, MOST_IN_HALF),
        ("the README", readme, MOST_README),
    ] {
        assert!(count <= most, "{name}: {count} words, at most {most}");
    }
}

/// The rows of a page's tables, without their heads.
fn rows(text: &str) -> usize {
    let is_row = |event: &Event<'_>| matches!(event, Event::Start(Tag::TableRow));
    parser(text).filter(is_row).count()
}

#[test]
fn long_tables_are_in_the_reference() {
    let mut long = Vec::new();
    for page in guides() {
        let count = rows(&read(&page));
        if count > MOST_ROWS {
            long.push(format!("{}: {count} rows", page.display()));
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn each_recipe_is_short() {
    let text = read(&root().join("docs/src/recipes.md"));
    let recipes: Vec<&str> = text.split("\n## ").skip(1).collect();
    assert!(
        (15..=22).contains(&recipes.len()),
        "{} recipes",
        recipes.len()
    );
    for recipe in recipes {
        let title = recipe.lines().next().unwrap_or_default();
        let recipe: Vec<&str> = recipe
            .lines()
            .filter(|line| !line.starts_with("<!--"))
            .collect();
        let count = recipe.join("\n").split_whitespace().count();
        assert!(count <= MOST_IN_A_RECIPE, "`{title}` has {count} words");
    }
}

#[test]
fn codes_of_policy_are_on_the_page_of_codes() {
    let page = read(&root().join("docs/src/reference/codes.md"));
    let mut found = BTreeSet::new();
    for file in crate::architecture::rust_files(&root().join("hooks-sdk")) {
        // Without the folder of the repository, whatever its name has in it.
        let place = file
            .strip_prefix(root())
            .expect("a file below")
            .to_string_lossy();
        let is_source = [
            "/plugin/src/",
            "/middleware/plugin/",
            "/middleware/aos/",
            "/http/hooks/",
        ]
        .iter()
        .any(|folder| place.contains(folder));
        if !is_source || place.contains("tests") {
            continue;
        }
        let source = read(&file);
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        let code: Vec<&str> = source
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let code = code.join("\n");
        for mark in [
            "by_chain(",
            ".code(",
            ".code = ",
            "of_hook(pending,",
            "=> \"plugin_",
        ] {
            for (at, _) in code.match_indices(mark) {
                let rest = code[at + mark.len()..].trim_start();
                let rest = match mark {
                    "=> \"plugin_" => &code[at + 3..],
                    _ => rest,
                };
                let word = rest
                    .strip_prefix('"')
                    .and_then(|rest| rest.split('"').next());
                found.extend(word.filter(|word| !word.is_empty()).map(str::to_owned));
            }
        }
    }
    assert!(found.len() > 20, "{found:?}");
    for code in found {
        assert!(
            page.contains(&format!("| `{code}` |")),
            "the page of codes lacks `{code}`"
        );
    }
}
