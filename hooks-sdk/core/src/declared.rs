//! The declarations of hooks, for code that passes them to a client in another way than the handshake.

use std::sync::Arc;

use crate::{guidance::HookSummary, lifecycle::Declaration};

/// A declaration with the hooks that it contains.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Declared {
    /// The ids of the hooks: one id for a lifecycle hook, several for composed guidance.
    pub hooks: Vec<String>,
    /// The declaration.
    pub declaration: Declaration,
    /// The texts of composed guidance, in the order of the composition; empty for a single text.
    #[doc(hidden)]
    pub parts: Vec<ComposedText>,
}

/// One of the texts of composed guidance.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct ComposedText {
    pub summary: Arc<HookSummary>,
    pub text: Box<str>,
}

impl Declared {
    /// Makes a declaration of these hooks, with one text.
    pub fn new(hooks: Vec<String>, declaration: Declaration) -> Declared {
        Declared {
            hooks,
            declaration,
            parts: Vec::new(),
        }
    }
}
