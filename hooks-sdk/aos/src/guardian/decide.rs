//! One step: its hooks by priority, until one denies.

use std::{any::Any, time::Instant};

use super::{
    DecisionOutcome, DecisionRecord, Guardian,
    collected::{Observer, Standing},
};
use crate::{AosAt, AosError, AosPoint, Reply, StepInfo, StepPayload};
use hooks_core::{Failure, HookError, Verdict, internal::catch_panic_now};

/// Why a guardian decided nothing about a step. It is never an allow.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GuardianFailure {
    /// No hook stands at the point.
    #[error("no hook stands at `{}`", .0.as_str())]
    NoHook(AosAt),
    /// A hook failed, panicked, exceeded its deadline, or answered with what cannot stand for the step.
    #[error("the hook `{hook}` failed: {failure}")]
    #[non_exhaustive]
    Hook {
        /// The hook's id in the registry.
        hook: String,
        /// How it failed.
        failure: Failure,
    },
}

impl GuardianFailure {
    /// Returns the error that the asker gets. The message of a panic is not in it.
    pub fn to_error(&self) -> AosError {
        match self {
            GuardianFailure::NoHook(_) => AosError::no_method(self),
            GuardianFailure::Hook { hook, failure } => AosError::internal(format_args!(
                "the hook `{hook}` failed: {}",
                failure.for_peer()
            )),
        }
    }

    fn hook(&self) -> Option<&str> {
        match self {
            GuardianFailure::NoHook(_) => None,
            GuardianFailure::Hook { hook, .. } => Some(hook),
        }
    }
}

/// What the hooks at a point decided, and the one whose words count.
struct Settled<'g, P: AosPoint> {
    reply: Reply<P::Payload>,
    by: &'g Standing,
}

impl Guardian {
    /// Decides about a step without JSON. Hooks run by priority. The first deny is final, and each hook sees the changes of
    /// the hooks before it.
    ///
    /// The hooks see a message with the role of the point.
    ///
    /// The reply's words are those of the hook that denied, else of the last one that changed the step, else of the last
    /// one that said something.
    ///
    /// # Errors
    ///
    /// No hook stands at the point; or a hook failed, panicked, exceeded its deadline, or answered with a payload that
    /// cannot stand for the step.
    pub async fn decide<P: AosPoint>(
        &self,
        payload: &P::Payload,
        asked: &StepInfo,
    ) -> Result<Reply<P::Payload>, GuardianFailure> {
        let mut said = None;
        if !P::AT.has_role(payload) {
            P::AT.set_role(said.insert(payload.clone()));
        }
        let payload = said.as_ref().unwrap_or(payload);
        let began = (!self.observers.is_empty()).then(Instant::now);
        let settled = settle::<P>(self.hooks.at(P::AT), &*self.policy, payload, asked).await;
        if let Some(began) = began {
            let (outcome, hook) = match &settled {
                Ok(Settled { reply, by }) => (DecisionOutcome::of(reply), Some(&*by.id)),
                Err(failure) => (DecisionOutcome::Failed(failure), failure.hook()),
            };
            let record = DecisionRecord {
                at: P::AT,
                asked,
                payload: &|| payload.clone().into(),
                outcome,
                hook,
                duration: began.elapsed(),
            };
            tell(&self.observers, &record);
        }
        settled.map(|settled| settled.reply)
    }
}

async fn settle<'g, P: AosPoint>(
    hooks: &'g [Standing],
    policy: &(dyn Any + Send + Sync),
    payload: &P::Payload,
    asked: &StepInfo,
) -> Result<Settled<'g, P>, GuardianFailure> {
    let mut settled: Option<Settled<'g, P>> = None;
    for standing in hooks {
        let changed = match settled.as_ref().map(|settled| &settled.reply.verdict) {
            Some(Verdict::Modify(changed)) => Some(changed),
            _ => None,
        };
        let current = changed.unwrap_or(payload);
        let answered = standing.hook.run::<P>(policy, current, asked).await;
        let reply = answered
            .map_err(|failure| failed(standing, failure))?
            .map(P::payload);
        match &reply.verdict {
            Verdict::Deny(_) => {
                return Ok(Settled {
                    reply,
                    by: standing,
                });
            }
            Verdict::Modify(new) => {
                if let Some(problem) = new.problem(current) {
                    let message = format!("its change cannot stand for the step: {problem}");
                    return Err(failed(standing, Failure::Failed(HookError::new(message))));
                }
            }
            Verdict::Allow if changed.is_some() => continue,
            Verdict::Allow if settled.is_some() && !reply.speaks() => continue,
            Verdict::Allow => {}
            Verdict::Ask(never) => match *never {},
        }
        settled = Some(Settled {
            reply,
            by: standing,
        });
    }
    settled.ok_or(GuardianFailure::NoHook(P::AT))
}

fn failed(standing: &Standing, failure: Failure) -> GuardianFailure {
    let hook = &*standing.id;
    tracing::error!(target: "hooks_sdk::aos", hook, error = %failure, "hook of a guardian failed");
    GuardianFailure::Hook {
        hook: hook.to_owned(),
        failure,
    }
}

/// Tells the observers. What they do never changes the decision.
fn tell(observers: &[std::sync::Arc<Observer>], decided: &DecisionRecord<'_>) {
    for observer in observers {
        if let Err(failure) = catch_panic_now(|| observer(decided)) {
            tracing::error!(
                target: "hooks_sdk::aos",
                error = %failure, "an observer of a guardian failed"
            );
        }
    }
}
