//! The chain after the author's server.

use rmcp::{ErrorData, model::InputRequiredResult};

use super::{
    ask,
    built::Built,
    item::{Item, PayloadOf, Tools, json},
    pre::{Running, no_state},
    state::{Kept, Stage},
};
use crate::{
    plugin::{
        Contexts, Decision, Denial, End, Payload, PluginAt, PluginPoint, Ran, Seen, ToolResult,
    },
    server::way::{Answer, Call, Refused},
};

/// How long a request of the author's own code may wait for its user.
const OWN_QUESTION: std::time::Duration = std::time::Duration::from_secs(300);

impl Built {
    /// Passes an answer that the chain [sees](Running::sees) through the hooks after the server.
    pub(super) async fn after<I: Item>(
        &self,
        mut running: Box<Running<I>>,
        call: &mut Call,
        answer: &mut Result<Answer, ErrorData>,
    ) {
        self.answered(&mut running, answer).await;
        call.kept.put_boxed(running);
    }

    async fn answered<I: Item>(
        &self,
        running: &mut Running<I>,
        answer: &mut Result<Answer, ErrorData>,
    ) {
        if let Some(own) = I::own_question(answer) {
            if let Err(blocked) = Box::pin(self.wrap(running, own)).await {
                *answer = I::refused(&blocked, self.policy.exposes_names);
            }
            return;
        }
        let (ran, payload) = match running.resumed.take() {
            Some((pending, response, mut payload)) => {
                let (server, contexts) = (&running.server, &mut running.contexts);
                let chain = running.chain.clone();
                let own = &mut payload;
                let resumed =
                    chain.resume_held::<I::Post>(server, pending, response, own, contexts);
                (resumed.await, payload)
            }
            None => {
                let Some(mut payload) = I::answered(&running.name, answer) else {
                    return;
                };
                let (server, contexts) = (&running.server, &mut running.contexts);
                let chain = running.chain.clone();
                let (all, own) = (Seen::default(), &mut payload);
                let ran = chain.held::<I::Post>(&all, server, own, contexts);
                (ran.await, payload)
            }
        };
        let ended = self.ended::<I>(ran, payload, running).await;
        let replaced = match ended {
            Ok(Ended::Asks(asks)) => {
                *answer = Ok(*asks);
                return;
            }
            Ok(Ended::Allowed(None)) => return,
            Ok(Ended::Allowed(Some(payload))) => I::replace(payload, answer).map_err(|wrong| {
                tracing::error!(item = running.name, %wrong, "a hook's answer is none");
                let reason = "a policy check failed, so the answer was withheld";
                Denial::by_chain("plugin_error", reason)
            }),
            Err(blocked) => Err(blocked),
        };
        if let Err(blocked) = replaced {
            running
                .contexts
                .note(I::Post::AT, Decision::Denied, &blocked);
            running.later_after.clear();
            *answer = I::refused(&blocked, self.policy.exposes_names);
        }
    }

    /// Asks the user as often as hooks want to. Returns the changed payload, if a hook changed it.
    async fn ended<I: Item>(
        &self,
        mut ran: Ran,
        mut payload: PayloadOf<I::Post>,
        running: &mut Running<I>,
    ) -> Result<Ended<PayloadOf<I::Post>>, Denial> {
        loop {
            let pending = match ran.end {
                End::Allowed => {
                    running.later_after = ran.later;
                    return Ok(Ended::Allowed(ran.modified.then_some(payload)));
                }
                End::Blocked(blocked) => return Err(blocked),
                End::Asks(pending) => pending,
            };
            let asker = running.asker.as_ref().ok_or_else(no_state)?;
            if ask::retries(&asker.cx) {
                let question = ask::input_required(&pending, &asker.cx)?;
                let bound = asker.bound.as_ref().ok_or_else(no_state)?;
                let (hook, lives) = (pending.hook.clone(), self.time_of(&pending));
                let kept = Kept {
                    stage: Stage::After(pending, json(&payload)),
                    contexts: running.contexts.carried(),
                    before: asker.before.clone(),
                    began_as: running.name.clone(),
                    again: true,
                    passed: Seen::default(),
                };
                let state = Box::pin(self.keep(&hook, &kept, bound, lives)).await?;
                return Ok(Ended::Asks(Box::new(I::question(question(state)))));
            }
            let response = Box::pin(self.ask(&pending, &asker.cx)).await?;
            // A rule that came into force meanwhile holds for the answer.
            running.chain = self.chain();
            let chain = running.chain.clone();
            let (server, contexts) = (&running.server, &mut running.contexts);
            ran = chain
                .resume_held::<I::Post>(server, *pending, response, &mut payload, contexts)
                .await;
        }
    }

