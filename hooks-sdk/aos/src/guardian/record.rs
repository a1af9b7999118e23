//! What was decided about a step, for those who watch.

use std::{fmt, time::Duration};

use serde_json::Value;

use super::GuardianFailure;
use crate::{AosAt, AosDecision, AosPayload, Method, Reply, ReplyWords, StepInfo};
use hooks_core::Verdict;

/// What was decided about a step, and by which hook.
#[non_exhaustive]
pub struct DecisionRecord<'d> {
    /// The point of the step.
    pub at: AosAt,
    /// What the hooks saw beside the payload: context, reasoning and id.
    pub asked: &'d StepInfo,
    pub(super) payload: &'d (dyn Fn() -> AosPayload + Sync),
    /// How it ended.
    pub outcome: DecisionOutcome<'d>,
    /// The id of the hook whose words count, or that failed.
    pub hook: Option<&'d str>,
    /// How long the hooks took together.
    pub duration: Duration,
}

/// How a guardian's look at a step ended.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum DecisionOutcome<'d> {
    /// With a decision, and what was said with it.
    Ruled(AosDecision, ReplyWords<'d>),
    /// Without one: the asker got an error.
    Failed(&'d GuardianFailure),
}

impl<'d> DecisionOutcome<'d> {
    pub(super) fn of<T>(reply: &'d Reply<T>) -> DecisionOutcome<'d> {
        let decision = match reply.verdict {
            Verdict::Allow | Verdict::Ask(_) => AosDecision::Allow,
            Verdict::Modify(_) => AosDecision::Modify,
            Verdict::Deny(_) => AosDecision::Deny,
        };
        DecisionOutcome::Ruled(decision, reply.words())
    }
}

impl<'d> DecisionRecord<'d> {
    /// Returns the method of the step.
    pub fn method(&self) -> Method {
        self.at.method()
    }

    /// Returns what the step was about, as it was asked: the members of the params. It holds contents, and is made on each
    /// call.
    pub fn request(&self) -> Value {
        (self.payload)().to_value(self.method())
    }

    /// Returns the decision; `None` if the asker got an error.
    pub fn decision(&self) -> Option<AosDecision> {
        match self.outcome {
            DecisionOutcome::Ruled(decision, _) => Some(decision),
            DecisionOutcome::Failed(_) => None,
        }
    }

    /// Returns the decision, or the failure, in words.
    pub fn message(&self) -> String {
        match self.outcome {
            DecisionOutcome::Ruled(_, words) => words.message.to_owned(),
            DecisionOutcome::Failed(failure) => failure.to_string(),
        }
    }

    /// Returns why it was decided, for programs.
    pub fn reason_codes(&self) -> &'d [String] {
        match self.outcome {
            DecisionOutcome::Ruled(_, words) => words.reason_codes,
            DecisionOutcome::Failed(_) => &[],
        }
    }
}

impl fmt::Debug for DecisionRecord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the payload: it holds contents.
        f.debug_struct("DecisionRecord")
            .field("at", &self.at)
            .field("decision", &self.decision())
            .field("hook", &self.hook)
            .field("duration", &self.duration)
            .finish_non_exhaustive()
    }
}
