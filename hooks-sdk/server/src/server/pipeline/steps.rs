//! The steps of a request through the middleware, in their order. Whatever a middleware does, the request is answered: the panic of
//! a step is an error.

use futures::FutureExt;
use rmcp::ErrorData;

use super::{
    AuthorRequest, Handshake, McpAnswer, MiddlewareId, Pipeline, RequestState,
    author::caught_later,
    late::Late,
    shown::{ShownAs, is_question},
};
use crate::server::methods::Points;
#[cfg(feature = "guardian-local")]
use crate::server::middleware::aos;
#[cfg(feature = "policy-engine")]
use crate::server::middleware::plugin::Built;
use hooks_core::internal::catch_panic_now;

/// The next step of a request after a middleware.
#[derive(Debug)]
pub(crate) enum Flow {
    /// The request goes to the next middleware.
    On,
    /// The request goes back with this answer: a refusal, a denial, a question to the user, or the middleware's own
    /// result.
    Answer(Answer),
    /// To the gate again. A user was asked, and other calls may have changed the session since.
    Again,
}

/// The answer to a request. In a box, it takes no room in the future of the request while it is awaited.
pub(super) type Answer = Box<McpAnswer>;

impl Flow {
    pub(crate) fn answer(answer: McpAnswer) -> Flow {
        Flow::Answer(Box::new(answer))
    }
}

/// Waits for a step before the author's server. If the step panics, its error is the answer.
pub(super) fn step<'a>(
    method: &'a str,
    step: impl Future<Output = Flow> + 'a,
) -> impl Future<Output = Flow> + 'a {
    let failed = |error: ErrorData| Flow::answer(Err(error));
    caught_later(method, step).map(move |flow| flow.unwrap_or_else(failed))
}

impl Pipeline {
    /// Lets the middleware take part in a handshake.
    /// Returns an error if a middleware fails.
    pub(super) async fn greet(
        &self,
        method: &str,
        handshake: &mut Handshake,
    ) -> Result<(), ErrorData> {
        let parts = &*self.parts;
        handshake.has_sessions = parts.gate.is_some();
        macro_rules! pass {
            ($part:ident: $step:expr) => {
                if let Some($part) = &parts.$part {
                    caught_later(method, async { $step }).await?;
                }
            };
        }
        #[cfg(feature = "guidance")]
        pass!(guidance: guidance.greet(handshake, self).await);
        pass!(lifecycle: lifecycle.declare_in(handshake));
        #[cfg(feature = "mcpl")]
        pass!(mcpl: mcpl.greet(handshake, self));
        #[cfg(feature = "cli")]
        pass!(offer: offer.greet(handshake));
        Ok(())
    }

    /// Passes a request through the middleware before the author's server, in this order. Returns the answer of the one that did
    /// not let it go on.
    pub(super) async fn before(
        &self,
        method: &str,
        request: &mut AuthorRequest,
        call: &mut RequestState,
    ) -> Option<Answer> {
        let parts = &*self.parts;
        macro_rules! stop {
            ($place:ident: $step:expr) => {{
                match step(method, async { $step }).await {
                    Flow::Answer(answer) => {
                        call.stopped = Some(MiddlewareId::$place);
                        return Some(answer);
                    }
                    flow => matches!(flow, Flow::Again),
                }
            }};
        }
        macro_rules! pass {
            ($part:ident as $place:ident: $step:expr) => {
                if let Some($part) = &parts.$part {
                    stop!($place: $step);
                }
            };
            // A call with another tool passes the gate again, and one whose user was asked: other calls may have changed the
            // session.
            ($part:ident as $place:ident, then gate: $step:expr) => {
                if let Some($part) = &parts.$part {
                    let is_again = stop!($place: $step);
                    if (self.is_renamed(request, call) || is_again)
                        && let Some(gate) = &parts.gate
                    {
                        stop!(Gate: gate.before(request, call, self).await);
                    }
                }
            };
        }
        #[cfg(feature = "log")]
        pass!(log as Log: log.before(request, call).await);
        #[cfg(feature = "guardian-local")]
        if parts.messages.is_some() {
            stop!(Messages: aos::MessageFilter::before(request));
        }
        #[cfg(feature = "policy-engine")]
        pass!(plugin as Lists: plugin.check_listed(request, call, self).await);
        pass!(gate as Gate: gate.before(request, call, self).await);
        #[cfg(feature = "policy-engine")]
        pass!(plugin as Plugin, then gate: plugin.pass_chain(request, call, self).await);
        #[cfg(feature = "guardian-local")]
        pass!(guardian as Guardian, then gate: guardian.ask(request, call, self).await);
        #[cfg(feature = "mcpl")]
        pass!(mcpl as Mcpl: mcpl.before(request, call).await);
        #[cfg(feature = "policy-engine")]
        pass!(plugin as Recheck: plugin.recheck(request, call).await);
        #[cfg(feature = "guidance")]
        pass!(skills as Skills: skills.before(request, call));
        #[cfg(feature = "guidance")]
        pass!(guidance as Guidance: guidance.before(request, call, self).await);
        #[cfg(feature = "guardian-local")]
        pass!(serves as Serves: serves.before(request, self).await);
        #[cfg(feature = "cli")]
        pass!(dry as Dry: dry.before(request, call));
        None
    }

