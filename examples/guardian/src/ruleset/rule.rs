//! One rule: at which steps it stands, which of them it matches, and what it does with them.

use hooks_sdk::{
    aos::AosAt,
    core::{condition::Condition, glob},
};

use super::{redact::Redaction, step::Facts};

/// A rule of a file.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) on: Vec<AosAt>,
    pub(super) agents: Vec<String>,
    pub(super) tools: Vec<String>,
    pub(super) when: Option<Condition>,
    pub(super) act: Act,
    pub(super) words: Words,
}

/// What a rule does with a step that it matches.
#[derive(Debug)]
pub(super) enum Act {
    Allow,
    Deny,
    Redact(Redaction),
}

/// What a rule says.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) message: Option<String>,
    pub(super) reasoning: Option<String>,
    pub(super) code: Option<String>,
}

impl Rule {
    pub(super) fn stands_at(&self, at: AosAt) -> bool {
        self.on.contains(&at)
    }

    /// Whether the rule matches. What a step does not tell lets no `allow` match, and lets the others match.
    pub(super) fn matches(&self, facts: &Facts<'_>) -> bool {
        let allows = matches!(self.act, Act::Allow);
        let named = |globs: &[String], name: Option<&str>| match name {
            _ if globs.is_empty() => true,
            Some(name) => globs.iter().any(|glob| glob::matches(glob, name)),
            None => !allows,
        };
        let holds = |condition: &Condition| match allows {
            true => condition.holds_for_all(&|root| facts.look(root)),
            false => condition.holds(&|root| facts.look(root)),
        };
        named(&self.agents, facts.agent())
            && named(&self.tools, facts.tool())
            && self.when.as_ref().is_none_or(holds)
    }
}
