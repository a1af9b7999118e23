//! What becomes of a step: by the decision, or by the posture without one.

use super::{Bypass, Denied, FailureClass, GuardedStep, Ruled, StepIds, Undecided, counts::Tally};
use crate::{
    aos::{AosPoint, Posture},
    core::{Timestamp, dispatch},
};

impl GuardedStep {
    /// Counts what was decided. Without a decision, the posture decides.
    pub(super) fn rule<A: AosPoint>(
        &self,
        decided: Result<Ruled<A::Payload>, Undecided>,
    ) -> Ruled<A::Payload> {
        let tally = &*self.client.tally;
        match decided {
            Ok(Ruled::Denied(mut denied)) => {
                Tally::add(&tally.denied);
                denied
                    .sentence
                    .clone_from(&self.client.settings.blocked_text);
                Ruled::Denied(denied)
            }
            Ok(ruled) => {
                Tally::add(match ruled {
                    Ruled::Modified(_) => &tally.modified,
                    _ => &tally.allowed,
                });
                ruled
            }
            Err(undecided) => self.resolve::<A>(&undecided),
        }
    }

    fn resolve<A: AosPoint>(&self, undecided: &Undecided) -> Ruled<A::Payload> {
        let (class, posture) = (undecided.class, self.client.posture());
        self.client.tally.failed(class);
        self.log(A::AT.method().as_str(), undecided);
        match posture {
            Posture::Deny => {
                Tally::add(&self.client.tally.refused);
                let mut denied = Denied::without_decision(class);
                denied
                    .sentence
                    .clone_from(&self.client.settings.blocked_text);
                Ruled::Denied(denied)
            }
            Posture::Proceed => {
                Tally::add(&self.client.tally.bypassed);
                self.record::<A>(class);
                Ruled::Bypassed(class)
            }
        }
    }

    fn log(&self, method: &str, undecided: &Undecided) {
        let StepIds {
            session_id,
            turn_id,
            step_id,
            ..
        } = &*self.ids;
        tracing::warn!(
            method,
            session_id,
            turn_id,
            step_id,
            class = %undecided.class,
            posture = ?self.client.posture(),
            "the guardian gave no decision"
        );
        // The cause of a bad answer can repeat parts of it.
        tracing::debug!(
            step_id,
            "the guardian gave no decision: {}",
            undecided.detail
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
            tracing::error!(step_id = ids.step_id, error = %failure, "the record of a bypass failed");
        }
    }
}
