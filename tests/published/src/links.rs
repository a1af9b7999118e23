//! Every link of a page that people read outside of the book leads somewhere.
//!
//! A registry shows a package's README without the repository around it, so a link there is absolute. A link to this repository or
//! its book is followed in the tree: the file must exist, and the anchor in it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::{published, root};

const REPOSITORY: &str = "https://github.com/hooks-sdk/hooks-sdk";
const RAW: &str = "https://raw.githubusercontent.com/hooks-sdk/hooks-sdk/main/";
const BOOK: &str = "https://hooks-sdk.github.io/hooks-sdk/";

/// Pages of the repository's front that no registry shows: their links may be relative.
const FRONT: [&str; 12] = [
    ".github/PULL_REQUEST_TEMPLATE.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "RELEASING.md",
    "SECURITY.md",
    "examples/memory/README.md",
    "examples/guardian/README.md",
    "examples/otlp/README.md",
    "examples/postgres/README.md",
    "examples/tour/README.md",
    "tests/README.md",
];

/// The anchor of a heading, as GitHub and mdbook make it.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    });
    kept.collect::<String>().to_lowercase()
}

/// The targets of a page's links and pictures, and its anchors.
fn read(markdown: &str) -> (Vec<String>, Vec<String>) {
    let (mut targets, mut anchors) = (Vec::new(), Vec::new());
    let mut seen = BTreeMap::<String, usize>::new();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let anchor = slug(&heading.take().unwrap_or_default());
                let before = seen.entry(anchor.clone()).or_default();
                anchors.push(match *before {
                    0 => anchor,
                    again => format!("{anchor}-{again}"),
                });
                *before += 1;
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                targets.push(dest_url.into_string());
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                for attribute in ["src=\"", "srcset=\"", "href=\""] {
                    let values = html.split(attribute).skip(1);
                    let ends = values.filter_map(|value| value.split('"').next());
                    targets.extend(ends.map(str::to_owned));
                }
                let values = html.split("id=\"").skip(1);
                anchors
                    .extend(values.filter_map(|value| Some(value.split('"').next()?.to_owned())));
            }
            _ => {}
        }
    }
    (targets, anchors)
}

/// Says why a link to `path`, relative to the root, leads nowhere.
fn unreachable(path: &Path, anchor: &str) -> Option<String> {
    if !path.exists() {
        return Some("no such file".to_owned());
    }
    if anchor.is_empty() {
        return None;
    }
    if path.extension().is_none_or(|extension| extension != "md") {
        let line = anchor.trim_start_matches(['L', '-']);
        let line = line.starts_with(|c: char| c.is_ascii_digit());
        return (!line).then(|| "an anchor in a file that is no page".to_owned());
    }
    let (_, anchors) = read(&fs::read_to_string(path).expect("UTF-8"));
    let known = anchors.iter().any(|known| known == anchor);
    (!known).then(|| format!("no such anchor; the page has: {}", anchors.join(", ")))
}

/// Says why an absolute link is broken: own links are followed in the tree, foreign ones are not.
fn broken(target: &str) -> Option<String> {
    let (place, anchor) = target.split_once('#').unwrap_or((target, ""));
    let root = root();
    if let Some(path) = place.strip_prefix(RAW) {
        return unreachable(&root.join(path), anchor);
    }
    if let Some(page) = place.strip_prefix(BOOK) {
        let page = match page.strip_suffix(".html") {
            Some(page) => format!("{page}.md"),
            None if page.is_empty() => return None,
            None => page.to_owned(),
        };
        return unreachable(&root.join("docs/src").join(page), anchor);
    }
    let own = place.strip_prefix(REPOSITORY)?;
    match own.trim_start_matches('/').split_once("/main/") {
        Some(("blob", path)) if root.join(path).is_dir() => {
            Some("a folder is at `/tree/`".to_owned())
        }
        Some(("tree", path)) if root.join(path).is_file() => {
            Some("a file is at `/blob/`".to_owned())
        }
        Some(("blob" | "tree", path)) => unreachable(&root.join(path), anchor),
        _ if ["", "/", "/issues", "/discussions", "/releases"].contains(&own) => None,
        _ if own.starts_with("/security/advisories") || own.starts_with("/actions/") => None,
        _ => Some("not a place in this repository".to_owned()),
    }
}

#[test]
fn links_in_the_readme_of_a_package_are_absolute_and_lead_somewhere() {
    let mut problems = Vec::new();
    for package in published() {
        let manifest = PathBuf::from(package["manifest_path"].as_str().expect("a path"));
        let readme = package["readme"].as_str().expect("a readme");
        let page = manifest.parent().expect("a folder").join(readme);
        let (targets, anchors) = read(&fs::read_to_string(&page).expect("UTF-8"));
        for target in targets {
            let problem = match target.strip_prefix('#') {
                Some(anchor) if anchors.iter().any(|known| known == anchor) => None,
                Some(_) => Some("no such heading".to_owned()),
                None if target.starts_with("https://") => broken(&target),
                None => Some(format!("write `{REPOSITORY}/blob/main/…` or `{RAW}…`")),
            };
            problems.extend(problem.map(|problem| format!("{readme}: {target}: {problem}")));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn links_of_the_front_pages_lead_somewhere() {
    let mut problems = Vec::new();
    for name in FRONT {
        let page = root().join(name);
        let (targets, anchors) = read(&fs::read_to_string(&page).expect(name));
        for target in targets {
            let (place, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let problem = if target.contains("://") {
                broken(&target)
            } else if place.is_empty() {
                let known = anchors.iter().any(|known| known == anchor);
                (!known).then(|| "no such heading".to_owned())
            } else {
                unreachable(&page.parent().expect("a folder").join(place), anchor)
            };
            problems.extend(problem.map(|problem| format!("{name}: {target}: {problem}")));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_broken_link_is_told_from_a_sound_one() {
    let link = |path: &str| broken(&format!("{REPOSITORY}{path}"));
    assert_eq!(link("/blob/main/CONTRIBUTING.md#recipes"), None);
    assert_eq!(link("/tree/main/examples/memory"), None);
    assert_eq!(link("/blob/main/Cargo.toml#L3"), None);
    assert!(link("/blob/main/CONTRIBUTING.md#no-such").is_some());
    assert!(link("/blob/main/no-such.md").is_some());
    assert!(link("/blob/main/examples/memory").is_some());
    assert!(link("/tree/main/CONTRIBUTING.md").is_some());
    assert!(link("/blobs").is_some());
    assert!(broken(&format!("{RAW}no-such.svg")).is_some());
    assert_eq!(broken(&format!("{BOOK}start.html")), None);
    assert!(broken(&format!("{BOOK}no-such.html")).is_some());
    assert_eq!(broken("https://docs.rs/rmcp"), None);
    let (targets, anchors) = read("# A `b` c!\n\n# A b c\n\n<img src=\"x.svg\"> [t](u#v)\n");
    assert_eq!(targets, ["x.svg", "u#v"]);
    assert_eq!(anchors, ["a-b-c", "a-b-c-1"]);
}
