//! The chain after the author's server.

use rmcp::{ErrorData, RoleServer, model::InputRequiredResult, service::RequestContext};

use super::{
    ask,
    built::Built,
    chained::{ChainedRequest, PassedBy},
    item::{ItemFamily, PayloadOf, Tools, json},
    pre::{no_state, read},
    state::{SavedQuestion, Stage},
};
use crate::server::{
    methods::Points,
    pipeline::{McpResponse, Pipeline, RefusalRecord, RequestState},
    request::may_get_tasks,
};
use hooks_plugin::{
    Contexts, Decision, Denial, End, ListOf, Payload, PluginAt, PluginPoint, Ran, ToolResult,
    internal::{MetHooks, unaskable},
    point::tool_post_invoke as Post,
};

/// How long a request of the author's own code may wait for its user.
const OWN_QUESTION: std::time::Duration = std::time::Duration::from_secs(300);

impl Built {
    /// Passes an answer that the chain [sees](ChainedRequest::sees) through the hooks after the server.
    pub(super) async fn after<I: ItemFamily>(
        &self,
        mut running: Box<ChainedRequest>,
        call: &mut RequestState,
        answer: &mut Result<McpResponse, ErrorData>,
    ) {
        if let Err(blocked) = self.answered::<I>(&mut running, answer).await {
            let contexts = &mut running.contexts;
            contexts.note(I::Post::AT, Decision::Denied, &blocked);
            running.later_after.clear();
            call.refused = Some(by_plugin(&blocked));
            *answer = I::refused(&blocked, self.policy.exposes_names);
        }
        self.go_by(call, || running.policy());
        running.keep_in(call);
    }

    async fn answered<I: ItemFamily>(
        &self,
        running: &mut ChainedRequest,
        answer: &mut Result<McpResponse, ErrorData>,
    ) -> Result<(), Denial> {
        if let Some(own) = I::own_question(answer) {
            return Box::pin(self.wrap::<I>(running, own)).await;
        }
        let (ran, payload) = match running.resumed.take() {
            Some((pending, response, payload)) => {
                let mut payload: PayloadOf<I::Post> = read(payload)?;
                let (server, contexts) = (&running.server, &mut running.contexts);
                let chain = running.chain.clone();
                let own = &mut payload;
                let resumed =
                    chain.resume_held::<I::Post>(server, pending, response, own, contexts);
                (resumed.await, payload)
            }
            None => {
                let Some(mut payload) = I::answered(running, answer) else {
                    return Ok(());
                };
                let (server, contexts) = (&running.server, &mut running.contexts);
                let chain = running.chain.clone();
                let (all, own) = (MetHooks::default(), &mut payload);
                let ran = chain.held::<I::Post>(&all, server, own, contexts);
                (ran.await, payload)
            }
        };
        match self.ended::<I>(ran, payload, running).await? {
            EndedChain::Asks(asks) => *answer = Ok(*asks),
            EndedChain::Allowed(None) => {}
            EndedChain::Allowed(Some(payload)) => I::replace(payload, answer).map_err(|wrong| {
                tracing::error!(
                    target: "hooks_sdk::server",
                    item = running.name, %wrong, "a hook's answer is none"
                );
                let reason = "a policy check failed, so the answer was withheld";
                Denial::by_chain("plugin_error", reason)
            })?,
        }
        Ok(())
    }

    /// Asks the user as often as hooks want to. Returns the changed payload, if a hook changed it.
    async fn ended<I: ItemFamily>(
        &self,
        mut ran: Ran,
        mut payload: PayloadOf<I::Post>,
        running: &mut ChainedRequest,
    ) -> Result<EndedChain<PayloadOf<I::Post>>, Denial> {
        loop {
            let pending = match ran.end {
                End::Allowed => {
                    running.later_after = ran.later;
                    return Ok(EndedChain::Allowed(ran.modified.then_some(payload)));
                }
                End::Blocked(blocked) => return Err(blocked),
                End::Asks(pending) => pending,
            };
            if I::POINTS == Points::Completion {
                return Err(unaskable(pending.hook, "a completion"));
            }
            let asker = running.asker.as_ref().ok_or_else(no_state)?;
            if ask::retries(&asker.cx) {
                let question = ask::input_required(&pending, &asker.cx)?;
                let bound = asker.bound.as_ref().ok_or_else(no_state)?;
                let (hook, lives) = (pending.hook.clone(), self.time_of(&pending));
                let kept = SavedQuestion {
                    stage: Stage::After(pending, json(&payload)),
                    contexts: running.contexts.carried(),
                    before: asker.before.clone(),
                    began_as: running.name.clone(),
                    again: true,
                    passed: MetHooks::default(),
                };
                let state = Box::pin(self.keep(&hook, &kept, bound, lives)).await?;
                let asks = I::question(question(state)).ok_or_else(no_state)?;
                return Ok(EndedChain::Asks(Box::new(asks)));
            }
            let response = Box::pin(self.ask(&pending, &asker.cx)).await?;
            // A rule that came into force meanwhile holds for the answer.
            running.go_by(self.now());
            let chain = running.chain.clone();
            let (server, contexts) = (&running.server, &mut running.contexts);
            ran = chain
                .resume_held::<I::Post>(server, *pending, response, &mut payload, contexts)
                .await;
        }
    }

