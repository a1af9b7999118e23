//! The spellings of a URI: what servers make of it before they look for the resource.

/// The most readings of one URI. A URI that has more cannot be judged.
const READINGS: usize = 32;

/// How often a URI is decoded.
const DECODED: usize = 3;

/// The longest URI that is read in several ways, in bytes.
const LONGEST: usize = 32 * 1024;

/// Returns the URI as clients and servers may read it, first as it is. Returns `None` if it has too many readings.
///
/// A server may decode it, may read it without its query, and may resolve its path.
pub(super) fn spellings(uri: &str) -> Option<Vec<String>> {
    all(uri, &['?', '#'])
}

/// Returns the spellings of the URI of a hidden resource. A query names another resource, so it stays.
pub(super) fn of_hidden(uri: &str) -> Vec<String> {
    all(uri, &[]).unwrap_or_else(|| vec![uri.to_owned()])
}

fn all(uri: &str, ends: &[char]) -> Option<Vec<String>> {
    if uri.len() > LONGEST {
        return None;
    }
    let mut readings = vec![(uri.to_owned(), 0)];
    let mut at = 0;
    while let Some((text, level)) = readings.get(at) {
        let level = *level;
        let cuts = ends.iter().filter_map(|end| text.split_once(*end));
        let mut more: Vec<_> = cuts.map(|(cut, _)| (cut.to_owned(), level)).collect();
        if level < DECODED {
            more.push((decoded(text), level + 1));
        }
        for (text, level) in more {
            if readings.iter().all(|(known, _)| *known != text) {
                readings.push((text, level));
            }
        }
        if readings.len() > READINGS {
            return None;
        }
        at += 1;
    }
    let mut spellings: Vec<String> = readings.into_iter().map(|(text, _)| text).collect();
    for at in 0..spellings.len() {
        let resolved = resolved(&spellings[at]);
        let whole = resolved.strip_suffix('/');
        let whole = whole.filter(|whole| !whole.ends_with(['/', ':']));
        for text in [Some(&*resolved), whole].into_iter().flatten() {
            if spellings.iter().all(|known| known != text) {
                spellings.push(text.to_owned());
            }
        }
    }
    Some(spellings)
}

/// Returns the URI without percent-encoding, as many servers read it.
fn decoded(uri: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(uri);
    decoded.decode_utf8_lossy().into_owned()
}

/// Returns the URI with a resolved path, and with scheme and host in lower case.
fn resolved(uri: &str) -> String {
    let text = uri.trim_matches(|c: char| c <= ' ').replace('\\', "/");
    let text = text.replace(['\t', '\n', '\r'], "");
    let (scheme, rest) = match text.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => (scheme.to_ascii_lowercase() + ":", rest),
        _ => (String::new(), &*text),
    };
    let is_file = scheme == "file:";
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            (Some(authority.to_ascii_lowercase()), path)
        }
        // `file:/a` is `file:///a`.
        None => (is_file.then(String::new), rest),
    };
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            name => parts.push(name),
        }
    }
    let is_below = authority.is_some() && !parts.is_empty();
    let mut resolved = scheme;
    if let Some(authority) = authority {
        resolved.push_str("//");
        resolved.push_str(match &*authority {
            "localhost" if is_file => "",
            authority => authority,
        });
    }
    if path.starts_with('/') || is_below {
        resolved.push('/');
    }
    resolved.push_str(&parts.join("/"));
    if path.ends_with('/') && !parts.is_empty() {
        resolved.push('/');
    }
    resolved
}

fn is_scheme(text: &str) -> bool {
    let of_scheme = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(of_scheme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_is_read_as_servers_read_it() {
        for uri in [
            "file:///secret",
            "file:///x/../secret",
            "file:///./secret",
            "file:///secret/",
            "file:////secret",
            "file:/secret",
            "FILE:///secret",
            "file://localhost/secret",
            "file://LOCALHOST/x/..\\secret",
            "file:///%73ecret",
            "file:///%2573ecret",
            "file:///%252573ecret",
            "file:///x/%2e%2e/secret",
            "file:///x/..%2fsecret",
            "file:///x%5c..%5csecret",
            "file:///secret?a=b",
            "file:///secret#a",
            "file:///%73ecret%3fa",
            " file:///se\ncret",
        ] {
            let all = spellings(uri).unwrap();
            assert_eq!(all[0], uri);
            let secret = "file:///secret".to_owned();
            assert!(all.contains(&secret), "{uri}: {all:?}");
        }
    }

    #[test]
    fn a_plain_uri_has_one_spelling() {
        for uri in [
            "file:///a/b",
            "db://host/a",
            "note:a",
            "a/b",
            "urn:a:b",
            "x:",
        ] {
            assert_eq!(spellings(uri), Some(vec![uri.to_owned()]));
        }
    }

    #[test]
    fn a_uri_with_too_many_spellings_is_not_judged() {
        assert_eq!(spellings(&"x".repeat(LONGEST + 1)), None);
    }

    #[test]
    fn a_query_of_a_hidden_resource_names_it() {
        let all = of_hidden("db://h/a%20b?page=1");
        assert!(all.contains(&"db://h/a b?page=1".to_owned()), "{all:?}");
        assert!(!all.contains(&"db://h/a b".to_owned()), "{all:?}");
    }

    #[test]
    fn encoded_bytes_are_decoded_once() {
        assert_eq!(decoded("file:///%69n%2ft%252f%"), "file:///in/t%2f%");
        assert_eq!(decoded("plain"), "plain");
    }
}