    /// Passes an answer through the middleware that let the request go on, in this order. It is not the reverse of the order
    /// before the server. The two that judge contents see a result, whatever the answer is.
    pub(super) async fn after(
        &self,
        method: &str,
        judged: Option<Points>,
        call: &mut RequestState,
        answer: &mut McpAnswer,
    ) {
        let parts = &*self.parts;
        let stopped = call.stopped;
        macro_rules! pass {
            ($part:ident: $step:expr => $answer:ident) => {
                if let Some($part) = &parts.$part
                    && let Err(error) = caught_later(method, async { $step }).await
                {
                    *$answer = call.failed(error);
                }
            };
            ($part:ident as $place:ident: $step:expr => $answer:ident) => {
                if stopped.is_none_or(|stopped| MiddlewareId::$place < stopped) {
                    pass!($part: $step => $answer);
                }
            };
        }
        #[cfg(feature = "mcpl")]
        pass!(mcpl as Mcpl: mcpl.after_tool(call, answer) => answer);
        #[cfg(feature = "guidance")]
        pass!(skills as Skills: skills.after(call, answer) => answer);
        #[cfg(feature = "policy-engine")]
        pass!(plugin as Lists: plugin.hide_skills(answer) => answer);
        let mut shown = match judged {
            Some(points) if call.reached && parts.judges(call) => ShownAs::of(points, answer),
            _ => None,
        };
        let judged = match &mut shown {
            Some(shown) => &mut shown.result,
            None => &mut *answer,
        };
        #[cfg(feature = "policy-engine")]
        pass!(plugin as Plugin: plugin.judge_answer(call, judged).await => judged);
        #[cfg(feature = "guardian-local")]
        pass!(guardian as Guardian: guardian.judge_answer(call, judged, self).await => judged);
        if let Some(shown) = shown {
            Box::pin(self.judged(method, shown, call, answer)).await;
        }
        #[cfg(feature = "policy-engine")]
        pass!(plugin as Recheck: plugin.start_after(call, answer) => answer);
        #[cfg(feature = "cli")]
        pass!(dry as Dry: dry.after(answer) => answer);
        pass!(gate as Gate: gate.after(call, answer).await => answer);
        #[cfg(feature = "guidance")]
        pass!(guidance as Guidance: guidance.after(call, answer).await => answer);
        #[cfg(feature = "cli")]
        pass!(offer: offer.after(answer) => answer);
        pass!(gate: gate.seal(call, answer) => answer);
        #[cfg(feature = "log")]
        pass!(log as Log: log.after(call, answer) => answer);
    }

    /// Writes into the answer what the two changed in the result that they saw in its place.
    async fn judged(
        &self,
        method: &str,
        shown: Box<ShownAs>,
        call: &mut RequestState,
        answer: &mut McpAnswer,
    ) {
        let is_asked = |answer: &McpAnswer| answer.as_ref().is_ok_and(is_question);
        let was_asked = is_asked(answer);
        shown.write_back(answer);
        // The plugins keep the state of the author's question, so that its retry does not ask again.
        #[cfg(feature = "policy-engine")]
        if was_asked
            && is_asked(answer)
            && let Some(plugin) = &self.parts.plugin
            && let Err(error) = caught_later(method, plugin.judge_answer(call, answer)).await
        {
            *answer = Err(error);
        }
    }

    /// Called when the client cancels a request. The author's server may still run. Nobody reads the answer, and a
    /// failure is logged.
    pub(super) async fn cancelled(&self, method: &str, call: &mut RequestState) {
        call.is_cancelled = true;
        if let Some(gate) = &self.parts.gate {
            _ = caught_later(method, gate.cancelled(call)).await;
        }
        #[cfg(feature = "guidance")]
        if let Some(guidance) = &self.parts.guidance {
            _ = caught_later(method, guidance.cancelled(call)).await;
        }
    }

    /// Called when a request has ended, cancelled or not, with the answer as it is sent.
    pub(super) fn ended(&self, method: &str, call: &mut RequestState, answer: &McpAnswer) {
        let parts = &*self.parts;
        macro_rules! end {
            ($part:ident: $step:expr) => {
                if let Some($part) = &parts.$part
                    && let Err(failure) = catch_panic_now(|| {
                        // Some steps read the call alone.
                        _ = $part;
                        $step
                    })
                {
                    error!(
                        method, error = %failure, "a middleware failed after the end of a request"
                    );
                }
            };
        }
        #[cfg(feature = "policy-engine")]
        end!(plugin: Built::ended_call(call));
        #[cfg(all(feature = "guardian-local", feature = "log"))]
        end!(guardian: aos::Guarded::ended(call));
        #[cfg(feature = "cli")]
        end!(dry: dry.ended(call, answer));
        #[cfg(feature = "log")]
        end!(log: log.ended(call, answer));
    }

    /// Passes the answer to `tasks/get` through the middleware, as the result of the call that created the task.
    pub(super) async fn late(&self, method: &str, call: &mut RequestState, answer: &mut McpAnswer) {
        let parts = &*self.parts;
        let is_judged = parts.judges(call);
        let Some(mut late) = Late::of(answer) else {
            return;
        };
        call.is_task_ended = Late::is_end(answer);
        // The refusal of an earlier fetch is not about this one.
        call.refused = None;
        let shown = &mut late.shown;
        macro_rules! pass {
            ($part:ident: $step:expr) => {
                if let Some($part) = &parts.$part
                    && let Err(error) = caught_later(method, async { $step }).await
                {
                    *shown = call.failed(error);
                }
            };
        }
        #[cfg(feature = "policy-engine")]
        pass!(plugin: plugin.judge_late(call, shown).await);
        #[cfg(feature = "guardian-local")]
        pass!(guardian: guardian.judge_late(call, shown, self).await);
        #[cfg(feature = "policy-engine")]
        pass!(plugin: plugin.start_late(call, shown));
        #[cfg(feature = "log")]
        pass!(log: log.late(call, shown));
        late.write_back(is_judged, answer);
    }
}
