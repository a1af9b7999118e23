//! Paths and URLs in the words of a call.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use hooks_core::glob;

/// The most paths that one word with wildcards may become.
const MAX_MATCHES: usize = 256;

/// Returns the path without `.` and `..`, below the folder if it is relative.
pub(super) fn absolute(path: &str, folder: &Path, home: Option<&str>) -> PathBuf {
    let path = match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            PathBuf::from(format!("{home}{rest}"))
        }
        _ => PathBuf::from(path),
    };
    plain(&folder.join(path))
}

/// Returns the path without `.` and `..`, by its names alone.
fn plain(path: &Path) -> PathBuf {
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

/// Returns whether a path that begins with `~` begins in a home that is known.
pub(super) fn has_home(path: &str, home: &Option<String>) -> bool {
    !path.starts_with('~') || home.is_some() && (path == "~" || path.starts_with("~/"))
}

/// Returns the paths that a word names: as it is written, as the disk resolves its links, and those that match its
/// wildcards.
pub(super) fn named(word: &str, folder: &Path, home: Option<&str>) -> Vec<String> {
    let address = of_file_url(word);
    let word = address.as_deref().unwrap_or(word);
    // The folder of the shell's own process, which is not this process.
    let heads = ["/proc/self/cwd", "/proc/thread-self/cwd"];
    let in_folder = heads.iter().find_map(|head| word.strip_prefix(head));
    let joined = match in_folder.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(rest) => folder.join(rest.trim_start_matches('/')),
        None if word.starts_with('~') => absolute(word, folder, home),
        None => folder.join(word),
    };
    let written = plain(&joined);
    let mut all = vec![resolved(&joined)];
    if !glob::is_name(word) {
        let found = matching(&written);
        all.extend(found.iter().map(|path| resolved(path)));
        all.extend(found);
    }
    all.insert(0, written);
    all.iter()
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
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
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((byte, more)) = rest.split_first() {
        let digits = (*byte == b'%').then(|| more.get(..2)).flatten();
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(*byte));
        rest = if code.is_some() { &more[2..] } else { more };
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
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
    const ENDS: [char; 13] = [
        '"', '\'', '<', '>', '`', '|', ')', ']', '}', ',', ';', '(', '\u{0}',
    ];
    let mut found = Vec::new();
    for (at, _) in text.match_indices("://") {
        let scheme = text[..at]
            .rsplit(|it: char| !it.is_ascii_alphanumeric())
            .next();
        let scheme = scheme.unwrap_or_default().to_ascii_lowercase();
        if !["http", "https", "ftp", "ws", "wss", "file"].contains(&&*scheme) {
            continue;
        }
        let rest = &text[at + 3..];
        let end = rest.find(|it: char| it.is_whitespace() || ENDS.contains(&it));
        let rest = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
        let host = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (host, path) = rest.split_at(host);
        found.push(format!("{scheme}://{}{path}", host.to_ascii_lowercase()));
    }
    found
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
