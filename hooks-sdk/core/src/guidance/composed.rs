//! The result of a composition: the text, and every hook's part in it.

use std::{fmt, sync::Arc};

use serde::{Serialize, Serializer};

use super::{LoadError, RequirementLevel, Timestamp};

/// The composed text, with its included, skipped and failed hooks.
///
/// Implements the Hooks System document, "Transparency (Notices)" and "Composer API".
///
/// ```
/// use hooks_sdk::guidance::{ComposedHooksResult, Composer};
///
/// let page: ComposedHooksResult = Composer::new().compose(&[]);
/// assert_eq!(page.content, "");
/// ```
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ComposedHooksResult {
    /// The composed markdown; empty if no hook is included.
    pub content: String,
    /// The included hooks, in order.
    #[serde(serialize_with = "summaries")]
    pub included_hooks: Vec<Arc<HookSummary>>,
    /// The hooks that a condition or a limit excluded.
    pub skipped_hooks: Vec<SkippedHook>,
    /// The hooks whose texts could not be loaded.
    pub failed_hooks: Vec<FailedHook>,
    /// The skipped and failed hooks, as sentences.
    pub notices: Vec<String>,
    /// When it was composed.
    pub composed_at: Timestamp,
}

/// A hook in a composed result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookSummary {
    /// The hook's id.
    pub id: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// How strongly its text binds.
    pub requirement_level: RequirementLevel,
    /// The order within its level, higher first.
    pub priority: i64,
}

/// A skipped hook, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SkippedHook {
    /// Which hook.
    #[serde(flatten, serialize_with = "summary")]
    pub hook: Arc<HookSummary>,
    /// Why.
    #[serde(rename = "skipReason", serialize_with = "words")]
    pub reason: SkipReason,
}

/// Why a hook was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// Its conditions do not hold; the text names them.
    Conditions(Box<str>),
    /// A limit of the composer was reached; the text names it.
    Limit(Box<str>),
}

/// A hook whose text could not be loaded, and why.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FailedHook {
    /// Which hook.
    #[serde(flatten, serialize_with = "summary")]
    pub hook: Arc<HookSummary>,
    /// Why.
    #[serde(serialize_with = "words")]
    pub error: LoadError,
}

impl HookSummary {
    /// Names a hook.
    pub fn new(
        id: impl Into<Box<str>>,
        name: impl Into<Box<str>>,
        requirement_level: RequirementLevel,
        priority: i64,
    ) -> HookSummary {
        HookSummary {
            id: id.into(),
            name: name.into(),
            requirement_level,
            priority,
        }
    }
}

impl SkippedHook {
    /// Makes a skipped hook whose conditions do not hold.
    pub fn conditions(hook: &Arc<HookSummary>, reason: impl Into<Box<str>>) -> SkippedHook {
        SkippedHook {
            hook: Arc::clone(hook),
            reason: SkipReason::Conditions(reason.into()),
        }
    }

    /// Makes a skipped hook that a limit excluded.
    pub fn limit(hook: &Arc<HookSummary>, reason: impl Into<Box<str>>) -> SkippedHook {
        SkippedHook {
            hook: Arc::clone(hook),
            reason: SkipReason::Limit(reason.into()),
        }
    }
}

impl FailedHook {
    /// Makes a failed hook.
    pub fn new(hook: &Arc<HookSummary>, error: LoadError) -> FailedHook {
        FailedHook {
            hook: Arc::clone(hook),
            error,
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SkipReason::Conditions(reason) | SkipReason::Limit(reason) => f.write_str(reason),
        }
    }
}

/// Returns the notices on skipped and failed hooks, in the reference implementation's words.
pub(super) fn notices(skipped: &[SkippedHook], failed: &[FailedHook]) -> Vec<String> {
    let mut notices = Vec::new();
    for (limited, words) in [(false, "conditions not met"), (true, "limit reached")] {
        let these = |hook: &&SkippedHook| matches!(hook.reason, SkipReason::Limit(_)) == limited;
        let these: Vec<String> = skipped
            .iter()
            .filter(these)
            .map(ToString::to_string)
            .collect();
        if !these.is_empty() {
            notices.push(format!(
                "{} hook(s) were skipped ({words}): {}",
                these.len(),
                these.join(", ")
            ));
        }
    }
    if !failed.is_empty() {
        let these: Vec<String> = failed.iter().map(ToString::to_string).collect();
        notices.push(format!(
            "{} hook(s) failed to load: {}",
            these.len(),
            these.join(", ")
        ));
    }
    notices
}

impl fmt::Display for SkippedHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.hook.name, self.reason)
    }
}

impl fmt::Display for FailedHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.hook.name, self.error)
    }
}

fn summaries<S: Serializer>(hooks: &[Arc<HookSummary>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(hooks.iter().map(|hook| &**hook))
}

fn summary<S: Serializer>(hook: &Arc<HookSummary>, serializer: S) -> Result<S::Ok, S::Error> {
    (**hook).serialize(serializer)
}

fn words<S: Serializer>(words: &impl fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(words)
}
