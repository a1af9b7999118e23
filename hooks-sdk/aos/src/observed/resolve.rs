//! What becomes of a step: by the decision, or by the posture without one.

use super::{
    Bypass, Denied, FailureClass, GuardedStep, MissingDecision, StepIds, StepOutcome, Unaskable,
    Unruled,
};
use crate::{AosPoint, Posture};
use hooks_core::{Timestamp, dispatch};

impl GuardedStep {
    /// Counts what was decided. Without a decision, the posture decides. What the guardian cannot be asked about is denied
    /// under each posture.
    pub(super) fn rule<A: AosPoint>(
        &self,
        decided: Result<StepOutcome<A::Payload>, Unruled>,
    ) -> StepOutcome<A::Payload> {
        let client = &self.client;
        match decided {
            Ok(StepOutcome::Denied(denied)) => {
                client.count(|counts| counts.denied += 1);
                self.denied(denied)
            }
            Ok(ruled) => {
                client.count(|counts| match ruled {
                    StepOutcome::Modified(_) => counts.modified += 1,
                    _ => counts.allowed += 1,
                });
                ruled
            }
            Err(Unruled::NoDecision(undecided)) => self.resolve::<A>(&undecided),
            Err(Unruled::Unaskable(unaskable)) => {
                client.count(|counts| counts.unaskable += 1);
                self.log_unaskable(A::AT.method().as_str(), unaskable);
                self.denied(Denied::not_asked(unaskable))
            }
        }
    }

    fn denied<T>(&self, mut denied: Denied) -> StepOutcome<T> {
        denied
            .sentence
            .clone_from(&self.client.settings.blocked_text);
        StepOutcome::Denied(denied)
    }

    fn resolve<A: AosPoint>(&self, undecided: &MissingDecision) -> StepOutcome<A::Payload> {
        let (class, posture) = (undecided.class, self.client.posture());
        self.client
            .count(|counts| counts.failed[class as usize] += 1);
        self.log(A::AT.method().as_str(), undecided);
        match posture {
            Posture::Deny => {
                self.client.count(|counts| counts.refused += 1);
                self.denied(Denied::without_decision(undecided))
            }
            Posture::Proceed => {
                self.client.count(|counts| counts.bypassed += 1);
                self.bypassed
                    .store(true, std::sync::atomic::Ordering::Relaxed);
                self.record::<A>(class);
                StepOutcome::Bypassed(class)
            }
        }
    }

    fn log(&self, method: &str, undecided: &MissingDecision) {
        let StepIds {
            session_id,
            turn_id,
            step_id,
            ..
        } = &*self.ids;
        tracing::warn!(
            target: "hooks_sdk::aos",
            method,
            session_id,
            turn_id,
            step_id,
            class = %undecided.class,
            posture = ?self.client.posture(),
            "the guardian gave no decision: {}",
            undecided.detail
        );
    }

    fn log_unaskable(&self, method: &str, unaskable: Unaskable) {
        let ids = &*self.ids;
        tracing::warn!(
            target: "hooks_sdk::aos",
            method,
            session_id = ids.session_id,
            turn_id = ids.turn_id,
            step_id = ids.step_id,
            reason = %unaskable,
            "a step is denied: the guardian cannot be asked about it"
        );
    }

    fn record<A: AosPoint>(&self, class: FailureClass) {
        let Some(record) = &self.client.settings.on_bypass else {
            return;
        };
        let ids = &*self.ids;
        let bypass = Bypass {
            method: A::AT.method(),
            session_id: ids.session_id.clone(),
            turn_id: ids.turn_id.clone(),
            step_id: ids.step_id.clone(),
            execution_id: ids.execution_id.clone(),
            class,
            at: Timestamp::now(),
        };
        if let Err(failure) = dispatch::catch_panic_now(|| record(&bypass)) {
            tracing::error!(
                target: "hooks_sdk::aos",
                step_id = ids.step_id, error = %failure, "the record of a bypass failed"
            );
        }
    }
}
