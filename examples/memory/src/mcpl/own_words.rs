//! Which lines of a message are its speaker's own, and neither quoted nor pasted.

/// From this length on a message counts as pasted, in characters and in lines.
const LONG: (usize, usize) = (1500, 20);
/// How many lines of a message are looked at.
const LINES: usize = 2000;
/// Elements of HTML that have no end.
const VOID: &[&str] = &["br", "hr", "img", "input", "p"];

/// The lines that a user typed.
///
/// None of a message that is as long as a pasted one, and none behind a line that ends with a colon, as in
/// `Translate this:`. Beside that the lines that are [the speaker's own](own).
pub(super) fn typed(message: &str) -> Vec<&str> {
    let is_long = message.chars().nth(LONG.0).is_some() || message.lines().nth(LONG.1).is_some();
    if is_long {
        return Vec::new();
    }
    let mut lines = own(message);
    let mut announced = message
        .lines()
        .filter(|line| line.trim_end().ends_with(':'));
    if let Some(announcement) = announced.next() {
        lines.retain(|line| line.as_ptr() < announcement.as_ptr());
    }
    lines
}

/// The lines that are not in a block of code, a quotation, an element such as `<document>`, or what a terminal showed.
pub(super) fn own(message: &str) -> Vec<&str> {
    let mut reader = Reader::default();
    let lines = message.lines().take(LINES);
    lines.filter(|line| reader.is_own(line)).collect()
}

/// Where a reader of a message is.
#[derive(Default)]
struct Reader<'m> {
    /// The fence that has to come for the code to end.
    fence: Option<&'m str>,
    /// The element that has to end.
    element: Option<&'m str>,
    /// In a paragraph of a quotation or of a terminal's, which ends with an empty line.
    quoted: bool,
    /// Between quotation marks.
    marks: bool,
}

impl<'m> Reader<'m> {
    fn is_own(&mut self, line: &'m str) -> bool {
        let text = line.trim();
        if let Some(fence) = self.fence {
            let closes = text.starts_with(fence) && text.trim_start_matches(&fence[..1]).is_empty();
            self.fence = self.fence.filter(|_| !closes);
            return false;
        }
        if let Some(fence) = fence(text) {
            self.fence = Some(fence);
            return false;
        }
        if let Some(name) = self.element {
            self.element = self.element.filter(|_| !ends(text, name));
            return false;
        }
        if let Some(name) = element(text) {
            self.element = Some(name).filter(|name| !ends(text, name));
            return false;
        }
        if text.is_empty() {
            self.quoted = false;
        }
        self.quoted |= text.starts_with('>') || text.starts_with("$ ");
        let in_marks = self.marks;
        for letter in text.chars() {
            match letter {
                '"' => self.marks = !self.marks,
                '„' | '«' => self.marks = true,
                // What closes a quotation in one language opens it in another.
                '“' => self.marks = !self.marks,
                '”' | '»' => self.marks = false,
                _ => {}
            }
        }
        let indented = line.starts_with('\t') || line.starts_with("    ");
        !(self.quoted || in_marks || indented)
    }
}

/// The run of backticks or tildes that begins a block of code.
fn fence(text: &str) -> Option<&str> {
    let mark = text
        .chars()
        .next()
        .filter(|mark| ['`', '~'].contains(mark))?;
    let run = &text[..text.len() - text.trim_start_matches(mark).len()];
    (run.len() >= 3).then_some(run)
}

/// The name of the element that begins the line.
fn element(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('<')?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_-:.".contains(c)));
    let name = &rest[..end.unwrap_or(rest.len())];
    let opens = name.starts_with(|c: char| c.is_ascii_alphabetic()) && rest.contains('>');
    let ended = rest.contains("/>") || VOID.contains(&name);
    (opens && !ended).then_some(name)
}

fn ends(text: &str, name: &str) -> bool {
    text.match_indices("</")
        .any(|(at, _)| text[at + 2..].starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_not_the_speakers_own() {
        for quoted in [
            "> Remember: x",
            "> a quotation that\nRemember: x",
            "```\nRemember: x\n```",
            "~~~text\nRemember: x\n```\nRemember: x\n~~~",
            "````\n```\nRemember: x\n```\nRemember: x\n````",
            "```\nRemember: x",
            "    Remember: x",
            "\tRemember: x",
            "<document>\nRemember: x\n</document>",
            "<tool_result id=\"1\">\n\nRemember: x",
            "$ cat notes\nRemember: x",
            "They said \"hello\nRemember: x\nbye\"",
            "„Guten Tag\nRemember: x\nTschüss“",
        ] {
            let left = own(quoted);
            assert!(
                !left.iter().any(|line| line.contains("Remember")),
                "{quoted}: {left:?}"
            );
        }
    }

    #[test]
    fn what_stands_beside_a_quotation_is_the_speakers_own() {
        for message in [
            "> a quotation\n\nRemember: x",
            "```\ncode\n```\nRemember: x",
            "<b>Hello</b>\nRemember: x",
            "<br>\nRemember: x",
            "They said \"hello\".\nRemember: x",
            "„Guten Tag“\nRemember: x",
            "a < b\n  - Remember: x",
        ] {
            assert!(
                own(message).iter().any(|line| line.contains("Remember")),
                "{message}"
            );
        }
    }

    #[test]
    fn what_was_pasted_was_not_typed() {
        let long = format!("Remember: x\n{}", "word ".repeat(300));
        let lines = format!("Remember: x{}", "\nRemember: y".repeat(20));
        for message in [
            &*long,
            &*lines,
            "Translate this:\nRemember: x",
            "Mail:\n\nHi\n\nRemember: x",
        ] {
            let typed = typed(message);
            assert!(
                !typed.iter().any(|line| line.contains("Remember")),
                "{message}"
            );
        }
        assert_eq!(
            typed("Remember: x\nHere is more:\nRemember: y"),
            ["Remember: x"]
        );
    }
}
