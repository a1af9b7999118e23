//! The errors: all problems at start-up, and one hook's failure.

use std::{borrow::Cow, error::Error as StdError, fmt};

use super::Origin;

/// Every problem that was found while hooks were collected for a server.
///
/// Its [`Debug`](fmt::Debug) is the same as its [`Display`](fmt::Display), because a `main` that returns
/// `Result<(), Box<dyn Error>>` prints the former.
#[derive(Clone, PartialEq, Eq)]
pub struct BuildErrors(Vec<BuildError>);

impl BuildErrors {
    /// Returns `Ok` if there is no problem.
    ///
    /// # Errors
    ///
    /// The problems, in the order given.
    pub fn check(problems: Vec<BuildError>) -> Result<(), BuildErrors> {
        if problems.is_empty() {
            Ok(())
        } else {
            Err(BuildErrors(problems))
        }
    }

    /// Returns the problems, in the order they were found.
    pub fn iter(&self) -> impl Iterator<Item = &BuildError> {
        self.0.iter()
    }
}

impl FromIterator<BuildError> for BuildErrors {
    fn from_iter<I: IntoIterator<Item = BuildError>>(problems: I) -> BuildErrors {
        BuildErrors(problems.into_iter().collect())
    }
}

impl IntoIterator for BuildErrors {
    type Item = BuildError;
    type IntoIter = std::vec::IntoIter<BuildError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => f.write_str("1 problem with hooks")?,
            n => write!(f, "{n} problems with hooks")?,
        }
        for problem in &self.0 {
            write!(f, "\n  {problem}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl StdError for BuildErrors {}

/// One problem at start-up: what is wrong, where, and what mends it. Its `Debug` is the same as its `Display`.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildError {
    /// Where the hook at fault was written.
    pub origin: Option<Origin>,
    /// What is wrong.
    pub message: Cow<'static, str>,
    /// The one thing that mends it.
    pub help: Cow<'static, str>,
}

impl BuildError {
    /// A problem of the hook written at `origin`.
    pub fn new(
        origin: impl Into<Option<Origin>>,
        message: impl Into<Cow<'static, str>>,
        help: impl Into<Cow<'static, str>>,
    ) -> BuildError {
        BuildError {
            origin: origin.into(),
            message: message.into(),
            help: help.into(),
        }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = self.origin {
            write!(f, "{origin}: ")?;
        }
        write!(f, "{}\n    help: {}", self.message, self.help)
    }
}

impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl StdError for BuildError {}

impl From<BuildError> for BuildErrors {
    fn from(problem: BuildError) -> BuildErrors {
        BuildErrors(vec![problem])
    }
}

/// An author's error inside of a hook. Any error converts into it with `?`.
pub struct HookError(Box<dyn StdError + Send + Sync>);

impl HookError {
    /// A failure, described in one sentence.
    pub fn new(message: impl Into<String>) -> HookError {
        HookError(message.into().into())
    }

    /// Returns the author's own error.
    pub fn get_ref(&self) -> &(dyn StdError + Send + Sync + 'static) {
        &*self.0
    }
}

impl<E: StdError + Send + Sync + 'static> From<E> for HookError {
    fn from(error: E) -> HookError {
        HookError(Box::new(error))
    }
}

/// An error with which a hook may answer.
#[diagnostic::on_unimplemented(
    message = "a hook cannot fail with `{Self}`",
    label = "the error in this answer is no `std::error::Error`",
    note = "write `hooks_sdk::core::HookError` in its place: `?` converts each `std::error::Error` into it, and \
            `HookError::new(\"…\")` makes one of a text"
)]
#[doc(hidden)]
pub trait IntoHookError {
    /// Converts it.
    fn into_hook_error(self) -> HookError;
}

// Without this, a missing conversion is reported, which does not mention the hook.
#[diagnostic::do_not_recommend]
impl<E: Into<HookError>> IntoHookError for E {
    fn into_hook_error(self) -> HookError {
        self.into()
    }
}

impl fmt::Debug for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_main_that_returns_the_problems_prints_them_as_prose() {
        let problem = |message| BuildError::new(None, message, "rename one of them");
        let one = problem("two hooks are called `welcome`");
        let prose = "two hooks are called `welcome`\n    help: rename one of them";
        assert_eq!(format!("{one:?}"), prose);
        let several = BuildErrors::check(vec![one, problem("two tools are called `save`")]);
        let boxed: Box<dyn StdError> = several.unwrap_err().into();
        assert_eq!(format!("{boxed:?}"), boxed.to_string());
        assert_eq!(
            format!("{boxed:#?}"),
            format!(
                "2 problems with hooks\n  {prose}\n  two tools are called `save`\n    help: rename one of them"
            )
        );
    }
}
