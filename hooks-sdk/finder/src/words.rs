//! Words: runs of letters and digits in a text, and the parts of a name.

/// Whether a word begins at `at`.
pub(super) fn begins(text: &str, at: usize) -> bool {
    match at.checked_sub(1).map(|before| text.as_bytes()[before]) {
        None => true,
        Some(byte) if byte.is_ascii() => !byte.is_ascii_alphanumeric(),
        Some(_) => !text[..at].ends_with(char::is_alphanumeric),
    }
}

/// Whether a word ends at `at`.
pub(super) fn ends_at(text: &str, at: usize) -> bool {
    match text.as_bytes().get(at) {
        None => true,
        Some(byte) if byte.is_ascii() => !byte.is_ascii_alphanumeric(),
        Some(_) => !text[at..].starts_with(char::is_alphanumeric),
    }
}

/// Where the word begins that goes on at `at`.
pub(super) fn start(text: &str, at: usize) -> usize {
    text[..at].trim_end_matches(char::is_alphanumeric).len()
}

/// The words of a name in lower case: `dbPassword2` has two.
pub fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let new = letter.is_uppercase()
            && (before.is_lowercase() || letters.peek().is_some_and(|next| next.is_lowercase()));
        if (new || !letter.is_alphanumeric()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    for word in &mut words {
        let name = word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        if name > 0 {
            word.truncate(name);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A run of letters and digits, in lower case.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) lower: String,
    /// Whether no line ends, and no clause, between the word before and this one.
    pub(super) joined: bool,
}

/// The words of a text from a place on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

impl Iterator for Words<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        let start = skip(self.text, self.at, false);
        let gap = &self.text[self.at..start];
        self.at = skip(self.text, start, true);
        (start < self.at).then(|| Word {
            start,
            end: self.at,
            lower: self.text[start..self.at].to_lowercase(),
            joined: gap.chars().all(|c| {
                matches!(
                    c,
                    ' ' | '\u{a0}' | '\t' | '-' | '_' | '\'' | '’' | '"' | '`' | '*' | '(' | ')'
                )
            }),
        })
    }
}

/// Where the letters and digits, or the other signs, end that begin at a place.
fn skip(text: &str, mut at: usize, letters: bool) -> usize {
    let bytes = text.as_bytes();
    loop {
        let same = |byte: &&u8| byte.is_ascii() && byte.is_ascii_alphanumeric() == letters;
        at += bytes[at..].iter().take_while(same).count();
        if bytes.get(at).is_none_or(u8::is_ascii) {
            return at;
        }
        match text[at..].chars().next() {
            Some(sign) if sign.is_alphanumeric() == letters => at += sign.len_utf8(),
            _ => return at,
        }
    }
}
