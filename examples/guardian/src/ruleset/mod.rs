//! A policy: rules in order, and what happens where no rule decides.

mod entry;
mod fault;
mod read;
mod redact;
mod rule;
mod step;

use std::path::Path;

use hooks_sdk::aos::StepInfo;

pub use self::{
    fault::{Mistake, RulesetErrors},
    step::Step,
};
use self::{
    rule::{Act, Rule, Words},
    step::Facts,
};

/// The largest file, in bytes.
pub const MAX_RULESET: u64 = 1024 * 1024;

/// The rules of a file.
#[derive(Debug)]
pub struct Ruleset {
    rules: Vec<Rule>,
    allows: bool,
}

/// What a policy decides about a step.
#[derive(Debug)]
pub struct Ruling<T> {
    /// The decision.
    pub outcome: Outcome<T>,
    /// The message for the agent, if the policy has one.
    pub message: Option<String>,
    /// Why.
    pub reasoning: Option<String>,
    /// The codes of the rules that decided or changed something, or their names where they have no code.
    pub reason_codes: Vec<String>,
}

/// The decision about a step.
#[derive(Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the three decisions of the document"
)]
pub enum Outcome<T> {
    /// The step goes on.
    Allow,
    /// The step is stopped.
    Deny,
    /// The step goes on with this payload.
    Modify(T),
}

impl Ruleset {
    /// Returns the policy that allows every step.
    pub fn open() -> Ruleset {
        Ruleset {
            rules: Vec::new(),
            allows: true,
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the file, with its places.
    pub fn load(file: &Path) -> Result<Ruleset, RulesetErrors> {
        read::load(file)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the text, with its places.
    pub fn parse(file: &Path, text: &str) -> Result<Ruleset, RulesetErrors> {
        read::parse(file, text)
    }

    /// Returns the number of rules.
    pub fn count(&self) -> usize {
        self.rules.len()
    }

    /// Decides about a step. `tool` is the tool that it belongs to, where the step itself does not say so.
    pub fn decide<T: Step + Clone>(
        &self,
        asked: &StepInfo,
        payload: &T,
        tool: Option<&str>,
    ) -> Ruling<T> {
        let mut payload = payload.clone();
        let mut ruling = Ruling {
            outcome: Outcome::Allow,
            message: None,
            reasoning: None,
            reason_codes: Vec::new(),
        };
        let mut redacted = false;
        let mut facts = Facts::of(asked, &mut payload, tool);
        if facts.is_ambiguous() {
            ruling.outcome = Outcome::Deny;
            ruling.message = Some("an argument is there twice".to_owned());
            ruling.reason_codes.push("ambiguous".to_owned());
            return ruling;
        }
        for rule in self.rules.iter().filter(|rule| rule.stands_at(asked.at())) {
            if !rule.matches(&facts) {
                continue;
            }
            match &rule.act {
                Act::Redact(redaction) => {
                    if redaction.apply(&mut payload) {
                        redacted = true;
                        ruling.say(rule);
                        // Later rules see what this one left.
                        facts = Facts::of(asked, &mut payload, tool);
                    }
                }
                Act::Allow => return ruling.decided(rule, redacted.then_some(payload)),
                Act::Deny => {
                    ruling.reason_codes.clear();
                    ruling.say(rule);
                    ruling.outcome = Outcome::Deny;
                    let usual = || format!("the rule `{}` denies it", rule.name);
                    ruling.message = Some(rule.words.message.clone().unwrap_or_else(usual));
                    return ruling;
                }
            }
        }
        match (self.allows, redacted) {
            (true, true) => ruling.outcome = Outcome::Modify(payload),
            (true, false) => {}
            (false, _) => {
                ruling.outcome = Outcome::Deny;
                ruling.message = Some("no rule allows it".to_owned());
                ruling.reasoning = None;
                ruling.reason_codes = vec!["default".to_owned()];
            }
        }
        ruling
    }
}

impl<T> Ruling<T> {
    /// Takes over the words of a rule.
    fn say(&mut self, rule: &Rule) {
        let Words {
            message,
            reasoning,
            code,
        } = &rule.words;
        self.message.clone_from(message);
        self.reasoning.clone_from(reasoning);
        let code = code.as_ref().unwrap_or(&rule.name);
        self.reason_codes.push(code.clone());
    }

    fn decided(mut self, rule: &Rule, changed: Option<T>) -> Ruling<T> {
        self.say(rule);
        self.outcome = changed.map_or(Outcome::Allow, Outcome::Modify);
        self
    }
}
