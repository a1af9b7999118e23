//! The table of programs: the rows of `programs.txt`.

/// A program, or another word of the table.
#[derive(Clone, Copy)]
pub(super) struct Program<'n>(pub &'n str);

impl<'n> Program<'n> {
    /// Returns the options, or words, of each row of this kind that has the program.
    fn rows(self, kind: &str) -> impl Iterator<Item = &'static str> {
        let lines = include_str!("programs.txt").lines();
        lines.filter_map(move |line| {
            let (head, words) = line.split_once(" : ").unwrap_or((line, ""));
            let mut head = head.split_whitespace();
            (head.next() == Some(kind) && head.any(|it| it == self.0)).then_some(words)
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

    /// Returns the values of the options of this kind among the program's words, each with its place.
    pub(super) fn values<'w>(
        self,
        kind: &str,
        words: &[&'w str],
    ) -> impl Iterator<Item = (usize, &'w str)> {
        let options = self.options(kind);
        let mut found = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let next = words.get(at + 1).map(|value| (at + 1, *value));
            let is_letters = word.starts_with('-') && !word.starts_with("--") && word.len() <= 6;
            for option in &options {
                found.extend(match word.strip_prefix(option) {
                    Some("") => next,
                    Some(value) if option.starts_with("--") => {
                        Some((at, value.strip_prefix('=').unwrap_or_default()))
                    }
                    Some(value) => Some((at, value)),
                    // `-qc CODE`
                    None if option.len() == 2 && is_letters && word.ends_with(&option[1..]) => next,
                    None => None,
                });
            }
        }
        found.into_iter().filter(|(_, value)| !value.is_empty())
    }
}
