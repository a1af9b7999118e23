//! What programs make of the text of a path before they split it: they decode it, cut it, and take signs out.

use std::borrow::Cow;

/// The most readings of one path. A path that has more cannot be judged.
const READINGS: usize = 32;
/// How often a path can be decoded before it cannot be judged.
const DECODED: u8 = 3;
/// The longest path that is read in several ways, in bytes.
const LONGEST: usize = 32 * 1024;

/// One reading of a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) text: Vec<u8>,
    /// How often it was decoded.
    pub(super) level: u8,
}

/// Returns every reading of a path, or `None` if there are too many. `of_uri` adds the path within a URI of a file.
pub(super) fn readings(path: &str, of_uri: bool) -> Option<Vec<Reading>> {
    if path.len() > LONGEST {
        return None;
    }
    let mut readings = vec![Reading {
        text: path.as_bytes().to_vec(),
        level: 0,
    }];
    let mut at = 0;
    while let Some(Reading { text, level }) = readings.get(at) {
        let level = *level;
        let mut more = Vec::new();
        if let Some(decoded) = decoded(text) {
            if level == DECODED || is_odd(&decoded) {
                return None;
            }
            more.push((decoded, level + 1));
        }
        for sign in [b'?', b'#', 0] {
            let cut = text.iter().position(|byte| *byte == sign);
            more.extend(cut.map(|end| (text[..end].to_vec(), level)));
        }
        more.extend(stripped(text).map(|text| (text, level)));
        if of_uri {
            more.extend(path_of_file(text).map(|path| (path.to_vec(), level)));
        }
        for (text, level) in more {
            let reading = Reading { text, level };
            if !readings.contains(&reading) {
                readings.push(reading);
            }
        }
        if readings.len() > READINGS {
            return None;
        }
        at += 1;
    }
    Some(readings)
}

/// Returns the bytes with each `%2e` decoded once, or `None` if there is none.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let digits = |bytes: &[u8]| {
        bytes
            .iter()
            .try_fold(0, |sum, byte| Some(sum << 4 | digit(byte)?))
    };
    let mut decoded: Option<Vec<u8>> = None;
    let (mut rest, mut at) = (text, 0);
    while let Some(skip) = rest.iter().position(|byte| *byte == b'%') {
        let (before, found) = rest.split_at(skip);
        let (sign, length) = match found {
            [b'%', b'u' | b'U', hex @ ..] if hex.len() >= 4 => (digits(&hex[..4]), 6),
            [b'%', hex @ ..] if hex.len() >= 2 => (digits(&hex[..2]), 3),
            _ => (None, 1),
        };
        if let Some(out) = &mut decoded {
            out.extend_from_slice(before);
        }
        at += skip;
        match sign {
            Some(sign) => {
                let out = decoded.get_or_insert_with(|| text[..at].to_vec());
                match u8::try_from(sign) {
                    Ok(byte) => out.push(byte),
                    Err(_) => {
                        let letter = char::from_u32(sign).unwrap_or(char::REPLACEMENT_CHARACTER);
                        out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                }
                rest = &found[length..];
            }
            None => {
                if let Some(out) = &mut decoded {
                    out.push(b'%');
                }
                at += 1;
                rest = &found[1..];
            }
        }
    }
    if let Some(out) = &mut decoded {
        out.extend_from_slice(rest);
    }
    decoded
}

/// Returns the bytes decoded as often as that changes them, a few times at most.
pub(super) fn decoded_whole(text: &[u8]) -> Cow<'_, [u8]> {
    let mut whole = Cow::Borrowed(text);
    for _ in 0..=DECODED {
        match decoded(&whole) {
            Some(decoded) => whole = Cow::Owned(decoded),
            None => break,
        }
    }
    whole
}

/// Whether there are bytes that careless decoders of UTF-8 take for another sign, such as `/` in two bytes.
fn is_odd(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, 0xc0 | 0xc1))
        || text
            .windows(2)
            .any(|two| matches!(two, [0xe0, 0x80..=0x9f] | [0xf0, 0x80..=0x8f]))
}

/// Returns the text as browsers read it: without tabs and line breaks, and without blanks around it.
fn stripped(text: &[u8]) -> Option<Vec<u8>> {
    let is_blank = |byte: &u8| *byte <= b' ';
    let start = text.iter().take_while(|byte| is_blank(byte)).count();
    let end = text.iter().rev().take_while(|byte| is_blank(byte)).count();
    let inner = &text[start..(text.len() - end).max(start)];
    let is_taken = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r');
    if inner.len() == text.len() && !inner.iter().any(is_taken) {
        return None;
    }
    Some(
        inner
            .iter()
            .copied()
            .filter(|byte| !is_taken(byte))
            .collect(),
    )
}

/// Returns the path in a `file:` URI.
fn path_of_file(text: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = text.split_at_checked(5)?;
    if !scheme.eq_ignore_ascii_case(b"file:") {
        return None;
    }
    let divides = |byte: &u8| matches!(byte, b'/' | b'\\');
    match rest {
        [a, b, rest @ ..] if divides(a) && divides(b) => {
            // The name of a computer.
            let at = rest.iter().position(divides)?;
            Some(&rest[at..])
        }
        rest => Some(rest),
    }
}