    /// Wraps the state of the author's own question, so that hooks that asked the user do not ask again on the retry.
    async fn wrap<I: ItemFamily>(
        &self,
        running: &ChainedRequest,
        own: &mut InputRequiredResult,
    ) -> Result<(), Denial> {
        let asked = running.contexts.has_answers();
        let Some(asker) = running.asker.as_ref().filter(|_| asked) else {
            return Ok(());
        };
        let Some(bound) = &asker.bound else {
            return Ok(());
        };
        let kept = SavedQuestion {
            stage: Stage::Server(own.request_state.take()),
            contexts: running.contexts.carried(),
            before: asker.before.clone(),
            began_as: running.name.clone(),
            again: true,
            passed: running.chain.seen(I::Pre::AT),
        };
        own.request_state = Some(self.keep("", &kept, bound, OWN_QUESTION).await?);
        Ok(())
    }

    /// Returns the mark for a call that no hook concerns.
    pub(super) fn passed_by(
        &self,
        name: &str,
        cx: &RequestContext<RoleServer>,
        call: &RequestState,
        pipeline: &Pipeline,
    ) -> PassedBy {
        if !self.may_change() {
            return PassedBy::ForGood;
        }
        if !may_get_tasks(cx) {
            return PassedBy::WithoutTask;
        }
        let mut running =
            self.running::<Tools>(self.now(), (ListOf::Tools, name), cx, call, pipeline);
        name.clone_into(&mut running.name);
        running.outer = None;
        PassedBy::Kept(Box::new(running))
    }

    /// Returns whether no hook concerned the call, and none concerns the result of its task now.
    pub(super) fn passes_by(&self, call: &RequestState) -> bool {
        match &call.plugin.passed_by {
            Some(PassedBy::ForGood | PassedBy::WithoutTask) => true,
            Some(PassedBy::Kept(running)) => {
                let chain = self.chain();
                !chain.concerns(PluginAt::ToolPostInvoke, &running.name)
            }
            None => false,
        }
    }

    /// Passes the result of a task through the chain. A result whose call is not known any more is withheld, if a hook
    /// could stop it.
    pub(super) async fn late(
        &self,
        call: &mut RequestState,
        answer: &mut Result<McpResponse, ErrorData>,
    ) {
        if self.passes_by(call) {
            return;
        }
        if let Some(PassedBy::Kept(running)) = call.plugin.passed_by.take() {
            running.keep_in(call);
        }
        let changed = match ChainedRequest::take_from(call) {
            Some(mut running) => {
                // A rule that came into force while the task ran holds for its result.
                running.go_by(self.now());
                let passed = self.of_task(&running, answer, call).await;
                running.keep_in(call);
                passed.map(|(changed, held)| {
                    call.plugin.task_end = held.map(Box::new);
                    changed
                })
            }
            None => {
                tracing::warn!(
                    target: "hooks_sdk::server",
                    "the result of a task is withheld: its call is not known any more"
                );
                Err(Denial::by_chain(
                    "task_unknown",
                    "the server no longer knows the call of this task, so its result cannot be checked; call the tool again",
                ))
            }
        };
        let replaced = changed.and_then(|changed| match changed {
            Some(payload) => Tools::replace(payload, answer).map_err(|wrong| {
                tracing::error!(target: "hooks_sdk::server", %wrong, "a hook's answer is none");
                let reason = "a policy check failed, so the answer was withheld";
                Denial::by_chain("plugin_error", reason)
            }),
            None => Ok(()),
        });
        if let Err(blocked) = replaced {
            call.refused = Some(by_plugin(&blocked));
            *answer = Tools::refused(&blocked, self.policy.exposes_names);
        }
    }

    /// Runs the chain on the result of a task. The client may fetch it several times, so the contexts stay as they are.
    async fn of_task(
        &self,
        running: &ChainedRequest,
        answer: &Result<McpResponse, ErrorData>,
        call: &mut RequestState,
    ) -> Result<(Option<ToolResult>, Option<TaskEndHooks>), Denial> {
        if !running
            .chain
            .concerns(PluginAt::ToolPostInvoke, &running.name)
        {
            return Ok((None, None));
        }
        let Some(mut payload) = Tools::answered(running, answer) else {
            return Ok((None, None));
        };
        let mut contexts = Contexts::new(running.contexts.global.clone());
        contexts.take_back(running.contexts.carried());
        let (all, server) = (MetHooks::default(), &running.server);
        let chain = &running.chain;
        let ran = chain
            .held::<Post>(&all, server, &mut payload, &mut contexts)
            .await;
        #[cfg(feature = "log")]
        if let Some(log) = &mut call.log {
            super::logged::fill_bypassed(log, contexts.record());
        }
        #[cfg(not(feature = "log"))]
        let _ = call;
        match ran.end {
            End::Allowed => {
                let later = ran.later;
                let held = (!later.is_empty()).then_some(TaskEndHooks { later, contexts });
                Ok((ran.modified.then_some(payload), held))
            }
            End::Blocked(blocked) => Err(blocked),
            End::Asks(pending) => {
                let item = payload.item();
                let reason = format!("the user cannot be asked about the late result of `{item}`");
                let mut blocked = Denial::by_chain("elicitation_unsupported", reason);
                blocked.hook = pending.hook;
                Err(blocked)
            }
        }
    }
}

/// Returns what the decision log says of a stop by the chain.
pub(super) fn by_plugin(blocked: &Denial) -> RefusalRecord {
    RefusalRecord {
        failed: blocked.failed,
        ..RefusalRecord::new("plugin", &*blocked.hook, &*blocked.violation.code)
    }
}

/// The hooks that run after the end of a task, by their index in the chain, and the contexts of the fetch.
#[derive(Debug)]
pub(in crate::server) struct TaskEndHooks {
    pub(super) later: Vec<usize>,
    pub(super) contexts: Contexts,
}

enum EndedChain<P> {
    Allowed(Option<P>),
    Asks(Box<McpResponse>),
}
