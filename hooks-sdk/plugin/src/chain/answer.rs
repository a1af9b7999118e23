//! What a hook's function answers, and what the chain does with it.

use std::{
    any::Any,
    mem,
    time::{Duration, Instant},
};

use serde_json::{Map, Value};

use super::{
    super::{
        Answered, Outcome, Payload, PluginContext, PluginHook, PluginMode, PluginPoint, Question,
        hook::Body, point::PROTOCOL, schema,
    },
    ChainEntry, Decision, End, Pending,
    keep::{Wrote, named},
    run::ChainWalk,
};
use hooks_core::{
    Failure, HookError, Violation,
    internal::{Callback, Mut, Ref, Run},
};

/// Returns the violation of a hook that asks. A file can put such a hook beside others; the request cannot go on
/// without the answer.
fn unaskable() -> Violation {
    let mut violation = Violation::new("a policy needs the user's answer and cannot ask the user")
        .code("elicitation_unsupported");
    violation.description =
        "the hook is in mode `concurrent`; the operator has to put it into mode `enforce`"
            .to_owned();
    violation
}

/// Why a hook's outcome ends the walk, or does not count.
pub(super) enum Broken {
    /// The walk ends as the hook decided.
    Ended(Box<End>),
    /// The hook failed.
    Failed(Failure),
    /// The hook asked a question that nobody may be asked, so the request cannot go on.
    Unaskable(Failure),
    /// The hook's change has more than so many characters. A client chooses how long a payload is, so this is no failure.
    TooLarge(usize),
}

impl From<HookError> for Broken {
    fn from(wrong: HookError) -> Broken {
        Broken::Failed(Failure::Failed(wrong))
    }
}

