//! The chain before the author's server.

use std::{hash::BuildHasher, mem, sync::Arc};

use rmcp::ErrorData;
use serde_json::Value;

use super::{
    active::PolicyVersion,
    ask::{self, Settled},
    built::Built,
    chained::{Asker, ChainedRequest},
    global::defined,
    item::{ItemFamily, PayloadOf, item, json},
    outer::{OuterContexts, outer},
    state::{QuestionBinding, Stage, is_ours, no_state, stored},
};
use crate::server::{
    McpContext,
    pipeline::{AuthorRequest, Flow, McpRequest, Pipeline, RequestState},
    request::is_stateless,
};
use hooks_core::internal::json_schema;
use hooks_plugin::{
    Decision, Denial, GlobalContext, Headers, ListOf, Payload, PluginPoint, Ran, internal::MetHooks,
};

impl Built {
    /// Passes a request through the chain before the server.
    pub(super) async fn before<I: ItemFamily>(
        &self,
        request: &mut AuthorRequest,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Flow {
        let AuthorRequest { asked, cx } = request;
        let Some((list, name)) = item(asked) else {
            return Flow::On;
        };
        let policy = self.policy_of(cx, call);
        if !policy.lists.is_defined(list, name, pipeline) {
            Box::pin(policy.lists.read(list, pipeline, cx)).await;
        }
        let mut running = Box::new(self.running::<I>(policy, (list, name), cx, call, pipeline));
        if let McpRequest::Complete(params) = asked {
            running.argument.clone_from(&params.argument.name);
        }
        let Some(params) = I::params(asked) else {
            return Flow::On;
        };
        let passed = self
            .pass::<I>(params, &mut running, cx, call, pipeline)
            .await;
        let flow = passed.unwrap_or_else(|blocked| {
            let contexts = &mut running.contexts;
            contexts.note(I::Pre::AT, Decision::Denied, &blocked);
            Flow::answer(self.refuse(I::POINTS, &blocked, call))
        });
        call.plugin.policy = Some(running.policy.clone());
        call.plugin.chained = Some(running);
        flow
    }

    pub(super) fn running<I: ItemFamily>(
        &self,
        policy: Arc<PolicyVersion>,
        (list, name): (ListOf, &str),
        cx: &McpContext,
        call: &RequestState,
        pipeline: &Pipeline,
    ) -> ChainedRequest {
        let outer = outer(cx);
        let mut contexts = outer.as_ref().map(OuterContexts::now).unwrap_or_default();
        let chain = &policy.chain;
        // Another version of the policy, which may hold for the rest of the request, may read what this one does not.
        let reads_context = outer.is_some()
            || self.may_change()
            || chain.may_ask()
            || chain.reads_context(I::Pre::AT)
            || chain.reads_context(I::Post::AT);
        let shared = outer.is_some().then(|| mem::take(&mut contexts.global));
        let global = match reads_context {
            true => self.global(cx, call, shared),
            false => GlobalContext::default(),
        };
        contexts.global = defined(global, &policy, (list, name), pipeline);
        if self.records_all() {
            contexts = contexts.recording();
        }
        ChainedRequest {
            points: I::POINTS,
            list,
            policy,
            contexts,
            outer,
            server: pipeline.author.clone(),
            name: name.to_owned(),
            is_renamed: false,
            has_waited: false,
            argument: String::new(),
            asker: None,
            resumed: None,
            passed: None,
            later: Vec::new(),
            later_after: Vec::new(),
            has_told_end: false,
        }
    }

    async fn pass<I: ItemFamily>(
        &self,
        params: &mut I::Params,
        running: &mut ChainedRequest,
        cx: &mut McpContext,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Result<Flow, Denial> {
        let is_retry = I::retry(params).is_some_and(|(_, state)| is_ours(state.as_ref()));
        let may_ask = running.policy.chain.may_ask();
        let bound = (is_retry || may_ask && is_stateless(cx)).then(|| {
            let user = running.contexts.global.user.as_deref();
            QuestionBinding::of(cx, call, user, I::content(params))
        });
        let (mut payload, mut ran) = match &bound {
            // Boxed, like everything rare: the future of a request stays small.
            Some(bound) if is_retry => {
                Box::pin(self.retried::<I>(params, bound, running, call)).await?
            }
            _ => {
                let mut payload = I::take(params, self.headers(cx));
                let all = MetHooks::default();
                let ran = running.run::<I::Pre>(&all, &mut payload).await;
                (payload, Some(ran))
            }
        };
        running.asker = may_ask.then(|| Asker {
            cx: cx.clone(),
            bound,
            before: Value::Null,
        });
        while let Some(done) = ran {
            let settled = self.settle::<I, I::Pre>(done, &mut payload, running, Some(pipeline));
            match settled.await? {
                Settled::Asks(answer) => return Ok(Flow::answer(Ok(*answer))),
                Settled::Allowed(done) => running.later = done.later,
            }
            ran = match payload.item() == running.name {
                true => None,
                false => Some(Box::pin(renamed::<I>(&mut payload, running, cx, pipeline)).await?),
            };
        }
        running.is_renamed = true;
        if let Some(asker) = &mut running.asker {
            asker.before = json(&payload);
        }
        if let Some(headers) = I::put(payload, params) {
            cx.extensions.insert(Headers(headers));
        }
        let guarded = pipeline.is_guarded();
        running.passed = guarded.then(|| self.hash_of::<I>(params));
        Ok(match running.has_waited {
            true => Flow::Again,
            false => Flow::On,
        })
    }

    /// Takes a request out of the store that waited for its user. It goes on from there.
    async fn retried<I: ItemFamily>(
        &self,
        params: &mut I::Params,
        bound: &QuestionBinding,
        running: &mut ChainedRequest,
        call: &mut RequestState,
    ) -> Result<(PayloadOf<I::Pre>, Option<Ran>), Denial> {
        let (responses, state) = I::retry(params).ok_or_else(no_state)?;
        let state = state.take().ok_or_else(no_state)?;
        let (hook, nonce) = self.open(&state, bound)?;
        let mut answer = None;
        if !hook.is_empty() {
            let given = responses.as_mut();
            answer = given.and_then(|given| given.remove(&ask::question_key(&hook)));
            if answer.is_none() {
                return Err(Denial::by_chain(
                    "elicitation_missing",
                    "the call has a `requestState` and no answer of the user: send `inputResponses`",
                ));
            }
        }
        let kept = self.take(nonce).await?;
        // The params stay empty until the payload is put back.
        let mut given = I::take(params, None);
        let given = I::inputs(&mut given).map(mem::take).unwrap_or_default();
        running.contexts.take_back(kept.contexts);
        let mut payload: PayloadOf<I::Pre> = stored(kept.before)?;
        (running.name, running.is_renamed) = (kept.began_as, kept.again);
        let ran = match (kept.stage, answer) {
            (Stage::Before(pending), Some(answer)) => {
                let answer = ask::read(&pending, answer)?;
                let ran = running.resume::<I::Pre>(*pending, answer, &mut payload);
                Some(ran.await)
            }
            (Stage::After(pending, result), Some(answer)) => {
                let answer = ask::read(&pending, answer)?;
                let mut prepared = Err(ErrorData::internal_error("", None));
                I::replace(stored(result.clone())?, &mut prepared).map_err(|_| no_state())?;
                call.prepared = Some(Box::new(prepared));
                running.resumed = Some((*pending, answer, result));
                None
            }
            (Stage::Server(inner), _) => {
                *I::retry(params).ok_or_else(no_state)?.1 = inner;
                // No hook has judged these answers. Those that asked the user do not ask again.
                let done = match given.is_empty() {
                    true => kept.passed,
                    false => kept.passed.that_asked(&running.contexts),
                };
                *I::inputs(&mut payload).ok_or_else(no_state)? = given;
                Some(running.run::<I::Pre>(&done, &mut payload).await)
            }
            (Stage::Before(_) | Stage::After(..), None) => return Err(no_state()),
        };
        Ok((payload, ran))
    }

    /// Returns a hash of what the server receives, which nobody outside can foresee.
    pub(super) fn hash_of<I: ItemFamily>(&self, params: &mut I::Params) -> u64 {
        let content = I::content(params);
        let responses = I::retry(params).and_then(|(responses, _)| responses.as_ref());
        self.hasher.hash_one((content, responses))
    }
}

/// Runs the hooks for the item that hooks chose in the place of the requested one.
async fn renamed<I: ItemFamily>(
    payload: &mut PayloadOf<I::Pre>,
    running: &mut ChainedRequest,
    cx: &McpContext,
    pipeline: &Pipeline,
) -> Result<Ran, Denial> {
    if running.is_renamed {
        return Err(Denial::by_chain(
            "renamed_twice",
            "the hooks of this server renamed the request twice",
        ));
    }
    let (name, list) = (payload.item().to_owned(), running.list);
    let policy = running.policy.clone();
    if policy.lists.hides(list, &name, pipeline, cx).await {
        return Err(unknown(&name));
    }
    let global = mem::take(&mut running.contexts.global);
    running.contexts.global = defined(global, &policy, (list, &name), pipeline);
    fits(payload, &running.contexts.global)?;
    running.contexts.forget_answers();
    (running.name, running.is_renamed) = (name, true);
    Ok(running.run::<I::Pre>(&MetHooks::default(), payload).await)
}

pub(super) fn unknown(name: &str) -> Denial {
    Denial::by_chain("unknown_item", format!("there is no `{name}`"))
}

/// Checks what the item's own definition restricts.
pub(super) fn fits(payload: &impl Payload, global: &GlobalContext) -> Result<(), Denial> {
    if let Some((member, value)) = payload.restricted()
        && let Some(schema) = global.definition().and_then(|of| of.get(member))
        && let Err(wrong) = json_schema::validate(schema, &value)
    {
        let reason = format!(
            "the changed request does not fit `{}`: {wrong}",
            payload.item()
        );
        return Err(Denial::by_chain("schema_refused", reason));
    }
    Ok(())
}
