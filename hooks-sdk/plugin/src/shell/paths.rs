//! Paths and URLs in the words of a call.

use std::{
    ffi::OsStr,
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

/// Returns the paths that a word names: as it is written, as the disk resolves its links, and those that match its
/// wildcards.
pub(super) fn named(word: &str, folder: &Path, home: Option<&str>) -> Vec<String> {
    let address = of_file_url(word);
    let word = address.as_deref().unwrap_or(word);
    let joined = match word.starts_with('~') {
        true => absolute(word, folder, home),
        false => folder.join(in_process(word, folder)),
    };
    let written = plain(&joined);
    let mut all = vec![written.clone(), resolved(&joined)];
    if word.contains(['*', '?', '[']) {
        let found = matching(&written);
        all.extend(found.iter().map(|path| resolved(path)));
        all.extend(found);
    }
    let mut texts: Vec<String> = Vec::new();
    for path in all {
        let text = path.to_string_lossy().into_owned();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// Returns the path with the folder in the place of that of the shell's own process, which is not this process.
fn in_process(word: &str, folder: &Path) -> PathBuf {
    for (own, real) in [("cwd", folder), ("root", Path::new("/"))] {
        for process in ["self", "thread-self"] {
            let rest = word.strip_prefix(&format!("/proc/{process}/{own}"));
            if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
                return real.join(rest.trim_start_matches('/'));
            }
        }
    }
    PathBuf::from(word)
}

/// Returns the path of an address such as `file:///a`, `file://localhost/a` or `file:a?mode=ro`.
pub(super) fn of_file_url(word: &str) -> Option<String> {
    let scheme = word
        .get(..5)
        .filter(|start| start.eq_ignore_ascii_case("file:"))?;
    let rest = &word[scheme.len()..];
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').map_or(rest, |at| &rest[at..]),
        None => rest,
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
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

/// Returns the addresses of files in a text.
pub(super) fn file_urls(text: &str) -> Vec<&str> {
    let ends = |it: char| it.is_whitespace() || "\"'<>`|)]}(,;".contains(it);
    let words = text.split(ends);
    let words = words.map(|word| word.trim_end_matches('.'));
    words
        .filter(|word| {
            word.len() > 7
                && word
                    .get(..7)
                    .is_some_and(|start| start.eq_ignore_ascii_case("file://"))
        })
        .collect()
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
    for part in pattern.components() {
        let Component::Normal(name) = part else {
            continue;
        };
        let name = name.to_string_lossy();
        if glob::is_name(&name) {
            found.iter_mut().for_each(|path| path.push(&*name));
            continue;
        }
        let mut next = Vec::new();
        for folder in found {
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
            for entry in entries {
                let own = entry.file_name();
                if matches(&name, &own) && next.len() < MAX_MATCHES {
                    next.push(folder.join(own));
                }
            }
        }
        found = next;
    }
    found
}

fn matches(pattern: &str, name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let hidden = name.starts_with('.') && !pattern.starts_with('.');
    !hidden && glob::matches(pattern, &name)
}

/// Returns each URL in a text.
pub(super) fn urls(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for scheme in ["http://", "https://", "ftp://", "ws://", "wss://"] {
        let lower = text.to_ascii_lowercase();
        for (at, _) in lower.match_indices(scheme) {
            let before = text[..at].chars().next_back();
            if before.is_some_and(|before| before.is_ascii_alphanumeric()) {
                continue;
            }
            let ends = |it: char| it.is_whitespace() || "\"'<>`|)]},;".contains(it);
            let url = text[at..].split(ends).next().unwrap_or_default();
            found.push(with_lower_host(url.trim_end_matches('.'), scheme.len()));
        }
    }
    found
}

/// Returns the URL with its scheme and its host in lower case. They mean the same in each case.
fn with_lower_host(url: &str, scheme: usize) -> String {
    let end = url[scheme..]
        .find(['/', '?', '#'])
        .map_or(url.len(), |end| scheme + end);
    // A name and a password before the host keep their case.
    let host = url[..end].rfind('@').map_or(scheme, |at| at + 1);
    let (before, host) = (&url[scheme..host], &url[host..end]);
    let scheme = url[..scheme].to_ascii_lowercase();
    format!(
        "{scheme}{before}{}{}",
        host.to_ascii_lowercase(),
        &url[end..]
    )
}

/// Returns the path in a line such as `*** Update File: a`.
fn of_patch_head(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix("***")?.trim_start();
    let (head, path) = rest.split_once(':')?;
    let head = head.to_ascii_lowercase();
    let is_known = ["add file", "update file", "delete file", "move to"].contains(&&*head);
    let path = path.trim().trim_matches('"');
    (is_known && !path.is_empty()).then(|| path.to_owned())
}

/// Returns the paths that a patch names.
pub(super) fn of_patch(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        found.extend(of_patch_head(line));
        let unified = line
            .strip_prefix("--- ")
            .or_else(|| line.strip_prefix("+++ "));
        let renamed = line
            .strip_prefix("rename to ")
            .or_else(|| line.strip_prefix("rename from "));
        let Some(path) = unified.or(renamed) else {
            continue;
        };
        let path = path.split('\t').next().unwrap_or_default().trim();
        if path != "/dev/null" {
            found.push(path.to_owned());
            // `patch -p1` removes the first name.
            found.extend(path.split_once('/').map(|(_, path)| path.to_owned()));
        }
    }
    found
}
