//! The scan for `{variables}`.

/// One `{word}` of a text. A word is an ASCII letter or underscore, then letters, digits and underscores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable<'t> {
    /// The word between the braces.
    pub name: &'t str,
    /// The byte offset of the opening brace.
    pub start: usize,
    /// The byte offset after the closing brace.
    pub end: usize,
}

/// The variables of a text, in order. [`variables`] returns it.
#[derive(Clone, Debug)]
pub struct Variables<'t> {
    text: &'t str,
    at: usize,
}

/// Finds the variables of `text` in one pass.
pub fn variables(text: &str) -> Variables<'_> {
    Variables { text, at: 0 }
}

impl<'t> Iterator for Variables<'t> {
    type Item = Variable<'t>;

    fn next(&mut self) -> Option<Variable<'t>> {
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() {
            let start = self.at;
            self.at += 1;
            if bytes[start] != b'{' {
                continue;
            }
            let end = word_end(bytes, self.at);
            if end > self.at && end < bytes.len() && bytes[end] == b'}' {
                let name = &self.text[start + 1..end];
                self.at = end + 1;
                return Some(Variable {
                    name,
                    start,
                    end: end + 1,
                });
            }
            self.at = end;
        }
        None
    }
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < bytes.len() {
        let byte = bytes[at];
        let letter = byte.is_ascii_alphabetic() || byte == b'_';
        if !(letter || at > start && byte.is_ascii_digit()) {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::variables;

    fn names(text: &str) -> Vec<&str> {
        variables(text).map(|found| found.name).collect()
    }

    #[test]
    fn a_word_in_braces_is_a_variable() {
        assert_eq!(
            names("a {tool_name} and {x1}{_y}"),
            ["tool_name", "x1", "_y"]
        );
    }

    #[test]
    fn anything_else_is_text() {
        for text in [
            "", "{}", "{ a }", "{1a}", "{a-b}", "{a", "a}", "{é}", "{\n}",
        ] {
            assert_eq!(names(text), [""; 0], "{text:?}");
        }
    }

    #[test]
    fn a_failed_start_does_not_hide_the_next() {
        assert_eq!(names("{{a}} {b{c}"), ["a", "c"]);
    }

    #[test]
    fn offsets_enclose_the_braces() {
        let text = "é{a}é";
        let found = variables(text).next().unwrap();
        assert_eq!(&text[found.start..found.end], "{a}");
    }
}
