//! What a hook's function answers, and what the chain does with it.

use std::{
    mem,
    time::{Duration, Instant},
};

use super::{
    super::{
        Answered, Outcome, Payload, PluginContext, PluginHook, PluginMode, PluginPoint, Question,
        hook::Body, point::ROOM, schema,
    },
    Decision, End, Entry, Pending,
    keep::named,
    run::Walk,
};
use crate::core::{
    Failure, HookError, Violation,
    callback::{Mut, Ref},
    observe::Run,
};

impl<P: PluginPoint> Walk<'_, P> {
    /// Runs a hook's function and takes its answer.
    pub(super) async fn call(&mut self, entry: &Entry) -> Result<(), Box<End>> {
        let hook = &entry.hook;
        let known = self.take_own(hook);
        let shared = self.shared();
        let began = self.contexts.record.every.then(Instant::now);
        let cx = &mut self.cx;
        let answered = match typed::<P>(hook) {
            Some(call) => {
                let input = (&*self.payload, cx);
                call.within(run::<P>(hook), hook.deadline, &**self.server, input)
                    .await
            }
            None => Err(Failure::Failed(HookError::new(
                "the hook stands at another point",
            ))),
        };
        let cost = began.map(|began| began.elapsed()).unwrap_or_default();
        match answered {
            Ok(answered) => {
                self.keep_own(hook, known);
                match answered {
                    None => {
                        self.note(entry, Decision::Allowed, cost);
                        Ok(())
                    }
                    Some(outcome) => self.outcome(entry, *outcome, cost),
                }
            }
            Err(failure) => {
                self.forget(shared);
                self.failed(entry, &failure, cost)
            }
        }
    }

    /// Acts on a hook's outcome.
    pub(super) fn outcome(
        &mut self,
        entry: &Entry,
        outcome: Outcome<P::Change>,
        cost: Duration,
    ) -> Result<(), Box<End>> {
        let hook = &entry.hook;
        let Outcome {
            continue_processing,
            modified_payload,
            violation,
            elicitation_request,
            metadata,
        } = outcome;
        self.metadata.extend(metadata);
        let question = elicitation_request.filter(|_| violation.is_none());
        let asks = question.is_some();
        let stops = !asks && !continue_processing;
        let mut decision = Decision::Allowed;
        if stops && hook.mode.may_stop() {
            let blocked = self.deny(entry, violation.unwrap_or_default(), cost);
            return Err(Box::new(End::Blocked(blocked)));
        }
        if let Some(change) = modified_payload {
            if hook.mode.may_change() && !self.is_last {
                if let Err(wrong) = self.change(entry, change) {
                    return self.failed(entry, &Failure::Failed(wrong), cost);
                }
                decision = Decision::Modified;
            } else {
                let note = "it may not change the request here".to_owned();
                self.report(entry, Decision::Dropped, None, Some(note), cost);
            }
        }
        if let Some(question) = question {
            if self.is_last {
                let violation = Violation::new("the changed request needs the user's answer");
                let blocked = self.deny(entry, violation, cost);
                return Err(Box::new(End::Blocked(blocked)));
            }
            if hook.mode == PluginMode::Enforce {
                return Err(Box::new(self.ask(entry, question, cost)?));
            }
            let note = format!("it would have asked: {}", question.message);
            self.report(entry, Decision::Suppressed, None, Some(note), cost);
        } else if stops || violation.is_some() {
            let violation = named(violation.unwrap_or_default());
            self.report(entry, Decision::Suppressed, Some(violation), None, cost);
        } else if decision == Decision::Modified {
            self.report(entry, decision, None, None, cost);
        } else {
            self.note(entry, decision, cost);
        }
        Ok(())
    }

    /// Takes a change, if it fits the limit and the item's own schema.
    fn change(&mut self, entry: &Entry, change: P::Change) -> Result<(), HookError> {
        let (changed, kept) = self.payload.changed(change, entry.writable());
        let limit = self.chain.limits[P::AT as usize];
        if changed.size(limit) > limit {
            return Err(HookError::new(format!(
                "its payload has more than {limit} characters"
            )));
        }
        if changed.item() == self.payload.item()
            && let Some((member, value)) = changed.restricted()
            && let Some(schema) = self.cx.global.definition().and_then(|of| of.get(member))
            && let Err(wrong) = schema::validate(schema, &value)
        {
            return Err(HookError::new(format!(
                "its payload does not fit the `{member}` of `{}`: {wrong}",
                changed.item()
            )));
        }
        for field in kept {
            let note = format!("it may not change `{field}`");
            self.report(entry, Decision::Dropped, None, Some(note), Duration::ZERO);
        }
        *self.payload = changed;
        self.modified = true;
        Ok(())
    }

    /// Returns the end of a chain that asks, or a failure of the hook whose question is wrong.
    fn ask(&mut self, entry: &Entry, question: Question, cost: Duration) -> Result<End, Box<End>> {
        let hook = &entry.hook;
        let asked = self.contexts.own(&hook.id).responses.len();
        if asked >= self.chain.questions {
            let reason = format!("the hook asked the user {asked} times without a decision");
            let mut violation = Violation::new(reason);
            violation.code = "elicitation_rounds".to_owned();
            let blocked = self.deny(entry, violation, cost);
            return Ok(End::Blocked(blocked));
        }
        let asking = match question.asked() {
            Ok(asking) => asking,
            Err(wrong) => {
                self.failed(entry, &Failure::Failed(wrong), cost)?;
                // Its failures are ignored, but it did not let the request go on.
                let mut violation = Violation::new("the hook asked the user a wrong question");
                violation.code = "elicitation_refused".to_owned();
                return Ok(End::Blocked(self.deny(entry, violation, cost)));
            }
        };
        self.report(
            entry,
            Decision::Asked,
            None,
            Some(question.message.clone()),
            cost,
        );
        let id = |at: &usize| self.chain.entries[*at].hook.id.clone();
        Ok(End::Asks(Box::new(Pending {
            hook: hook.id.clone(),
            question,
            asking,
            modified: self.modified,
            metadata: mem::take(&mut self.metadata),
            out: self.out.iter().map(id).collect(),
        })))
    }
}

pub(super) type TypedCall<P> = crate::core::Callback<
    (Ref<<P as PluginPoint>::Payload>, Mut<PluginContext>),
    Answered<<P as PluginPoint>::Change>,
>;

/// A hook that is about to run, for the trace.
pub(super) fn run<P: PluginPoint>(hook: &PluginHook) -> Run<'_, Answered<P::Change>> {
    Run::new(ROOM, P::AT.as_str(), &hook.id).outcome(|answered| {
        let decision = match answered.as_deref() {
            None => Decision::Allowed,
            Some(outcome)
                if outcome.violation.is_none() && outcome.elicitation_request.is_some() =>
            {
                Decision::Asked
            }
            Some(outcome) if !outcome.continue_processing => Decision::Denied,
            Some(outcome) if outcome.modified_payload.is_some() => Decision::Modified,
            Some(_) => Decision::Allowed,
        };
        decision.as_str()
    })
}

/// Returns the hook's function, if it stands at `P`.
pub(super) fn typed<P: PluginPoint>(hook: &PluginHook) -> Option<&TypedCall<P>> {
    match &hook.body {
        Body::Call(call) => call.typed(),
        Body::Deny(_) => None,
    }
}
