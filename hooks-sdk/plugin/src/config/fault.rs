//! What is wrong with a configuration file, all of it at once.

use std::{
    collections::BTreeSet,
    error::Error,
    fmt,
    path::{Path, PathBuf},
    sync::Mutex,
};

use hooks_text::nearest;

use super::node::Node;
use hooks_core::{BuildError, Origin, Problem, internal::lock};

/// How many mistakes are reported at once.
const MAX_FAULTS: usize = 100;

/// Everything that is wrong with a configuration file. If there is much, the first 100 mistakes.
///
/// Its [`Debug`](fmt::Debug) is the same as its [`Display`](fmt::Display), because a `main` that returns
/// `Result<(), Box<dyn Error>>` prints the former.
#[derive(Clone, PartialEq, Eq)]
pub struct ConfigurationErrors(Vec<BuildError>);

impl ConfigurationErrors {
    /// Returns the mistakes, in the order of their lines.
    pub fn iter(&self) -> impl Iterator<Item = &BuildError> {
        self.0.iter()
    }
}

/// Returns a place in a file. The name of each file is kept once, as long as the process runs.
pub(super) fn origin(file: &Path, line: usize) -> Origin {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let name = file.to_string_lossy();
    let mut names = lock(&NAMES);
    let known = names.get(&*name).copied();
    let name = known.unwrap_or_else(|| {
        let name: &'static str = Box::leak(name.into_owned().into_boxed_str());
        names.insert(name);
        name
    });
    Origin::new("", name, u32::try_from(line).unwrap_or(u32::MAX), 1)
}

impl fmt::Display for ConfigurationErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => f.write_str("1 mistake in the configuration file")?,
            n => write!(f, "{n} mistakes in the configuration file")?,
        }
        for fault in &self.0 {
            write!(f, "\n  {fault}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ConfigurationErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for ConfigurationErrors {}

/// The mistakes that were found so far.
#[derive(Debug)]
pub(super) struct Faults {
    file: PathBuf,
    found: Vec<BuildError>,
}

impl Faults {
    pub(super) fn new(file: &Path) -> Faults {
        Faults {
            file: file.to_owned(),
            found: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, line: usize, message: impl Into<String>, help: impl Into<String>) {
        if !self.is_full() {
            let origin = origin(&self.file, line);
            let problem = BuildError::new(origin, message.into(), help.into());
            self.found.push(problem);
        }
    }

    /// Adds a word that is none of the known ones.
    pub(super) fn unknown<'k>(
        &mut self,
        line: usize,
        what: &str,
        word: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) {
        let (message, help) = unknown(what, word, known.into_iter().collect());
        self.add(line, message, help);
    }

    /// Adds the rule that a value breaks, if it breaks one.
    pub(super) fn rule(&mut self, line: usize, problem: Option<Problem>) {
        if let Some(problem) = problem {
            self.add(line, problem.message(), problem.help());
        }
    }

    /// Adds the words of a list that break a rule.
    pub(super) fn words(
        &mut self,
        table: &Node,
        key: &str,
        words: &[String],
        rule: fn(&str) -> Option<Problem>,
    ) {
        for (word, item) in words.iter().zip(table.items(key)) {
            if let Some(problem) = rule(word) {
                let message = format!("`{}`: {}", clip(word), problem.message());
                self.add(item.line, message, problem.help());
            }
        }
    }

    /// Returns the errors, if there are any.
    pub(super) fn check(self) -> Result<(), ConfigurationErrors> {
        match self.is_empty() {
            true => Ok(()),
            false => Err(self.all()),
        }
    }

    pub(super) fn all(mut self) -> ConfigurationErrors {
        self.found.sort_by_key(|fault| fault.origin);
        ConfigurationErrors(self.found)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns whether no further mistake is kept.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= MAX_FAULTS
    }
}

/// Says that a word is none of the known ones, and which one was probably meant.
pub(super) fn unknown(what: &str, word: &str, known: Vec<&str>) -> (String, String) {
    let help = match (nearest(word, known.iter().copied()), &*known) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, []) => format!("remove it: there is no {what} here"),
        (None, known) => format!("write one of `{}`", known.join("`, `")),
    };
    (format!("unknown {what} `{}`", clip(word)), help)
}

/// Shortens a word of a file for a message.
pub(super) fn clip(word: &str) -> String {
    const MOST: usize = 80;
    match word.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}
