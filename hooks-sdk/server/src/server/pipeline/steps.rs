//! The steps of a request through the middleware, in their order.

use rmcp::ErrorData;

use super::{
    Answer, AuthorRequest, Flow, Handshake, McpResponse, MiddlewareId, Pipeline, RefusalRecord,
    RequestState,
    guarded::step,
    late::Late,
    shown::{Family, ShownAs, is_question},
};
#[cfg(feature = "aos")]
use crate::server::middleware::aos;
#[cfg(feature = "plugin")]
use crate::server::middleware::plugin::Built;
use hooks_core::internal::catch_panic_now;

impl Pipeline {
    /// Lets the middleware take part in a handshake.
    ///
    /// # Errors
    ///
    /// Returns an error if a middleware fails.
    pub(super) async fn greet(
        &self,
        method: &str,
        handshake: &mut Handshake,
    ) -> Result<(), ErrorData> {
        let parts = &*self.parts;
        handshake.has_sessions = parts.gate.is_some();
        #[cfg(feature = "guidance")]
        if let Some(guidance) = &parts.guidance {
            step::<(), _>(method, || guidance.greet(handshake, self)).await?;
        }
        if let Some(lifecycle) = &parts.lifecycle {
            step::<(), _>(method, || lifecycle.declare_in(handshake)).await?;
        }
        #[cfg(feature = "mcpl")]
        if let Some(mcpl) = &parts.mcpl {
            step::<(), _>(method, || mcpl.greet(handshake, self)).await?;
        }
        #[cfg(feature = "cli")]
        if let Some(offer) = &parts.offer {
            step::<(), _>(method, || offer.greet(handshake)).await?;
        }
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
        macro_rules! pass {
            ($place:ident: $step:expr) => {
                let flow = step::<Flow, _>(method, || $step).await;
                if let Some(answer) = Flow::stop(flow) {
                    call.stopped = Some(MiddlewareId::$place);
                    return Some(answer);
                }
            };
        }
        // A call with another tool passes the gate again, and one whose user was asked: other calls may have changed the session.
        #[cfg(any(feature = "aos", feature = "plugin"))]
        macro_rules! pass_and_gate {
            ($place:ident: $step:expr) => {
                let flow = step::<Flow, _>(method, || $step).await;
                let again = matches!(flow, Ok(Flow::Again));
                if let Some(answer) = Flow::stop(flow) {
                    call.stopped = Some(MiddlewareId::$place);
                    return Some(answer);
                }
                if (self.is_renamed(request, call) || again)
                    && let Some(gate) = &parts.gate
                {
                    pass!(Gate: gate.before(request, call, self));
                }
            };
        }
        #[cfg(feature = "log")]
        if let Some(log) = &parts.log {
            pass!(Log: log.before(request, call));
        }
        #[cfg(feature = "aos")]
        if parts.messages.is_some() {
            pass!(Messages: aos::MessagesMiddleware::before(request));
        }
        if let Some(observer) = &parts.observer {
            pass!(Observer: observer.before(request, call));
        }
        #[cfg(feature = "plugin")]
        if let Some(lists) = &parts.lists {
            pass!(Lists: lists.check_listed(request, call, self));
        }
        if let Some(gate) = &parts.gate {
            pass!(Gate: gate.before(request, call, self));
        }
        #[cfg(feature = "plugin")]
        if let Some(plugin) = &parts.plugin {
            pass_and_gate!(Plugin: plugin.pass_chain(request, call, self));
        }
        #[cfg(feature = "aos")]
        if let Some(guardian) = &parts.guardian {
            pass_and_gate!(Guardian: guardian.ask(request, call, self));
        }
        #[cfg(feature = "mcpl")]
        if let Some(mcpl) = &parts.mcpl {
            pass!(Mcpl: mcpl.before(request, call));
        }
        #[cfg(feature = "plugin")]
        if let Some(plugin) = &parts.plugin {
            pass!(Recheck: plugin.recheck(request, call));
        }
        #[cfg(feature = "guidance")]
        if let Some(skills) = &parts.skills {
            pass!(Skills: skills.before(request, call));
        }
        #[cfg(feature = "guidance")]
        if let Some(guidance) = &parts.guidance {
            pass!(Guidance: guidance.before(request, call, self));
        }
        #[cfg(feature = "aos")]
        if let Some(serves) = &parts.serves {
            pass!(Serves: serves.before(request, self));
        }
        #[cfg(feature = "cli")]
        if let Some(dry) = &parts.dry {
            pass!(Dry: dry.before(request, call));
        }
        None
    }

