//! A fault in a hook file.

use std::{borrow::Cow, error::Error, fmt};

/// What is wrong with a hook file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The line, from 1, in the whole file.
    pub line: usize,
    /// What is wrong.
    pub message: Cow<'static, str>,
    /// The one edit that mends it.
    pub help: Cow<'static, str>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}: {}\nhelp: {}",
            self.line, self.message, self.help
        )
    }
}

impl Error for Fault {}

impl Fault {
    /// A fault in line `line`, with the edit that mends it.
    pub fn new(
        line: usize,
        message: impl Into<Cow<'static, str>>,
        help: impl Into<Cow<'static, str>>,
    ) -> Fault {
        Fault {
            line,
            message: message.into(),
            help: help.into(),
        }
    }
}
