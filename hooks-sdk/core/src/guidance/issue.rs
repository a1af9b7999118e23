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
    pub path: Vec<PathSegment>,
    /// What is wrong.
    pub message: Cow<'static, str>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "JSON has no third way down")]
pub enum PathSegment {
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
            Err(InvalidHook::of(issues))
        }
    }

    /// Makes the error of these issues.
    pub(super) fn of(issues: Vec<Issue>) -> InvalidHook {
        InvalidHook { issues }
    }

    /// Returns the issues: what is missing, what cannot be read, and what breaks a rule.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }
}

impl Issue {
    pub(super) fn new(path: &[PathSegment], message: impl Into<Cow<'static, str>>) -> Issue {
        Issue {
            path: path.to_vec(),
            message: message.into(),
        }
    }
}

impl From<&'static str> for PathSegment {
    fn from(key: &'static str) -> PathSegment {
        PathSegment::Key(Cow::Borrowed(key))
    }
}

impl From<usize> for PathSegment {
    fn from(index: usize) -> PathSegment {
        PathSegment::Index(index)
    }
}

impl Serialize for PathSegment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            PathSegment::Key(key) => serializer.serialize_str(key),
            PathSegment::Index(index) => serializer.serialize_u64(*index as u64),
        }
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.path.iter().enumerate() {
            match step {
                PathSegment::Key(key) if at == 0 => f.write_str(key)?,
                PathSegment::Key(key) => write!(f, ".{key}")?,
                PathSegment::Index(index) => write!(f, "[{index}]")?,
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
