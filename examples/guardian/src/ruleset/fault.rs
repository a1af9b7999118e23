//! What is wrong with a file, all of it at once.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use serde_saphyr::{Error, Location};

/// Everything that is wrong with a policy file.
#[derive(Debug)]
pub struct RulesetErrors {
    file: PathBuf,
    mistakes: Vec<Mistake>,
}

/// One mistake in a policy file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Mistake {
    /// The line, from 1. It is 0 for what is wrong with the whole file.
    pub line: u64,
    /// What is wrong.
    pub message: String,
    /// The one edit that mends it.
    pub help: String,
}

impl RulesetErrors {
    /// Collects the mistakes of a file.
    pub(super) fn none(file: &Path) -> RulesetErrors {
        RulesetErrors {
            file: file.to_owned(),
            mistakes: Vec::new(),
        }
    }

    pub(super) fn add(
        &mut self,
        at: Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.mistakes.push(Mistake {
            line: at.line(),
            message: message.into(),
            help: help.into(),
        });
    }

    /// Adds what is wrong with a word, and the nearest right one.
    pub(super) fn unknown(&mut self, at: Location, what: &str, word: &str, known: &[&str]) {
        let help = match nearest(word, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write one of {}", listed(known)),
        };
        self.add(at, format!("`{word}` is no {what}"), help);
    }

    pub(super) fn of_whole_file(file: &Path, message: String, help: &str) -> RulesetErrors {
        let mut errors = RulesetErrors::none(file);
        errors.add(Location::UNKNOWN, message, help);
        errors
    }

    /// Says what serde's error says.
    pub(super) fn of_yaml(file: &Path, error: &Error) -> RulesetErrors {
        let mut errors = RulesetErrors::none(file);
        let at = error.location().unwrap_or(Location::UNKNOWN);
        match error.without_snippet() {
            Error::SerdeUnknownField {
                field, expected, ..
            } => {
                errors.unknown(at, "key of a policy here", field, expected);
            }
            Error::SerdeUnknownVariant {
                variant, expected, ..
            } => errors.unknown(at, "decision", variant, expected),
            Error::SerdeMissingField { field, .. } => {
                errors.add(
                    at,
                    format!("`{field}` is missing"),
                    format!("add `{field}:`"),
                );
            }
            other => errors.add(
                at,
                other.to_string(),
                "the README of this program has a policy as an example",
            ),
        }
        errors
    }

    /// Returns the mistakes.
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }

    pub(super) fn check(self) -> Result<(), RulesetErrors> {
        match self.mistakes.is_empty() {
            true => Ok(()),
            false => Err(self),
        }
    }
}

/// Returns the known word that is most like the word, if one is.
fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let alike = known
        .iter()
        .map(|known| (strsim::jaro_winkler(word, known), *known));
    let (likeness, near) = alike.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (likeness > 0.7).then_some(near)
}

fn listed(known: &[&str]) -> String {
    let known: Vec<String> = known.iter().map(|known| format!("`{known}`")).collect();
    known.join(", ")
}

impl fmt::Display for RulesetErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        for (at, mistake) in self.mistakes.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            let Mistake {
                line,
                message,
                help,
            } = mistake;
            match line {
                0 => write!(f, "{file}: {message}\n    help: {help}")?,
                _ => write!(f, "{file}:{line}: {message}\n    help: {help}")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for RulesetErrors {}
