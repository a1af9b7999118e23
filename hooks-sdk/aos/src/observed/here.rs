//! A question to a guardian in the same process: typed, without JSON.

use std::sync::Arc;

use super::{Denied, FailureClass, GuardedStep, MissingDecision, StepOutcome};
use crate::{AosPoint, Guardian, GuardianFailure, Reply, StepContext, StepInfo};
use hooks_core::{Verdict, dispatch};

impl GuardedStep {
    pub(super) async fn ask_here<A: AosPoint>(
        &self,
        guardian: &Guardian,
        context: &Arc<StepContext>,
        payload: A::Payload,
        trace_parent: Option<&str>,
    ) -> Result<StepOutcome<A::Payload>, MissingDecision> {
        let (context, a2a_context) = self.beside(A::AT.method(), context);
        let asked = StepInfo {
            at: A::AT,
            context,
            a2a_context,
            reasoning: self.reasoning.clone(),
            request_id: None,
            trace_parent: trace_parent.map(str::to_owned),
        };
        let timeout = self.client.settings.timeout;
        match dispatch::within(timeout, guardian.decide::<A>(&payload, &asked)).await {
            Ok(Ok(reply)) => Ok(ruled_by(reply)),
            Ok(Err(failure)) => {
                let undecided = |detail| MissingDecision::new(FailureClass::GuardianError, detail);
                Err(match failure {
                    // The guardian has logged the words of the hook, which can repeat the step.
                    GuardianFailure::Hook { hook, .. } => {
                        undecided(format!("the hook `{hook}` failed"))
                    }
                    failure @ GuardianFailure::NoHook(_) => {
                        undecided(failure.to_string()).of_no_step()
                    }
                })
            }
            Err(dispatch::Failure::TimedOut(_)) => Err(MissingDecision::new(
                FailureClass::Timeout,
                format!("no answer within {} ms", timeout.as_millis()),
            )),
            Err(failure) => Err(MissingDecision::new(
                FailureClass::GuardianError,
                failure.to_string(),
            )),
        }
    }
}

fn ruled_by<T>(reply: Reply<T>) -> StepOutcome<T> {
    match reply.verdict {
        Verdict::Allow => StepOutcome::Allowed,
        Verdict::Modify(changed) => StepOutcome::Modified(changed),
        Verdict::Deny(_) => {
            let words = reply.words();
            let mut denied = Denied::saying(words.message.to_owned());
            denied.reasoning = words.reasoning.map(str::to_owned);
            denied.reason_codes = words.reason_codes.to_vec();
            denied.data = words.data.cloned();
            StepOutcome::Denied(denied)
        }
        Verdict::Ask(never) => match never {},
    }
}
