//! The chain after the author's server.

use std::mem;

use rmcp::model::InputRequiredResult;

use super::{
    ask::Settled,
    built::Built,
    chained::{ChainedRequest, PassedBy},
    item::{ItemFamily, PayloadOf, Tools, own_question},
    state::{Stage, stored},
};
use crate::server::{
    methods::Points,
    pipeline::{McpAnswer, RequestState},
};
use hooks_plugin::{
    Contexts, Decision, Denial, Payload, PluginAt, PluginPoint, internal::MetHooks,
};

/// How long a request of the author's own code may wait for its user.
const OWN_QUESTION: std::time::Duration = std::time::Duration::from_secs(300);

impl Built {
    /// Passes an answer that the chain [sees](ChainedRequest::sees) through the hooks after the server.
    pub(super) async fn after<I: ItemFamily>(
        &self,
        mut running: Box<ChainedRequest>,
        call: &mut RequestState,
        answer: &mut McpAnswer,
    ) {
        if let Err(blocked) = self.answered::<I>(&mut running, answer).await {
            let contexts = &mut running.contexts;
            contexts.note(I::Post::AT, Decision::Denied, &blocked);
            running.later_after.clear();
            *answer = self.refuse(I::POINTS, &blocked, call);
        }
        call.plugin.chained = Some(running);
    }

    async fn answered<I: ItemFamily>(
        &self,
        running: &mut ChainedRequest,
        answer: &mut McpAnswer,
    ) -> Result<(), Denial> {
        if let Some(own) = own_question(answer) {
            return Box::pin(self.wrap::<I>(running, own)).await;
        }
        let (ran, mut payload) = match running.resumed.take() {
            Some((pending, response, payload)) => {
                let mut payload = stored(payload)?;
                let ran = running.resume::<I::Post>(pending, response, &mut payload);
                (ran.await, payload)
            }
            None => {
                let Some(mut payload) = I::answered(running, answer) else {
                    return Ok(());
                };
                let all = MetHooks::default();
                (running.run::<I::Post>(&all, &mut payload).await, payload)
            }
        };
        let settled = self.settle::<I, I::Post>(ran, &mut payload, running, None);
        match settled.await? {
            Settled::Asks(asks) => *answer = Ok(*asks),
            Settled::Allowed(ran) => {
                running.later_after = ran.later;
                if ran.modified {
                    replace::<I>(payload, answer)?;
                }
            }
        }
        Ok(())
    }

    /// Wraps the state of the author's own question, so that hooks that asked the user do not ask again on the retry.
    async fn wrap<I: ItemFamily>(
        &self,
        running: &ChainedRequest,
        own: &mut InputRequiredResult,
    ) -> Result<(), Denial> {
        let asker = running.asker.as_ref();
        if running.contexts.has_answers() && asker.is_some_and(|asker| asker.bound.is_some()) {
            let stage = Stage::Server(own.request_state.take());
            let passed = running.policy.chain.seen(I::Pre::AT);
            let state = self.keep("", stage, passed, running, OWN_QUESTION);
            own.request_state = Some(state.await?);
        }
        Ok(())
    }

    /// Returns whether no hook concerned the call, and none concerns the result of its task now.
    pub(super) fn passes_by(&self, call: &RequestState) -> bool {
        match (call.plugin.passed_by, &call.plugin.chained) {
            (Some(PassedBy::ForNow), Some(running)) => {
                let chain = &self.now().chain;
                !chain.concerns(PluginAt::ToolPostInvoke, &running.name)
            }
            (by, _) => by.is_some(),
        }
    }

    /// Passes the result of a task through the chain. A result whose call is not known any more is withheld, if a hook
    /// could stop it.
    pub(crate) async fn judge_late(&self, call: &mut RequestState, answer: &mut McpAnswer) {
        if !self.sees_answers() || self.passes_by(call) {
            return;
        }
        let judged = match call.plugin.chained.take() {
            Some(mut running) => {
                // A rule that came into force while the task ran holds for its result.
                running.policy = self.now();
                let judged = self.of_task(&mut running, answer, call).await;
                call.plugin.chained = Some(running);
                judged
            }
            None => {
                warn!("the result of a task is withheld: its call is not known any more");
                Err(Denial::by_chain(
                    "task_unknown",
                    "the server no longer knows the call of this task, so its result cannot be checked; call the tool again",
                ))
            }
        };
        if let Err(blocked) = judged {
            *answer = self.refuse(Points::Tool, &blocked, call);
        }
    }

    /// Runs the chain on the result of a task. The client may fetch it several times, so the contexts stay as they are.
    async fn of_task(
        &self,
        running: &mut ChainedRequest,
        answer: &mut McpAnswer,
        call: &mut RequestState,
    ) -> Result<(), Denial> {
        let chain = &running.policy.chain;
        if !chain.concerns(PluginAt::ToolPostInvoke, &running.name) {
            return Ok(());
        }
        let mut contexts = Contexts::new(running.contexts.global.clone());
        contexts.take_back(running.contexts.carried());
        let kept = mem::replace(&mut running.contexts, contexts);
        let judged = self.answered::<Tools>(running, answer).await;
        let contexts = mem::replace(&mut running.contexts, kept);
        #[cfg(feature = "log")]
        if let Some(log) = &mut call.log {
            super::logged::fill_bypassed(log, contexts.record());
        }
        call.plugin.task_end = judged.is_ok().then(|| Box::new(contexts));
        judged
    }
}

/// Replaces an answer by what the hooks made of it.
fn replace<I: ItemFamily>(
    payload: PayloadOf<I::Post>,
    answer: &mut McpAnswer,
) -> Result<(), Denial> {
    let item = payload.item().to_owned();
    I::replace(payload, answer).map_err(|wrong| {
        error!(item, %wrong, "a hook's answer is none");
        let reason = "a policy check failed, so the answer was withheld";
        Denial::by_chain("plugin_error", reason)
    })
}
