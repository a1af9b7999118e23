//! The table of programs: the rows of `programs.txt`.

use std::sync::LazyLock;

use super::Value;

/// The rows: the kind, the programs, and the options or words. A command asks for hundreds of kinds, so they are split once.
static ROWS: LazyLock<Vec<[&str; 3]>> = LazyLock::new(|| {
    let lines = include_str!("programs.txt").lines();
    let rows = lines.filter_map(|line| {
        let (kind, row) = line.split_once(' ')?;
        let (programs, words) = row.split_once(" : ").unwrap_or((row, ""));
        Some([kind, programs, words])
    });
    rows.collect()
});

/// A program, or another word of the table.
#[derive(Clone, Copy)]
pub(super) struct Program<'n>(pub &'n str);

impl<'n> Program<'n> {
    /// Returns the options, or words, of each row of this kind that has the program.
    fn rows(self, kind: &str) -> impl Iterator<Item = &'static str> {
        ROWS.iter().filter_map(move |[of, programs, words]| {
            let mut programs = programs.split_whitespace();
            (*of == kind && programs.any(|it| it == self.0)).then_some(*words)
        })
    }

    /// Returns whether the program is in a row of this kind.
    pub(super) fn is(self, kind: &str) -> bool {
        self.rows(kind).next().is_some()
    }

    /// Returns whether a row of this kind is about each word of the program.
    pub(super) fn has_all(self, kind: &str) -> bool {
        self.rows(kind).any(str::is_empty)
    }

    pub(super) fn options(self, kind: &str) -> Vec<&'static str> {
        self.rows(kind).flat_map(str::split_whitespace).collect()
    }

    /// Returns the values of the options of this kind among the program's words.
    pub(super) fn values(self, kind: &str, words: &[Value]) -> Vec<Value> {
        let mut found = Vec::new();
        for option in self.options(kind) {
            for (at, word) in words.iter().enumerate() {
                let next = words.get(at + 1).cloned();
                let is_short = word.text.starts_with('-') && !word.text.starts_with("--");
                let is_last = option.len() == 2 && word.text.ends_with(&option[1..]);
                found.extend(match word.text.strip_prefix(option) {
                    // `-o ProxyCommand=CODE`
                    _ if !option.starts_with('-') => {
                        let value = word.text.split_once(option).map(|(_, value)| value);
                        value.map(|value| word.with(value.trim_start_matches(['=', ' '])))
                    }
                    Some("") => next,
                    Some(value) if option.starts_with("--") => {
                        value.strip_prefix('=').map(|value| word.with(value))
                    }
                    Some(value) => Some(word.with(value)),
                    // `-qc CODE`
                    None if is_short && is_last && word.text.len() <= 6 => next,
                    None => None,
                });
            }
        }
        found.retain(|value| !value.text.is_empty());
        found
    }
}
