//! Text in which JSON wrote signs by a backslash, read as JSON reads it.

/// How often a text may be JSON within JSON.
pub(super) const LEVELS: usize = 3;

/// A text without its escapes.
pub(super) struct Unescaped {
    pub(super) text: String,
    /// Behind each escape: the place here, and the place in the text before.
    jumps: Vec<(usize, usize)>,
}

impl Unescaped {
    /// Reads a text, or returns `None` if it has no escape.
    pub(super) fn of(text: &str) -> Option<Unescaped> {
        let mut at = text.find('\\')?;
        let mut read = Unescaped {
            text: String::with_capacity(text.len()),
            jumps: Vec::new(),
        };
        let mut from = 0;
        loop {
            let end = match escape(&text[at..]) {
                Some((letter, length)) => {
                    read.text.push_str(&text[from..at]);
                    read.text.push(letter);
                    from = at + length;
                    read.jumps.push((read.text.len(), from));
                    from
                }
                None => at + 1,
            };
            match text[end..].find('\\') {
                Some(next) => at = end + next,
                None => break,
            }
        }
        read.text.push_str(&text[from..]);
        (!read.jumps.is_empty()).then_some(read)
    }

    /// Returns the place in the text before of a place here.
    pub(super) fn origin(&self, at: usize) -> usize {
        match self.jumps.partition_point(|(here, _)| *here <= at) {
            0 => at,
            count => {
                let (here, before) = self.jumps[count - 1];
                before + (at - here)
            }
        }
    }
}

/// Returns the sign that an escape at the beginning of a text means, and the length of the escape.
fn escape(text: &str) -> Option<(char, usize)> {
    let sign = match text.as_bytes().get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'u' => return unicode(text),
        _ => return None,
    };
    Some((sign, 2))
}

fn unicode(text: &str) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let hex = text.get(at..at + 6)?.strip_prefix("\\u")?;
        let hex = hex
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit())
            .then_some(hex)?;
        u16::from_str_radix(hex, 16).ok()
    };
    let first = unit(0)?;
    match char::from_u32(first.into()) {
        Some(letter) => Some((letter, 6)),
        None => {
            let two = char::decode_utf16([first, unit(6)?]).next()?;
            Some((two.ok()?, 12))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_are_read_and_everything_else_stays() {
        for (text, expected) in [
            (r"a\nb", Some("a\nb")),
            (r"\t\r\b\f\/\\\u0041", Some("\t\r\u{8}\u{c}/\\A")),
            (r"\ud83e\udd80!", Some("🦀!")),
            (r"C:\dir\x", None),
            (r"\ud83e alone, \u12, \", None),
            ("plain", None),
        ] {
            let read = Unescaped::of(text);
            assert_eq!(read.as_ref().map(|read| &*read.text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_text_is_read_as_json_reads_it_and_places_lead_back(letters in "[a\"\\\\\n\té漢🦀\u{1}/]{0,20}") {
            let written = serde_json::to_string(&letters).unwrap();
            let inner = &written[1..written.len() - 1];
            match Unescaped::of(inner) {
                None => prop_assert_eq!(inner, letters),
                Some(read) => {
                    prop_assert_eq!(&read.text, &letters);
                    for (at, letter) in read.text.char_indices() {
                        let place = read.origin(at)..read.origin(at + letter.len_utf8());
                        let part: String = serde_json::from_str(&format!("\"{}\"", &inner[place])).unwrap();
                        prop_assert_eq!(part, letter.to_string());
                    }
                }
            }
        }
    }
}
