//! The start-up problems that a check finds, all of them, each with its place and its mend.

use std::{borrow::Cow, fmt::Display, time::Duration};

use hooks_text::rule;

use super::{BuildError, Origin, Problem};

/// What a start-up check has found so far.
#[derive(Debug, Default)]
pub struct Findings(Vec<BuildError>);

impl Findings {
    /// Adds a problem of what was written at `origin`.
    pub fn add(
        &mut self,
        origin: impl Into<Option<Origin>>,
        message: impl Into<Cow<'static, str>>,
        help: impl Into<Cow<'static, str>>,
    ) {
        self.0.push(BuildError::new(origin, message, help));
    }

    /// Adds the rule that a part breaks, if it breaks one. `part` names it: `` `deadline` of the hook `recall` ``.
    pub fn rule(&mut self, origin: Origin, part: impl Display, broken: Option<Problem>) {
        if let Some(problem) = broken {
            self.add(origin, format!("{part}: {problem}"), problem.help());
        }
    }

    /// Adds the rule that a key of a hook breaks, if it breaks one.
    pub fn key(&mut self, (origin, id): (Origin, &str), key: &str, broken: Option<Problem>) {
        self.rule(origin, format_args!("`{key}` of the hook `{id}`"), broken);
    }

    /// Adds that a hook's id is none, if it is none.
    pub fn id(&mut self, (origin, id): (Origin, &str)) {
        if let Some(problem) = rule::id(id) {
            self.add(
                origin,
                format!("`{id}` cannot be a hook's id"),
                problem.help(),
            );
        }
    }

    /// Adds that a hook's deadline is out of range, if it is.
    pub fn deadline(&mut self, of: (Origin, &str), deadline: Duration) {
        let ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
        self.key(of, "deadline", rule::deadline_ms(ms));
    }

    /// Adds problems that another check has found.
    pub fn extend(&mut self, found: impl IntoIterator<Item = BuildError>) {
        self.0.extend(found);
    }

    /// Returns the problems, in the order in which they were found.
    pub fn all(self) -> Vec<BuildError> {
        self.0
    }
}