impl<P: PluginPoint> ChainWalk<'_, P> {
    /// Runs a hook's function and takes its answer.
    pub(super) async fn call(&mut self, entry: &ChainEntry) -> Result<(), Box<End>> {
        let hook = &entry.hook;
        // A function without a context keeps nothing, and changes nothing that others share.
        let known = hook.takes_context && self.contexts.give(entry, &mut self.cx);
        let began = self.contexts.record.every.then(Instant::now);
        let answered = answered::<P>(hook, &**self.server, self.payload, &mut self.cx).await;
        let cost = began.map(|began| began.elapsed()).unwrap_or_default();
        let acted = match answered {
            Ok(None) => {
                self.note(entry, Decision::Allowed, cost);
                Ok(())
            }
            Ok(Some(outcome)) => self.outcome(entry, *outcome, cost),
            Err(failure) => Err(Broken::Failed(failure)),
        };
        // Only here is it known whether the hook failed: its payload may be the reason.
        let has_failed = !matches!(acted, Ok(()) | Err(Broken::Ended(_)));
        if hook.takes_context {
            let wrote = match has_failed {
                true => Wrote::Failed,
                false => Wrote::by(hook),
            };
            self.settle(entry, wrote);
            if !has_failed {
                self.keep_own(hook, known);
            }
        }
        match acted {
            Ok(()) => Ok(()),
            Err(Broken::Ended(end)) => Err(end),
            Err(Broken::Failed(failure)) => self.failed(entry, &failure, cost),
            Err(Broken::Unaskable(failure)) => {
                self.failed(entry, &failure, cost)?;
                // Its failures are ignored, but it did not let the request go on.
                let violation = Violation::new("the hook asked the user a wrong question")
                    .code("elicitation_refused");
                Err(self.stop(entry, violation, cost))
            }
            Err(Broken::TooLarge(limit)) => {
                let reason = format!("the changed payload has more than {limit} characters");
                let violation = Violation::new(reason).code("payload_too_large");
                Err(self.stop(entry, violation, cost))
            }
        }
    }

    /// Acts on a hook's outcome.
    pub(super) fn outcome(
        &mut self,
        entry: &ChainEntry,
        outcome: Outcome<P::Change>,
        cost: Duration,
    ) -> Result<(), Broken> {
        let hook = &entry.hook;
        let Outcome {
            continue_processing,
            modified_payload,
            violation,
            elicitation_request,
            metadata,
        } = outcome;
        let question = elicitation_request.filter(|_| violation.is_none());
        let asks = question.is_some();
        let stops = !asks && !continue_processing;
        let mut decision = Decision::Allowed;
        if stops && hook.mode.may_stop() {
            self.add_metadata(metadata);
            return Err(Broken::Ended(self.stop(
                entry,
                violation.unwrap_or_default(),
                cost,
            )));
        }
        if let Some(change) = modified_payload {
            if hook.mode == PluginMode::Concurrent {
                self.dropped(entry, "it may not change the request in its mode");
            } else if hook.mode.may_change() && !self.is_last {
                self.change(entry, change)?;
                decision = Decision::Modified;
            } else {
                self.dropped(entry, "it may not change the request here");
            }
        }
        if let Some(question) = question {
            let unaskable = match hook.mode {
                _ if self.is_last => Some(Violation::new(
                    "the changed request needs the user's answer",
                )),
                PluginMode::Concurrent => Some(unaskable()),
                _ => None,
            };
            if let Some(violation) = unaskable {
                self.add_metadata(metadata);
                return Err(Broken::Ended(self.stop(entry, violation, cost)));
            }
            if hook.mode == PluginMode::Enforce {
                return Err(self.ask(entry, question, metadata, cost));
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
        self.add_metadata(metadata);
        Ok(())
    }

    /// Takes a change, if it fits the limit and the item's own schema.
    fn change(&mut self, entry: &ChainEntry, change: P::Change) -> Result<(), Broken> {
        let (changed, kept) = self.payload.changed(change, entry.writable());
        let limit = self.chain.limits[P::AT as usize];
        if changed.size(limit) > limit {
            return Err(Broken::TooLarge(limit));
        }
        if changed.item() == self.payload.item()
            && let Some((member, value)) = changed.restricted()
            && let Some(schema) = self.cx.global.definition().and_then(|of| of.get(member))
            && let Err(wrong) = schema::validate(schema, &value)
        {
            return Err(HookError::new(format!(
                "its payload does not fit the `{member}` of `{}`: {wrong}",
                changed.item()
            ))
            .into());
        }
        for field in kept {
            self.dropped(entry, format!("it may not change `{field}`"));
        }
        *self.payload = changed;
        self.modified = true;
        Ok(())
    }

    /// Returns the end of a chain that asks, or the failure of a hook whose question is wrong.
    fn ask(
        &mut self,
        entry: &ChainEntry,
        question: Question,
        metadata: Map<String, Value>,
        cost: Duration,
    ) -> Broken {
        let hook = &entry.hook;
        let asked = self.contexts.answers(&entry.key).count();
        if asked >= self.chain.questions {
            let reason = format!("the hook asked the user {asked} times without a decision");
            let violation = Violation::new(reason).code("elicitation_rounds");
            self.add_metadata(metadata);
            return Broken::Ended(self.stop(entry, violation, cost));
        }
        let asking = match question.asked() {
            Ok(asking) => asking,
            Err(wrong) => return Broken::Unaskable(Failure::Failed(wrong)),
        };
        self.add_metadata(metadata);
        self.report(
            entry,
            Decision::Asked,
            None,
            Some(question.message.clone()),
            cost,
        );
        let entries = &self.chain.entries;
        let stand = &self.chain.points[P::AT as usize];
        let place = stand
            .iter()
            .position(|at| std::ptr::eq(&entries[*at], entry));
        let until = place.unwrap_or_default();
        let key = |at: &usize| entries[*at].key.clone();
        Broken::Ended(Box::new(End::Asks(Box::new(Pending {
            hook: hook.id.clone(),
            key: entry.key.clone(),
            question,
            asking,
            modified: self.modified,
            metadata: mem::take(&mut self.metadata),
            seen: self.chain.seen_until(P::AT, until, &self.out),
            later: self.later.iter().map(key).collect(),
        }))))
    }
}

type TypedCall<P> = Callback<
    (Ref<<P as PluginPoint>::Payload>, Mut<PluginContext>),
    Answered<<P as PluginPoint>::Change>,
>;

/// Runs a hook's function, which stands at `P`.
pub(super) async fn answered<P: PluginPoint>(
    hook: &PluginHook,
    server: &(dyn Any + Send + Sync),
    payload: &P::Payload,
    cx: &mut PluginContext,
) -> Result<Answered<P::Change>, Failure> {
    let call: Option<&TypedCall<P>> = match &hook.body {
        Body::Call(call) => call.typed(),
        Body::Deny(_) => None,
    };
    let Some(call) = call else {
        let wrong = HookError::new("the hook stands at another point");
        return Err(Failure::Failed(wrong));
    };
    // For the trace.
    let run =
        Run::new(PROTOCOL, P::AT.as_str(), &hook.id).outcome(|answered: &Answered<P::Change>| {
            let decision = match answered.as_deref() {
                None => Decision::Allowed,
                Some(outcome) if outcome.asks() => Decision::Asked,
                Some(outcome) if !outcome.continue_processing => Decision::Denied,
                Some(outcome) if outcome.modified_payload.is_some() => Decision::Modified,
                Some(_) => Decision::Allowed,
            };
            decision.as_str()
        });
    call.within(run, hook.deadline, server, (payload, cx)).await
}
