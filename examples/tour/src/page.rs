//! The page that the tour fills: plain text, coloured only where a person looks at it.

use std::{
    env,
    ffi::OsStr,
    fmt::Write as _,
    io::{self, IsTerminal, Write},
};

use anstyle::{AnsiColor, Style};

use super::unexpected::Unexpected;

const TITLE: Style = Style::new().bold();
const NOTE: Style = Style::new().dimmed();
const QUOTE: Style = AnsiColor::Cyan.on_default();
const PASSED: Style = AnsiColor::Green.on_default().bold();
const FAILED: Style = AnsiColor::Red.on_default().bold();

/// What stands before every line of a step.
const INDENT: &str = "   ";

/// A page that is written as it is filled.
pub(super) struct Page {
    out: Box<dyn Write>,
    is_coloured: bool,
    steps: usize,
    /// Why nothing more is written.
    ended: Option<io::Error>,
}

impl Page {
    pub(super) fn on_stdout() -> Self {
        let out = io::stdout().lock();
        let (no_colour, kind) = (env::var_os("NO_COLOR"), env::var_os("TERM"));
        let is_coloured = is_coloured(out.is_terminal(), no_colour.as_deref(), kind.as_deref());
        Self::on(Box::new(out), is_coloured)
    }

    fn on(out: Box<dyn Write>, is_coloured: bool) -> Self {
        Self {
            out,
            is_coloured,
            steps: 0,
            ended: None,
        }
    }

    /// How many steps were begun.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    /// A heading of the whole page.
    pub(super) fn title(&mut self, text: &str) {
        let gap = if self.steps == 0 { "" } else { "\n" };
        self.line(gap, TITLE, text);
    }

    /// A line at the margin.
    pub(super) fn plain(&mut self, text: &str) {
        self.line("", Style::new(), text);
    }

    /// The heading of the next step.
    pub(super) fn step(&mut self, text: &str) {
        self.steps += 1;
        let heading = format!("{}. {text}", self.steps);
        self.line("\n", TITLE, &heading);
    }

    /// What happens in a step.
    pub(super) fn note(&mut self, text: &str) {
        for line in text.lines() {
            self.line(INDENT, NOTE, line);
        }
    }

    /// Somebody's words, line by line behind a bar.
    pub(super) fn quote(&mut self, text: &str) {
        for line in text.lines() {
            let bar = if line.is_empty() { "   |" } else { "   | " };
            self.line(bar, QUOTE, line);
        }
    }

    /// The step did what it says.
    pub(super) fn passed(&mut self, what: &str) {
        self.line(INDENT, PASSED, &format!("ok: {what}"));
    }

    /// The step did not do what it says.
    pub(super) fn failed(&mut self, unexpected: &Unexpected) {
        self.line(INDENT, FAILED, "FAILED");
        self.note("expected:");
        self.quote(&unexpected.expected);
        self.note("came:");
        self.quote(&unexpected.came);
    }

    /// Says whether all was written; a reader that went away has seen what it wanted.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        match self.ended.take() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    fn line(&mut self, before: &str, style: Style, text: &str) {
        if self.ended.is_some() {
            return;
        }
        let text = harmless(text);
        let line = if self.is_coloured {
            format!("{before}{style}{text}{style:#}\n")
        } else {
            format!("{before}{text}\n")
        };
        let written = self.out.write_all(line.as_bytes());
        self.ended = written.and_then(|()| self.out.flush()).err();
    }
}

/// Colours are for a person at a terminal who did not decline them, as <https://no-color.org> says.
fn is_coloured(is_terminal: bool, no_colour: Option<&OsStr>, kind: Option<&OsStr>) -> bool {
    is_terminal && no_colour.is_none_or(OsStr::is_empty) && kind != Some(OsStr::new("dumb"))
}

/// A memory may hold anything, but it does not steer the reader's terminal.
fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() && letter != '\t' {
            let _ = write!(out, "{}", letter.escape_default());
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A sheet that can still be read when the page has it.
    #[derive(Clone, Default)]
    struct Sheet(Arc<Mutex<Vec<u8>>>);

    impl Write for Sheet {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Sheet {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    #[test]
    fn a_failed_step_shows_what_was_expected_and_what_came() {
        let sheet = Sheet::default();
        let mut page = Page::on(Box::new(sheet.clone()), false);
        page.step("The agent stores");
        page.failed(&Unexpected::new("an ID", "line one\nline \u{1b}[31mtwo"));
        assert_eq!(
            sheet.text(),
            "\n1. The agent stores\n   FAILED\n   expected:\n   | an ID\n   came:\n   | line one\n   \
             | line \\u{1b}[31mtwo\n"
        );
    }

    #[test]
    fn colours_are_for_a_terminal_whose_reader_wants_them() {
        let word = |text| Some(OsStr::new(text));
        assert!(is_coloured(true, None, word("xterm")));
        assert!(is_coloured(true, word(""), None));
        assert!(!is_coloured(true, word("1"), word("xterm")));
        assert!(!is_coloured(true, None, word("dumb")));
        assert!(!is_coloured(false, None, word("xterm")));

        let sheet = Sheet::default();
        Page::on(Box::new(sheet.clone()), true).passed("stored");
        assert_eq!(sheet.text(), "   \u{1b}[1m\u{1b}[32mok: stored\u{1b}[0m\n");
    }

    #[test]
    fn a_reader_that_went_away_is_no_failure_and_a_full_disk_is() {
        struct Refusing(io::ErrorKind);
        impl Write for Refusing {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let finish = |kind| {
            let mut page = Page::on(Box::new(Refusing(kind)), false);
            page.plain("one");
            page.plain("two");
            page.finish()
        };
        assert!(finish(io::ErrorKind::BrokenPipe).is_ok());
        assert!(finish(io::ErrorKind::StorageFull).is_err());
    }
}
