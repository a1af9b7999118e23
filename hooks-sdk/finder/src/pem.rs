//! Private keys in PEM: from the first line to the last, or as far as there is anything that a key is made of.

/// The longest header line of a private key, in bytes.
const MAX_HEADER: usize = 256;
/// The longest name between the dashes: the words before `PRIVATE KEY BLOCK`, and those.
const MAX_NAME: usize = 40 + 17;

/// How a key begins.
pub(super) const BEGIN: &str = "-----BEGIN ";
/// How its last line begins.
pub(super) const END: &str = "-----END ";

/// Returns where a line ends that says it begins or ends a private key; its name begins at `name`.
pub(super) fn line(text: &str, name: usize) -> Option<usize> {
    let rest = &text.as_bytes()[name..];
    let of_name = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ';
    let length = rest
        .iter()
        .take(MAX_NAME + 1)
        .take_while(|byte| of_name(byte))
        .count();
    let label = &text[name..name + length];
    let label = label.strip_suffix(" BLOCK").unwrap_or(label);
    let before = label.strip_suffix("PRIVATE KEY")?;
    (before.len() <= 40 && rest[length..].starts_with(b"-----")).then_some(name + length + 5)
}

/// Pairs each first line with the next last one. Both are the places of lines, in order.
pub(super) fn keys(
    text: &str,
    begins: &[(usize, usize)],
    ends: &[(usize, usize)],
) -> Vec<(usize, usize)> {
    let mut ends = ends.iter().peekable();
    let mut keys: Vec<(usize, usize)> = Vec::new();
    for begin in begins {
        if keys.last().is_some_and(|last| last.1 > begin.0) {
            continue;
        }
        while ends.next_if(|end| end.0 < begin.1).is_some() {}
        let end = match ends.peek() {
            Some(end) => end.1,
            None => end_of_key(text, begin.1),
        };
        keys.push((begin.0, end));
    }
    keys
}

/// Where a key ends whose last line is missing: behind its headers and its base64.
fn end_of_key(text: &str, begin: usize) -> usize {
    let of_key = |c: char| c.is_ascii_alphanumeric() || "+/=\\ \t\r".contains(c);
    let mut end = begin;
    loop {
        let rest = &text[end..];
        if let Some(length) = header(rest) {
            end += length;
            continue;
        }
        let Some(stop) = rest.find(|c| !of_key(c)) else {
            return text.len();
        };
        end += stop;
        if !rest[stop..].starts_with('\n') {
            return end;
        }
        end += 1;
    }
}

/// The length of a header line, if the text begins with one.
fn header(text: &str) -> Option<usize> {
    let length = text
        .bytes()
        .take(MAX_HEADER)
        .position(|byte| byte == b'\n')?;
    let (name, _) = text[..length].split_once(": ")?;
    let named = name
        .bytes()
        .all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    (named && !name.is_empty()).then_some(length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_a_private_key() {
        for (text, ends) in [
            ("PRIVATE KEY-----\nx", Some(16)),
            ("RSA PRIVATE KEY-----", Some(20)),
            ("PGP PRIVATE KEY BLOCK-----", Some(26)),
            ("PUBLIC KEY-----", None),
            ("CERTIFICATE-----", None),
            ("PRIVATE KEY--", None),
            ("private KEY-----", None),
        ] {
            assert_eq!(line(text, 0), ends, "{text}");
        }
    }

    #[test]
    fn a_key_without_an_end_stops_at_prose() {
        let key = "\nProc-Type: 4,ENCRYPTED\n\nMIIE+/==\nabc\n";
        let text = format!("{key}, and so on");
        assert_eq!(end_of_key(&text, 0), key.len());
        assert_eq!(end_of_key("", 0), 0);
    }
}