    /// Passes an answer through the middleware that let the request go on, in this order. It is not the reverse of the order
    /// before the server. The two that judge contents see a result, whatever the answer is.
    pub(super) async fn after(
        &self,
        method: &str,
        family: Option<Family>,
        call: &mut RequestState,
        answer: &mut Result<McpResponse, ErrorData>,
    ) {
        let parts = &*self.parts;
        let stopped = call.stopped;
        let passed = |place| stopped.is_none_or(|stopped| place < stopped);
        macro_rules! pass {
            ($answer:expr; $step:expr) => {
                if let Err(error) = step::<(), _>(method, || $step).await {
                    call.refused.get_or_insert_with(RefusalRecord::of_failure);
                    *$answer = Err(error);
                }
            };
        }
        #[cfg(feature = "mcpl")]
        if let Some(mcpl) = parts.mcpl.as_ref().filter(|_| passed(MiddlewareId::Mcpl)) {
            pass!(answer; mcpl.after_tool(call, answer));
        }
        #[cfg(feature = "guidance")]
        if let Some(skills) = parts
            .skills
            .as_ref()
            .filter(|_| passed(MiddlewareId::Skills))
        {
            pass!(answer; skills.after(call, answer));
        }
        #[cfg(feature = "plugin")]
        if let Some(lists) = parts.lists.as_ref().filter(|_| passed(MiddlewareId::Lists)) {
            pass!(answer; lists.hide_skills(answer));
        }
        let mut shown = match family {
            Some(family) if call.reached && parts.judges(call) => ShownAs::of(family, answer),
            _ => None,
        };
        let judged = match &mut shown {
            Some(shown) => &mut shown.result,
            None => &mut *answer,
        };
        #[cfg(feature = "plugin")]
        if let Some(plugin) = parts
            .plugin
            .as_ref()
            .filter(|_| passed(MiddlewareId::Plugin))
        {
            pass!(judged; plugin.judge_answer(call, judged));
        }
        #[cfg(feature = "aos")]
        if let Some(guardian) = parts
            .guardian
            .as_ref()
            .filter(|_| passed(MiddlewareId::Guardian))
        {
            pass!(judged; guardian.judge_answer(call, judged, self));
        }
        _ = judged;
        if let Some(shown) = shown {
            Box::pin(self.judged(method, shown, call, answer)).await;
        }
        #[cfg(feature = "plugin")]
        if let Some(plugin) = parts
            .plugin
            .as_ref()
            .filter(|_| passed(MiddlewareId::Recheck))
        {
            pass!(answer; plugin.start_after(call, answer));
        }
        #[cfg(feature = "cli")]
        if let Some(dry) = parts.dry.as_ref().filter(|_| passed(MiddlewareId::Dry)) {
            pass!(answer; dry.after(answer));
        }
        if let Some(gate) = parts.gate.as_ref().filter(|_| passed(MiddlewareId::Gate)) {
            pass!(answer; gate.after(call, answer));
        }
        #[cfg(feature = "guidance")]
        if let Some(guidance) = parts
            .guidance
            .as_ref()
            .filter(|_| passed(MiddlewareId::Guidance))
        {
            pass!(answer; guidance.after(call, answer));
        }
        #[cfg(feature = "cli")]
        if let Some(offer) = &parts.offer {
            pass!(answer; offer.after(answer));
        }
        if let Some(gate) = &parts.gate {
            pass!(answer; gate.seal(call, answer));
        }
        #[cfg(feature = "log")]
        if let Some(log) = parts.log.as_ref().filter(|_| passed(MiddlewareId::Log)) {
            pass!(answer; log.after(call, answer));
        }
    }

