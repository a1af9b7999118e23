//! A hook with its text.

use std::{path::Path, sync::Arc};

use super::{
    HookDefinition, Timestamp,
    composed::{FailedHook, HookSummary},
    text::Text,
};

/// A hook with its text, ready to be composed.
///
/// Implements the Hooks System document, "Loader API".
#[derive(Clone, Debug)]
pub struct ResolvedHook<'h> {
    summary: &'h Arc<HookSummary>,
    text: Arc<Text>,
}

/// The result of loading the texts of several hooks.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Loaded<'h> {
    /// The hooks with their texts, in the order asked for.
    pub resolved: Vec<ResolvedHook<'h>>,
    /// The hooks whose texts could not be loaded, in the order asked for.
    pub failed: Vec<FailedHook>,
}

impl<'h> ResolvedHook<'h> {
    /// Makes a resolved hook of an available text and a summary.
    pub fn new(summary: &'h Arc<HookSummary>, content: impl Into<Box<str>>) -> ResolvedHook<'h> {
        let text = Arc::new(Text::new(content, None));
        ResolvedHook { summary, text }
    }

    pub(super) fn of(hook: &'h HookDefinition, text: Arc<Text>) -> ResolvedHook<'h> {
        ResolvedHook {
            summary: hook.summary(),
            text,
        }
    }

    /// Returns the summary of the hook.
    pub fn summary(&self) -> &'h Arc<HookSummary> {
        self.summary
    }

    /// Returns the loaded text.
    pub fn content(&self) -> &str {
        self.text.content()
    }

    /// Returns the shielded text; see [`Composer::shielded`](super::Composer::shielded).
    pub fn shielded_content(&self) -> &str {
        self.text.shielded()
    }

    /// Returns the file of the text, if there is one.
    pub fn content_path(&self) -> Option<&Path> {
        self.text.path()
    }

    /// Returns when the text was read. A cached text keeps the time of its first read.
    pub fn resolved_at(&self) -> Timestamp {
        self.text.read_at()
    }
}
