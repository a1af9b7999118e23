//! The value of a member in JSON text, and in texts that write members alike.

use std::ops::Range;

/// The most texts of one list that are looked at.
const MOST: usize = 1000;

/// Returns where the value begins of the member whose name ends at a place, with a quotation mark and a colon behind it.
pub(super) fn value(text: &str, name_end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if !matches!(bytes.get(name_end), Some(b'"' | b'\'')) {
        return None;
    }
    let colon = blanks(bytes, name_end + 1);
    if bytes.get(colon) != Some(&b':') {
        return None;
    }
    let at = blanks(bytes, colon + 1);
    matches!(
        bytes.get(at),
        Some(b'"' | b'\'' | b'[' | b'{' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
    )
    .then_some(at)
}

/// Returns the texts and numbers that a value is or lists, without their quotation marks.
pub(super) fn texts(text: &str, at: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    if bytes[at] != b'[' {
        return scalar(bytes, at)
            .map(|(place, _)| place)
            .into_iter()
            .collect();
    }
    let mut found = Vec::new();
    let mut at = blanks(bytes, at + 1);
    while found.len() < MOST
        && let Some((place, end)) = scalar(bytes, at)
    {
        found.push(place);
        at = blanks(bytes, end);
        if bytes.get(at) != Some(&b',') {
            break;
        }
        at = blanks(bytes, at + 1);
    }
    found
}

/// Returns the place of a text or a number, and where it ends with its quotation marks. A text without an end goes to
/// the end of what there is.
fn scalar(bytes: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
    let quote = *bytes.get(at)?;
    if matches!(quote, b'-' | b'0'..=b'9') {
        let of_number = |byte: &&u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
        let end = at + bytes[at..].iter().take_while(of_number).count();
        return Some((at..end, end));
    }
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let mut end = at + 1;
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'\\' => end += 2,
            byte if *byte == quote => return Some((at + 1..end, end + 1)),
            _ => end += 1,
        }
    }
    Some((at + 1..bytes.len(), bytes.len()))
}

/// Whether a value of [`texts`] is a number.
pub(super) fn is_number(text: &str, place: &Range<usize>) -> bool {
    !text[..place.start].ends_with(['"', '\''])
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    at + bytes[at.min(bytes.len())..]
        .iter()
        .take_while(is_blank)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_members_value_is_found_to_its_own_end() {
        for (text, expected) in [
            (r#"key":"a\"b=="}"#, &[r#"a\"b=="#][..]),
            (r#"key" : 12.5e3,"#, &["12.5e3"]),
            (r#"key": ["a b", 'c', 5] "#, &["a b", "c", "5"]),
            (r#"key": {"type": "string"}"#, &[]),
            (r#"key": null"#, &[]),
            (r#"key": "open"#, &["open"]),
            (r#"key": "open\"#, &["open\\"]),
            (r#"key": []"#, &[]),
        ] {
            let at = value(text, 3).unwrap();
            let found: Vec<&str> = texts(text, at)
                .into_iter()
                .map(|place| &text[place])
                .collect();
            assert_eq!(found, expected, "{text}");
        }
        for text in ["key", "key\"", "key\" x", "key: \"a\"", "key\": x"] {
            assert_eq!(value(text, 3), None, "{text}");
        }
    }
}
