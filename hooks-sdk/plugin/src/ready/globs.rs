//! Globs of a ready-made plugin: one or a list, checked when they are read.

use serde::{Deserialize, Deserializer, de::Error};

use hooks_core::{Problem, glob};

/// Globs, each of them well-formed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Globs(Vec<Box<str>>);

impl Globs {
    /// Adds a glob of the author's.
    ///
    /// # Panics
    ///
    /// The glob is malformed.
    #[track_caller]
    pub(super) fn add(&mut self, glob: &str) {
        Problem::pass(glob::problem(glob));
        self.0.push(glob.into());
    }

    /// Whether one of the globs matches.
    pub(super) fn matches(&self, name: &str) -> bool {
        self.0.iter().any(|glob| glob::matches(glob, name))
    }

    /// Whether one of the globs matches, or there is none.
    pub(super) fn admits(&self, name: &str) -> bool {
        self.0.is_empty() || self.matches(name)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|glob| &**glob)
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a glob or a list of globs")]
enum GlobOrList {
    One(String),
    More(Vec<String>),
}

impl<'de> Deserialize<'de> for Globs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Globs, D::Error> {
        let globs = match GlobOrList::deserialize(deserializer)? {
            GlobOrList::One(glob) => vec![glob],
            GlobOrList::More(globs) => globs,
        };
        for glob in &globs {
            if let Some(problem) = glob::problem(glob) {
                let (message, help) = (problem.message(), problem.help());
                return Err(D::Error::custom(format!("`{glob}`: {message}; {help}")));
            }
        }
        Ok(Globs(globs.into_iter().map(Box::from).collect()))
    }
}
