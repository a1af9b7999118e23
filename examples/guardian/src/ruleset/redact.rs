//! What a rule replaces in the texts of a step.

use hooks_sdk::plugin::finder::{self, FindingKind};
use regex::{NoExpand, Regex};

use super::Step;

/// What a rule replaces, and by what.
#[derive(Debug)]
pub(super) struct Redaction {
    pub(super) kinds: Vec<FindingKind>,
    pub(super) patterns: Vec<Regex>,
    pub(super) replacement: String,
}

impl Redaction {
    /// Replaces it in every text of the step. Returns whether anything changed.
    pub(super) fn apply<T: Step>(&self, step: &mut T) -> bool {
        let mut changed = false;
        step.each_text(&mut |text| {
            if let Some(redacted) = self.redacted(text) {
                changed |= *text != redacted;
                *text = redacted;
            }
        });
        changed
    }

    fn redacted(&self, text: &str) -> Option<String> {
        let mut redacted = None;
        if !self.kinds.is_empty() {
            let found = finder::find_where(text, |kind| self.kinds.contains(&kind));
            let mut end = 0;
            let mut clean = String::new();
            for finding in &found {
                clean.push_str(&text[end..finding.start]);
                clean.push_str(&self.replacement);
                end = finding.end;
            }
            clean.push_str(&text[end..]);
            redacted = (!found.is_empty()).then_some(clean);
        }
        for pattern in &self.patterns {
            let text = redacted.as_deref().unwrap_or(text);
            if pattern.is_match(text) {
                let clean = pattern.replace_all(text, NoExpand(&self.replacement));
                redacted = Some(clean.into_owned());
            }
        }
        redacted
    }
}
