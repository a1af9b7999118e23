//! The arguments that `cargo test` and `cargo nextest` pass to a test binary.

/// What to run, and whether to run or only to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// A suite runs when one of these is part of its name; without any, every suite runs.
    filters: Vec<String>,
    skipped: Vec<String>,
    exact: bool,
    /// Whether only to list the suites.
    pub list: bool,
    /// Whether only ignored tests are asked for, of which there are none.
    pub ignored: bool,
    /// Whether the list is read by a program.
    pub terse: bool,
}

impl Arguments {
    /// Reads libtest's arguments; those that mean nothing here are passed over.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Arguments {
        let mut read = Arguments::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let (flag, mut value) = match argument.split_once('=') {
                Some((flag, value)) if flag.starts_with('-') => (flag, Some(value.to_owned())),
                _ => (argument.as_str(), None),
            };
            if TAKES_VALUE.contains(&flag) && value.is_none() {
                value = arguments.next();
            }
            match flag {
                "--list" => read.list = true,
                "--exact" => read.exact = true,
                "--ignored" => read.ignored = true,
                "--format" => read.terse = value.as_deref() == Some("terse"),
                "--skip" => read.skipped.extend(value),
                _ if flag.starts_with('-') => {}
                _ => read.filters.push(argument),
            }
        }
        read
    }

    /// Whether the suite called `<protocol>/<suite>` is asked for.
    pub fn asks_for(&self, name: &str) -> bool {
        let named = |word: &String| {
            if self.exact {
                name == word
            } else {
                name.contains(word)
            }
        };
        (self.filters.is_empty() || self.filters.iter().any(named))
            && !self.skipped.iter().any(named)
    }
}

const TAKES_VALUE: [&str; 9] = [
    "--format",
    "--skip",
    "--color",
    "--logfile",
    "--test-threads",
    "--shuffle-seed",
    "--report-time",
    "--ensure-time",
    "-Z",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Arguments {
        Arguments::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn a_filter_is_part_of_a_name() {
        let asked = read("--nocapture --test-threads 1 guidance --color=always");
        assert!(asked.asks_for("guidance/composer"));
        assert!(!asked.asks_for("lifecycle/matching"));
        assert!(read("-Z unstable-options --format json").asks_for("lifecycle/matching"));
        assert!(!read("lifecycle --skip match").asks_for("lifecycle/matching"));
    }

    #[test]
    fn nextest_lists_and_then_runs_one_by_its_name() {
        let list = read("--list --format terse");
        assert!(list.list && list.terse && !list.ignored);
        assert!(read("--list --format terse --ignored").ignored);
        let one = read("--exact guidance/composer --nocapture");
        assert!(one.asks_for("guidance/composer"));
        assert!(!one.asks_for("guidance/composer_transparency"));
    }
}
