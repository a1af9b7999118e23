//! E-mail addresses, phone numbers, and passwords in addresses such as `https://kim:hunter2@host`.

use super::run::is_word;

/// Where the e-mail address begins and ends that has its `@` at `at`, in bytes.
pub(super) fn email(text: &str, at: usize) -> Option<(usize, usize)> {
    let text = text.as_bytes();
    let of_name =
        |byte: &&u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_{|}~.-".contains(byte);
    let name = text[..at].iter().rev().take_while(of_name).count();
    let domain = at + 1;
    let mut end = None;
    let mut label = domain;
    loop {
        let of_label = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'-';
        let length = text[label..].iter().take_while(of_label).count();
        if length == 0 {
            break;
        }
        if label > domain && length >= 2 && text[label].is_ascii_alphabetic() {
            end = Some(label + length);
        }
        label += length;
        if text.get(label) != Some(&b'.') {
            break;
        }
        label += 1;
    }
    end.filter(|_| name > 0).map(|end| (at - name, end))
}

/// Where the phone number ends that has its `+` at `at`, in bytes: 8 to 15 digits, with signs between them.
pub(super) fn phone(text: &str, at: usize) -> Option<usize> {
    let text = text.as_bytes();
    if !matches!(text.get(at + 1), Some(b'1'..=b'9')) {
        return None;
    }
    let mut end = None;
    let mut behind = at + 2;
    for digits in 2..=15 {
        let between = text[behind..].iter().take(4);
        let between = between.take_while(|byte| b" ./()-".contains(byte)).count();
        let digit = behind + between;
        if between > 3 || !text.get(digit).is_some_and(u8::is_ascii_digit) {
            break;
        }
        behind = digit + 1;
        if digits >= 8 && text.get(behind).is_none_or(|byte| !is_word(*byte)) {
            end = Some(behind);
        }
    }
    end
}

/// Where the password begins and ends of an address that has its `://` before `at`, in bytes.
pub(super) fn password(text: &str, at: usize) -> Option<(usize, usize)> {
    /// The most characters of a user's name.
    const NAME: usize = 64;
    /// The most characters of a password.
    const PASSWORD: usize = 256;
    let outside = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n' | '/' | '?' | '#' | '@');
    let mut name = text[at..].char_indices().take(NAME + 1);
    let (length, colon) = name.find(|(_, c)| outside(*c) || *c == ':')?;
    let start = at + length + 1;
    let mut password = text
        .get(start..)
        .filter(|_| colon == ':')?
        .char_indices()
        .take(PASSWORD + 1);
    let (length, sign) = password.find(|(_, c)| outside(*c))?;
    let word = &text[start..start + length];
    let told = sign == '@' && !word.is_empty() && !word.starts_with(['<', '$', '{', '*']);
    told.then_some((start, start + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_alone_is_found() {
        let found = |text: &str| password(text, text.find("://").unwrap() + 3);
        assert_eq!(found("postgres://kim:hunter2@db/shop"), Some((15, 22)));
        for text in [
            "https://example.org/a:b@c",
            "http://kim@host",
            "ssh://u:$PASS@h",
            "http://host:8080/",
            "http://u:",
            "http://",
            "http://u:@h",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn an_address_has_a_name_and_a_domain() {
        for (text, expected) in [
            ("kim@example.org", Some((0, 15))),
            ("to kim.lee+x@a.b.example.org.", Some((3, 28))),
            ("kim@localhost", None),
            ("@example.org", None),
            ("kim@a..org", None),
            ("kim@example.o1", Some((0, 14))),
            ("kim@example.1", None),
            ("kim@", None),
        ] {
            assert_eq!(email(text, text.find('@').unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn a_number_has_its_country_and_its_length() {
        for (text, expected) in [
            ("+49 30 123456", Some(13)),
            ("+1 (555) 123-4567.", Some(17)),
            ("+4930123456x", None),
            ("+0 30 123456", None),
            ("+49 30 12", None),
            ("+5 points", None),
            ("+", None),
        ] {
            assert_eq!(phone(text, 0), expected, "{text}");
        }
    }
}
