//! What leaves in place of an answer that no station has judged.

use rmcp::{ErrorData, model::Extensions};
use tokio_util::sync::CancellationToken;

use super::{
    Answer, Call, Place, Stations, Way,
    late::Late,
    shown::{Family, ShownAs, is_question},
    step,
};
#[cfg(feature = "http")]
use crate::server::door::in_use::InUse;
use crate::server::{connection::Wants, door::flight::Mark};

/// The marks of a request whose id is in use. The id is free when they are dropped and the request is answered.
pub(super) struct Id {
    _on_stream: Option<Mark>,
    #[cfg(feature = "http")]
    _in_session: Option<InUse>,
}

impl Id {
    pub(super) fn of(extensions: &Extensions) -> Id {
        Id {
            _on_stream: extensions.get().cloned(),
            #[cfg(feature = "http")]
            _in_session: extensions.get().cloned(),
        }
    }
}

/// Replaces the answer to a request that its client has cancelled: some stations have not seen it. rmcp drops the answer to
/// a cancelled request, unless the client uses the id again.
pub(super) fn without_cancelled(
    cancelled: &CancellationToken,
    answer: &mut Result<Answer, ErrorData>,
) {
    if cancelled.is_cancelled() {
        *answer = Err(ErrorData::internal_error(
            "the client cancelled the request",
            None,
        ));
    }
}

impl Stations {
    /// Returns whether a station judges the contents of the answer.
    fn judge(&self, call: &mut Call) -> bool {
        let mut stations = self.all.iter();
        stations.any(|station| station.judges(call))
    }
}

impl Way {
    /// Returns whether a station judges the results of tasks.
    pub(in crate::server) fn judges_tasks(&self) -> bool {
        self.wants().has(Wants::TASKS)
    }

    /// Passes an answer through the stations after the author's server. Stations that judge contents see a result, whatever
    /// the answer is.
    pub(super) async fn after(
        &self,
        method: &str,
        family: Option<Family>,
        passed: usize,
        call: &mut Call,
        answer: &mut Result<Answer, ErrorData>,
    ) {
        let judges = self.stations.judging.clone();
        let mut shown = match family {
            Some(family) if call.reached && !judges.is_empty() && self.stations.judge(call) => {
                ShownAs::of(family, answer)
            }
            _ => None,
        };
        for (at, (index, station)) in self.stations.after.iter().enumerate() {
            if index.is_none_or(|index| index < passed) {
                let answer = match &mut shown {
                    Some(shown) if judges.contains(&at) => &mut shown.result,
                    _ => &mut *answer,
                };
                if let Err(error) = step(method, || station.after(call, answer, self)).await {
                    *answer = Err(error);
                }
            }
            if at + 1 == judges.end
                && let Some(shown) = shown.take()
            {
                Box::pin(self.judged(method, shown, call, answer)).await;
            }
        }
    }

    async fn judged(
        &self,
        method: &str,
        shown: Box<ShownAs>,
        call: &mut Call,
        answer: &mut Result<Answer, ErrorData>,
    ) {
        let was_question = answer.as_ref().is_ok_and(is_question);
        shown.write_back(answer);
        // The plugins keep the state of the author's question, so that its retry does not ask again.
        if was_question
            && answer.as_ref().is_ok_and(is_question)
            && let Some(plugins) = self.stations.at(Place::Plugin)
            && let Err(error) = step(method, || plugins.after(call, answer, self)).await
        {
            *answer = Err(error);
        }
    }

    /// Passes the answer to `tasks/get` through the stations, as the result of the call that created the task.
    pub(super) async fn late(
        &self,
        method: &str,
        call: &mut Call,
        answer: &mut Result<Answer, ErrorData>,
    ) {
        let is_judged = self.stations.judge(call);
        let Some(mut late) = Late::of(answer) else {
            return;
        };
        for (_, station) in &self.stations.after {
            if let Err(error) = step(method, || station.late(call, &mut late.shown, self)).await {
                late.shown = Err(error);
            }
        }
        late.write_back(is_judged, answer);
    }
}
