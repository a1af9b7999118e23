//! The errors of one macro call, collected so that the author sees all of them at once.

use std::fmt::Display;

use hooks_text::problem::Problem;
use proc_macro2::TokenStream;
use quote::ToTokens;

/// The errors so far.
#[derive(Default)]
pub(crate) struct Errors {
    found: Vec<syn::Error>,
    /// Whether the body of the author's function is left out, because rustc would report the same mistake again.
    pub(crate) replaces_body: bool,
}

impl Errors {
    /// Adds an error: what is wrong, and the one edit that mends it.
    pub(crate) fn push(&mut self, at: impl ToTokens, wrong: impl Display, help: impl Display) {
        self.found.push(syn::Error::new_spanned(
            at,
            format_args!("{wrong}\nhelp: {help}"),
        ));
    }

    /// Adds the problem of a value, if it breaks a rule.
    pub(crate) fn broken(&mut self, at: impl ToTokens, problem: Option<Problem>) {
        if let Some(problem) = problem {
            self.push(at, problem.message(), problem.help());
        }
    }

    /// Adds an error of the parser.
    pub(crate) fn adopt(&mut self, error: syn::Error) {
        self.found.push(error);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        self.found.iter().map(ToString::to_string).collect()
    }
}

impl ToTokens for Errors {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.found.iter().map(syn::Error::to_compile_error));
    }
}
