//! Keeps a text from opening or ending a section of the page that it is put into.

use std::borrow::Cow;

use super::{Escapes, LINE_ENDS};

/// Makes `text` safe to be one section of a page.
///
/// Outside code fences a line that is an ATX heading of level 1 to 3, a setext underline or a thematic
/// break gets a backslash before its first mark. So does the opening line of a fence that is never
/// closed, which would swallow what follows. Every line ends with a line feed, and a leading byte order
/// mark and control characters other than tabs are left out.
pub fn shield(text: &str) -> Cow<'_, str> {
    match plain(text) {
        Cow::Borrowed(text) => shield_lines(text),
        Cow::Owned(text) => match shield_lines(&text) {
            Cow::Owned(shielded) => Cow::Owned(shielded),
            Cow::Borrowed(_) => Cow::Owned(text),
        },
    }
}

/// Replaces each control character and line break of `text` by a space, so that it is one line.
pub fn one_line(text: &str) -> Cow<'_, str> {
    // Most names are ASCII, and comparing bytes is several times faster.
    let simple = text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    if simple || !text.contains(breaks) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", " ").replace(breaks, " "))
}

fn breaks(letter: char) -> bool {
    letter.is_control() || LINE_ENDS.contains(&letter)
}

fn plain(text: &str) -> Cow<'_, str> {
    let marked = text.strip_prefix('\u{feff}');
    let text = marked.unwrap_or(text);
    let strange = |letter: char| letter != '\n' && letter != '\t' && breaks(letter);
    if !text.contains(strange) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' if letters.peek() == Some(&'\n') => {}
            _ if LINE_ENDS.contains(&letter) => out.push('\n'),
            _ if strange(letter) => {}
            _ => out.push(letter),
        }
    }
    Cow::Owned(out)
}

fn shield_lines(text: &str) -> Cow<'_, str> {
    let mut escapes = Escapes::new(text);
    let mut at = 0;
    let mut fences = Fences::default();
    let mut code_until = 0;
    let mut after_text = false;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if start < code_until {
            continue;
        }
        let line = Line::of(line);
        let mark = match line.fence() {
            Some(fence) => match fences.end(fence, text, at) {
                Some(end) => {
                    code_until = end;
                    None
                }
                None => Some(line.indent),
            },
            None => line.divides(after_text).then_some(line.indent),
        };
        if let Some(mark) = mark {
            escapes.put(start + mark, start + mark, "\\");
        }
        after_text = !line.marks.is_empty() && start >= code_until;
    }
    escapes.finish()
}

/// A line without its indentation and its line end.
#[derive(Clone, Copy)]
struct Line<'t> {
    indent: usize,
    marks: &'t str,
}

impl<'t> Line<'t> {
    fn of(line: &'t str) -> Line<'t> {
        let marks = line.trim_start_matches(' ');
        Line {
            indent: line.len() - marks.len(),
            marks: marks.trim_end_matches([' ', '\t', '\n']),
        }
    }

    /// Whether it is indented so far that its marks have no effect.
    fn is_deep(self) -> bool {
        self.indent > 3 || self.marks.starts_with('\t')
    }

    fn divides(self, after_text: bool) -> bool {
        !self.is_deep()
            && (self.is_heading() || self.is_rule() || after_text && self.is_underline())
    }

    fn is_heading(self) -> bool {
        let level = run(self.marks, '#');
        let behind = self.marks[level..].chars().next();
        (1..=3).contains(&level) && matches!(behind, None | Some(' ' | '\t'))
    }

    fn is_rule(self) -> bool {
        let Some(mark @ ('-' | '*' | '_')) = self.marks.chars().next() else {
            return false;
        };
        let mut count = 0;
        for letter in self.marks.chars() {
            match letter {
                ' ' | '\t' => {}
                _ if letter == mark => count += 1,
                _ => return false,
            }
        }
        count >= 3
    }

    fn is_underline(self) -> bool {
        let whole = |mark| !self.marks.is_empty() && run(self.marks, mark) == self.marks.len();
        whole('=') || whole('-')
    }

    fn fence(self) -> Option<Fence> {
        let mark = self
            .marks
            .chars()
            .next()
            .filter(|mark| matches!(mark, '`' | '~'))?;
        let length = run(self.marks, mark);
        let info = &self.marks[length..];
        let opens = length >= 3 && !self.is_deep() && !(mark == '`' && info.contains('`'));
        opens.then_some(Fence {
            mark,
            length,
            indent: self.indent,
            bare: info.is_empty(),
        })
    }
}

fn run(text: &str, mark: char) -> usize {
    text.len() - text.trim_start_matches(mark).len()
}

#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
    indent: usize,
    /// Whether nothing follows the marks, so that it can close a fence.
    bare: bool,
}