    /// Wraps the state of the author's own question, so that hooks that asked the user do not ask again on the retry.
    async fn wrap<I: Item>(
        &self,
        running: &Running<I>,
        own: &mut InputRequiredResult,
    ) -> Result<(), Denial> {
        let asked = running.contexts.has_answers();
        let Some(asker) = running.asker.as_ref().filter(|_| asked) else {
            return Ok(());
        };
        let Some(bound) = &asker.bound else {
            return Ok(());
        };
        let kept = Kept {
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

    /// Passes the result of a task through the chain. A result whose call is not known any more is withheld, if a hook
    /// could stop it.
    pub(super) async fn late(&self, call: &mut Call, answer: &mut Result<Answer, ErrorData>) {
        let changed = match call.kept.take::<Running<Tools>>() {
            Some(running) => {
                let changed = self.of_task(&running, answer).await;
                call.kept.put(running);
                changed
            }
            None if call.kept.take::<PassedBy>().is_some() => {
                call.kept.put(PassedBy);
                return;
            }
            None => {
                tracing::warn!("the result of a task is withheld: its call is not known any more");
                Err(Denial::by_chain(
                    "task_unknown",
                    "the server no longer knows the call of this task, so its result cannot be checked; call the tool again",
                ))
            }
        };
        let replaced = changed.and_then(|changed| match changed {
            Some(payload) => Tools::replace(payload, answer).map_err(|wrong| {
                tracing::error!(%wrong, "a hook's answer is none");
                let reason = "a policy check failed, so the answer was withheld";
                Denial::by_chain("plugin_error", reason)
            }),
            None => Ok(()),
        });
        if let Err(blocked) = replaced {
            let code = &*blocked.violation.code;
            call.refused = Some(Refused::new("plugin", &*blocked.hook, code));
            *answer = Tools::refused(&blocked, self.policy.exposes_names);
        }
    }

    /// Runs the chain on the result of a task. The client may fetch it several times, so the contexts stay as they are.
    async fn of_task(
        &self,
        running: &Running<Tools>,
        answer: &Result<Answer, ErrorData>,
    ) -> Result<Option<ToolResult>, Denial> {
        if !running
            .chain
            .concerns(PluginAt::ToolPostInvoke, &running.name)
        {
            return Ok(None);
        }
        let Some(mut payload) = Tools::answered(&running.name, answer) else {
            return Ok(None);
        };
        let mut contexts = Contexts::new(running.contexts.global.clone());
        contexts.take_back(running.contexts.carried());
        let point = crate::plugin::point::tool_post_invoke;
        let ran = running
            .chain
            .run_for(point, &running.server, &mut payload, &mut contexts)
            .await;
        match ran.end {
            End::Allowed => Ok(ran.modified.then_some(payload)),
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

impl<I: Item> Running<I> {
    /// Returns whether the chain has to see an answer of the author's server.
    pub(super) fn sees(&self, answer: &mut Result<Answer, ErrorData>) -> bool {
        self.resumed.is_some()
            || self.chain.concerns(I::Post::AT, &self.name)
            || self.asker.is_some() && I::own_question(answer).is_some()
    }
}

/// The mark on a call that no hook concerns.
#[derive(Debug)]
pub(super) struct PassedBy;

/// The mark on a request for a page of the tools.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) is_first: bool,
}

enum Ended<P> {
    Allowed(Option<P>),
    Asks(Box<Answer>),
}
