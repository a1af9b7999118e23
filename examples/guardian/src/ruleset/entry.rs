//! The file as serde reads it.

use serde::Deserialize;
use serde_saphyr::Spanned;

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PolicyFile {
    pub(super) default: Default,
    #[serde(default)]
    pub(super) rules: Vec<Entry>,
}

/// What happens to a step that no rule decides.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Default {
    Allow,
    Deny,
}

/// A rule.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) name: Spanned<String>,
    pub(super) on: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) agents: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) tools: Vec<Spanned<String>>,
    pub(super) when: Option<Spanned<String>>,
    pub(super) decision: Word,
    pub(super) message: Option<String>,
    pub(super) reasoning: Option<String>,
    pub(super) code: Option<String>,
    /// For `redact`.
    #[serde(default)]
    pub(super) find: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) patterns: Vec<Spanned<String>>,
    pub(super) replacement: Option<Spanned<String>>,
}

/// What a rule does.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Word {
    Allow,
    Deny,
    Redact,
}