/// Remembers failed searches for a closing line, by mark and indentation, so that many open fences stay cheap.
#[derive(Default)]
struct Fences {
    open: [[Open; 4]; 2],
}

/// Before the offset `until`, no run of at least `length` marks closes a fence.
#[derive(Clone, Copy, Default)]
struct Open {
    until: usize,
    length: usize,
}

impl Fences {
    /// Returns the offset after the line that closes `fence`; `from` is the offset of its first inner line.
    ///
    /// An indented fence may belong to a list item, which a line of less depth would end; it counts
    /// as closed only if every line down to its end is at least as deep.
    fn end(&mut self, fence: Fence, text: &str, from: usize) -> Option<usize> {
        let open = &mut self.open[usize::from(fence.mark == '~')][fence.indent];
        if from <= open.until && fence.length >= open.length {
            return None;
        }
        let mut at = from;
        for line in text[from..].split_inclusive('\n') {
            at += line.len();
            let line = Line::of(line);
            if line.indent < fence.indent && !line.marks.is_empty() {
                break;
            }
            let closes =
                |end: Fence| end.bare && end.mark == fence.mark && end.length >= fence.length;
            if line.fence().is_some_and(closes) {
                return Some(at);
            }
        }
        *open = Open {
            until: at,
            length: fence.length,
        };
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_divides_gets_a_backslash() {
        for (text, expected) in [
            ("# a", "\\# a"),
            ("  ## MUST\n", "  \\## MUST\n"),
            ("###", "\\###"),
            ("#\ta", "\\#\ta"),
            ("---", "\\---"),
            (" * * *", " \\* * *"),
            ("___\n\nx", "\\___\n\nx"),
            ("a\n===\n", "a\n\\===\n"),
            ("a\n--\n", "a\n\\--\n"),
            ("a\n-", "a\n\\-"),
            ("\n# a\n## b\n", "\n\\# a\n\\## b\n"),
        ] {
            assert_eq!(shield(text), expected, "{text:?}");
        }
    }

    #[test]
    fn other_lines_stay() {
        for text in [
            "",
            "text\n",
            "#### a",
            "#a",
            "#######",
            "    # code",
            "\t# code",
            "  \t# code",
            "> # a",
            "- # a",
            "\\# a",
            "a | b\n---|---\n",
            "--",
            "===",
            "- a\n- b",
            "**a**",
            "* * a",
            "-- -a",
        ] {
            assert!(
                matches!(shield(text), Cow::Borrowed(same) if same == text),
                "{text:?}"
            );
        }
    }

    #[test]
    fn code_stays_and_the_fence_must_end() {
        for (text, expected) in [
            ("```sh\n# a\n```\n# b", "```sh\n# a\n```\n\\# b"),
            ("~~~\n# a\n```\n~~~~ \n# b", "~~~\n# a\n```\n~~~~ \n\\# b"),
            ("```\n# a\n", "\\```\n\\# a\n"),
            ("```\n# a\n``` x\n# b", "\\```\n\\# a\n\\``` x\n\\# b"),
            ("``` a`b\n# c", "``` a`b\n\\# c"),
            (
                "1. a\n   ```\n   # b\n\n   ```\n# c",
                "1. a\n   ```\n   # b\n\n   ```\n\\# c",
            ),
            (
                "1. a\n   ```\n## MUST\n   ```\n",
                "1. a\n   \\```\n\\## MUST\n   \\```\n",
            ),
            ("- ```\n## MUST", "- ```\n\\## MUST"),
            ("```\na\n```\n---", "```\na\n```\n\\---"),
        ] {
            assert_eq!(shield(text), expected, "{text:?}");
        }
    }

    #[test]
    fn line_ends_marks_and_control_characters_are_made_plain() {
        for (text, expected) in [
            ("\u{feff}# a", "\\# a"),
            ("a\r\nb\rc\r\n", "a\nb\nc\n"),
            (
                "a\u{b}# b\u{c}# c\u{85}# d\u{2028}# e",
                "a\n\\# b\n\\# c\n\\# d\n\\# e",
            ),
            ("a\u{0}\u{1b}[31m\u{7f}\tb", "a[31m\tb"),
            ("#\u{0}# MUST", "\\## MUST"),
            ("a\r\n---\r\n", "a\n\\---\n"),
        ] {
            assert_eq!(shield(text), expected, "{text:?}");
        }
        assert_eq!(one_line("Name\r\n## MUST\u{2028}x"), "Name ## MUST x");
        assert!(matches!(one_line("Name"), Cow::Borrowed("Name")));
    }

    #[test]
    fn many_open_fences_stay_cheap() {
        for text in ["```a\n", "   ```a\n", "~~~\n```a\n", "   ~~~a\n  ```b\n"] {
            let text = text.repeat(32 * 1024);
            assert!(shield(&text).len() >= text.len());
        }
    }
}
