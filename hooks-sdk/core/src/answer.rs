//! The return types of a hook that makes its text.

use std::borrow::Cow;

use super::{HookError, error::IntoHookError};

/// A hook's result as its text. `None` and the empty text add nothing.
#[diagnostic::on_unimplemented(
    message = "a hook cannot answer with `{Self}`",
    label = "not text",
    note = "answer with `String`, `&'static str` or `Cow<'static, str>`, or with an `Option` or a `Result` of one of these"
)]
pub trait Answer {
    /// Converts the result into the text.
    ///
    /// # Errors
    ///
    /// The author's own error.
    fn answer(self) -> Result<String, HookError>;
}

impl Answer for String {
    fn answer(self) -> Result<String, HookError> {
        Ok(self)
    }
}

impl Answer for &'static str {
    fn answer(self) -> Result<String, HookError> {
        Ok(self.to_owned())
    }
}

impl Answer for Cow<'static, str> {
    fn answer(self) -> Result<String, HookError> {
        Ok(self.into_owned())
    }
}

impl<A: Answer> Answer for Option<A> {
    fn answer(self) -> Result<String, HookError> {
        self.map_or_else(|| Ok(String::new()), A::answer)
    }
}

impl<A: Answer, E: IntoHookError> Answer for Result<A, E> {
    fn answer(self) -> Result<String, HookError> {
        self.map_err(E::into_hook_error)?.answer()
    }
}
