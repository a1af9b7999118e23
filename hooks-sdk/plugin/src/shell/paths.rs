//! Paths and URLs in the words of a call.

use std::{
    fs,
    path::{Component, Path, PathBuf},
    sync::LazyLock,
};

use hooks_core::glob;
use percent_encoding::percent_decode_str;
use regex::Regex;

/// The most paths that one word with wildcards may become.
const MAX_MATCHES: usize = 256;

/// Returns the path without `.` and `..`, by its names alone.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = parts.pop(),
            Component::CurDir => {}
            other => parts.push(other),
        }
    }
    parts
}

/// Returns the path of a word in a folder. Returns `None` if it begins in a home that is not known.
pub(super) fn joined(word: &str, folder: &Path, home: Option<String>) -> Option<PathBuf> {
    let address = of_file_url(word);
    let word = address.as_deref().unwrap_or(word);
    let below = |head: &str| {
        let rest = word.strip_prefix(head)?;
        let is_below = rest.is_empty() || rest.starts_with('/');
        is_below.then(|| rest.trim_start_matches('/'))
    };
    if word.starts_with('~') {
        return Some(Path::new(&home?).join(below("~")?));
    }
    // The folder of the shell's own process, which is not this process.
    let own = below("/proc/self/cwd").or_else(|| below("/proc/thread-self/cwd"));
    Some(folder.join(own.unwrap_or(word)))
}

/// Returns the path as it is written, as the disk resolves its links, and those that match its wildcards.
pub(super) fn named(path: &Path) -> Vec<String> {
    let mut all = vec![plain(path), resolved(path)];
    if !glob::is_name(&path.to_string_lossy()) {
        let found = matching(&all[0]);
        all.extend(found.iter().map(|path| resolved(path)));
        all.extend(found);
    }
    let texts = all.iter().map(|path| path.to_string_lossy());
    texts.map(|text| text.into_owned()).collect()
}

/// Returns the path of an address such as `file:///a`, `file://localhost/a` or `file:a?mode=ro`.
pub(super) fn of_file_url(word: &str) -> Option<String> {
    let scheme = word
        .get(..5)
        .filter(|start| start.eq_ignore_ascii_case("file:"))?;
    let rest = &word[scheme.len()..];
    let rest = match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').map_or(rest, |at| &rest[at..]),
        None => rest,
    };
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    let path = percent_decode_str(path).decode_utf8_lossy();
    Some(path.into_owned())
}

/// Returns the path with its links resolved, as far as it exists. `..` after a link leads out of the link's target.
fn resolved(path: &Path) -> PathBuf {
    let mut so_far = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = so_far.pop(),
            Component::CurDir => {}
            other => {
                so_far.push(other);
                if let Ok(real) = fs::canonicalize(&so_far) {
                    so_far = real;
                } else if let Ok(target) = fs::read_link(&so_far) {
                    // A link to a file that does not exist yet: a write would create it there.
                    let base = so_far.parent().unwrap_or(Path::new("/")).to_owned();
                    so_far = plain(&base.join(target));
                }
            }
        }
    }
    so_far
}

/// Returns the existing paths that match a path with wildcards.
fn matching(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from("/")];
    for part in pattern.components().skip(1) {
        let name = part.as_os_str().to_string_lossy();
        let below = |folder: &PathBuf| -> Vec<PathBuf> {
            if glob::is_name(&name) {
                return vec![folder.join(&*name)];
            }
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let own = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
            let shown = own.filter(|own| name.starts_with('.') || !own.starts_with('.'));
            let matches = shown.filter(|own| glob::matches(&name, own));
            matches.map(|own| folder.join(own)).collect()
        };
        found = found.iter().flat_map(below).take(MAX_MATCHES).collect();
    }
    found
}

/// Returns each URL in a text. Its scheme and its host are in lower case: they mean the same in each case.
pub(super) fn urls(text: &str) -> Vec<String> {
    static URL: LazyLock<Regex> = LazyLock::new(|| {
        let url = r#"((?:https?|ftp|wss?|file)://[^\s"'<>`|()\]},;/?#]*)([^\s"'<>`|()\]},;]*)"#;
        Regex::new(&format!("(?i){url}")).unwrap_or_else(|_| unreachable!())
    });
    // To make the expression takes longer than to read a command.
    if !text.contains("://") {
        return Vec::new();
    }
    let found = URL
        .captures_iter(text)
        .map(|it| it[1].to_ascii_lowercase() + &it[2]);
    found
        .map(|url| url.trim_end_matches('.').to_owned())
        .collect()
}

/// Returns the paths that a patch names.
pub(super) fn of_patch(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let head = line
            .trim()
            .strip_prefix("***")
            .and_then(|line| line.split_once(':'));
        if let Some((head, path)) = head {
            let head = head.trim().to_ascii_lowercase();
            let is_known = ["add file", "update file", "delete file", "move to"].contains(&&*head);
            found.extend(is_known.then(|| path.trim().trim_matches('"').to_owned()));
        }
        let heads = ["--- ", "+++ ", "rename to ", "rename from "];
        if let Some(path) = heads.iter().find_map(|head| line.strip_prefix(head)) {
            let path = path.split('\t').next().unwrap_or_default().trim();
            found.push(path.to_owned());
            // `patch -p1` removes the first name.
            found.extend(path.split_once('/').map(|(_, path)| path.to_owned()));
        }
    }
    found.retain(|path| !path.is_empty());
    found
}