    /// Writes into the answer what the two changed in the result that they saw in its place.
    async fn judged(
        &self,
        method: &str,
        shown: Box<ShownAs>,
        call: &mut RequestState,
        answer: &mut Result<McpResponse, ErrorData>,
    ) {
        let was_question = answer.as_ref().is_ok_and(is_question);
        shown.write_back(answer);
        // The plugins keep the state of the author's question, so that its retry does not ask again.
        #[cfg(feature = "plugin")]
        if was_question
            && answer.as_ref().is_ok_and(is_question)
            && let Some(plugin) = &self.parts.plugin
            && let Err(error) = step::<(), _>(method, || plugin.judge_answer(call, answer)).await
        {
            *answer = Err(error);
        }
        #[cfg(not(feature = "plugin"))]
        {
            _ = (method, call, was_question);
        }
    }

    /// Called when the client cancels a request. The author's server may still run. Nobody reads the answer, and `step` logs a
    /// failure.
    pub(super) async fn cancelled(&self, method: &str, call: &mut RequestState) {
        call.is_cancelled = true;
        if let Some(gate) = &self.parts.gate {
            _ = step::<(), _>(method, || gate.cancelled(call)).await;
        }
        #[cfg(feature = "guidance")]
        if let Some(guidance) = &self.parts.guidance {
            _ = step::<(), _>(method, || guidance.cancelled(call)).await;
        }
    }

    /// Called when a request has ended, cancelled or not, with the answer as it is sent.
    pub(super) fn ended(
        &self,
        method: &str,
        call: &mut RequestState,
        answer: &Result<McpResponse, ErrorData>,
    ) {
        let parts = &*self.parts;
        macro_rules! end {
            ($step:expr) => {
                if let Err(failure) = catch_panic_now(|| $step) {
                    tracing::error!(
                        target: "hooks_sdk::server",
                        method, error = %failure, "a middleware failed after the end of a request"
                    );
                }
            };
        }
        #[cfg(feature = "plugin")]
        if parts.plugin.is_some() {
            end!(Built::ended_call(call));
        }
        #[cfg(all(feature = "aos", feature = "log"))]
        if parts.guardian.is_some() {
            end!(aos::Guarded::ended(call));
        }
        #[cfg(feature = "cli")]
        if let Some(dry) = &parts.dry {
            end!(dry.ended(call, answer));
        }
        if let Some(observer) = &parts.observer {
            end!(observer.ended(call, answer));
        }
        #[cfg(feature = "log")]
        if let Some(log) = &parts.log {
            end!(log.ended(call, answer));
        }
    }

    #[cfg_attr(
        not(any(feature = "aos", feature = "log", feature = "plugin")),
        allow(
            unused_macros,
            unused_variables,
            reason = "no other middleware sees it"
        )
    )]
    /// Passes the answer to `tasks/get` through the middleware, as the result of the call that created the task.
    pub(super) async fn late(
        &self,
        method: &str,
        call: &mut RequestState,
        answer: &mut Result<McpResponse, ErrorData>,
    ) {
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
            ($step:expr) => {
                if let Err(error) = step::<(), _>(method, || $step).await {
                    call.refused.get_or_insert_with(RefusalRecord::of_failure);
                    *shown = Err(error);
                }
            };
        }
        #[cfg(feature = "plugin")]
        if let Some(plugin) = &parts.plugin {
            pass!(plugin.judge_late(call, shown));
        }
        #[cfg(feature = "aos")]
        if let Some(guardian) = &parts.guardian {
            pass!(guardian.judge_late(call, shown, self));
        }
        #[cfg(feature = "plugin")]
        if let Some(plugin) = &parts.plugin {
            pass!(plugin.start_late(call, shown));
        }
        #[cfg(feature = "log")]
        if let Some(log) = &parts.log {
            pass!(log.late(call, shown));
        }
        late.write_back(is_judged, answer);
    }
}
