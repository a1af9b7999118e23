//! What is known of a plugin hook: its author's settings.

use std::time::Duration;

use super::{PluginAt, PluginCondition, PluginHook, PluginMode, hook::Body};
use hooks_core::{Origin, Posture, condition::Condition};

impl PluginHook {
    /// Returns the hook's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the hook's point.
    pub fn at(&self) -> PluginAt {
        self.at
    }

    /// Returns what the hook may do.
    pub fn its_mode(&self) -> PluginMode {
        self.mode
    }

    /// Returns what happens when the hook fails.
    pub fn its_posture(&self) -> Posture {
        match self.posture {
            Some(posture) if self.mode.may_fail() => posture,
            None if self.mode.may_fail() => Posture::Deny,
            _ => Posture::Proceed,
        }
    }

    /// Returns the hook's place among the hooks of its point.
    pub fn its_priority(&self) -> i32 {
        self.priority
    }

    /// Returns the globs of the items that the hook is limited to.
    pub fn its_items(&self) -> impl Iterator<Item = &str> {
        self.filter.items.iter().map(|item| &**item)
    }

    /// Returns the conditions of the hook: `when`, and `unless`.
    pub fn its_conditions(&self) -> (Option<&Condition>, Option<&Condition>) {
        (self.filter.when.as_ref(), self.filter.unless.as_ref())
    }

    /// Returns the scopes whose owners the hook leaves alone.
    pub fn its_scopes(&self) -> impl Iterator<Item = &str> {
        self.filter.scopes.iter().map(|scope| &**scope)
    }

    /// Returns the conditions of a configuration file.
    pub fn its_file_conditions(&self) -> &[PluginCondition] {
        &self.filter.conditions
    }

    /// Returns the words by which people find the hook.
    pub fn its_tags(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().map(|tag| &**tag)
    }

    /// Returns how long the hook may take.
    pub fn its_deadline(&self) -> Duration {
        self.deadline
    }

    /// Returns the reason of a rule without a body.
    pub fn reason(&self) -> Option<&str> {
        match &self.body {
            Body::Deny(violation) => Some(&violation.reason),
            Body::Call(_) => None,
        }
    }

    /// Returns whether the hook is a rule without a body.
    pub fn is_rule(&self) -> bool {
        matches!(self.body, Body::Deny(_))
    }

    /// Returns where the hook was written.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Sets where the hook was written: its author's source or file, and not the SDK's.
    pub(super) fn written_at(mut self, origin: Origin) -> PluginHook {
        self.origin = origin;
        self
    }
}
