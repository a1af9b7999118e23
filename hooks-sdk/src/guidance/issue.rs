//! The problems of a definition, each with the path of its member.

use std::{borrow::Cow, error::Error, fmt};

use serde::{Serialize, Serializer};

/// All problems of one definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidHook {
    issues: Vec<Issue>,
}

/// One problem of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Issue {
    /// The path of the member; empty for the whole definition.
    pub path: Vec<Step>,
    /// What is wrong.
    pub message: Cow<'static, str>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "JSON has no third way down")]
pub enum Step {
    /// A member of an object, by the document's name.
    Key(Cow<'static, str>),
    /// An element of an array, from 0.
    Index(usize),
}

impl InvalidHook {
    /// Returns `Ok` if there are no issues, otherwise all of them.
    pub(super) fn check(issues: Vec<Issue>) -> Result<(), InvalidHook> {
        if issues.is_empty() {
            Ok(())
        } else {
            Err(InvalidHook { issues })
        }
    }

    /// Returns the issues, in the order of the document's schema.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }
}

impl Issue {
    pub(super) fn new(path: &[Step], message: impl Into<Cow<'static, str>>) -> Issue {
        Issue {
            path: path.to_vec(),
            message: message.into(),
        }
    }
}

impl From<&'static str> for Step {
    fn from(key: &'static str) -> Step {
        Step::Key(Cow::Borrowed(key))
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Step {
        Step::Index(index)
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Step::Key(key) => serializer.serialize_str(key),
            Step::Index(index) => serializer.serialize_u64(*index as u64),
        }
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.path.iter().enumerate() {
            match step {
                Step::Key(key) if at == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        if !self.path.is_empty() {
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

impl fmt::Display for InvalidHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, issue) in self.issues.iter().enumerate() {
            let separator = if at == 0 { "" } else { "; " };
            write!(f, "{separator}{issue}")?;
        }
        Ok(())
    }
}

impl Error for InvalidHook {}
