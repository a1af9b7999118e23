//! The chain before the author's server.

use std::{hash::BuildHasher, mem};

use rmcp::{RoleServer, service::RequestContext};
use serde_json::Value;

use super::{
    ask,
    built::{Built, RequestPolicy},
    chained::{Asker, ChainedRequest},
    global::defined,
    http::{OuterContexts, outer},
    item::{ItemFamily, PayloadOf, json},
    post::by_plugin,
    state::{QuestionBinding, SavedQuestion, Stage, is_ours},
};
use crate::server::{
    methods::Points,
    pipeline::{AuthorRequest, Flow, McpResponse, Pipeline, RequestState},
};
use hooks_core::internal::json_schema;
use hooks_plugin::{
    Decision, Denial, End, GlobalContext, Headers, ListOf, Payload, PluginPoint, Ran,
    internal::{MetHooks, unaskable},
};

/// A request in one pass of the chain.
struct ChainPass<P> {
    payload: P,
    began_as: String,
    again: bool,
    /// Whether a user was asked while the request waited.
    waited: bool,
}

impl Built {
    /// Passes a request through the chain before the server.
    pub(super) async fn before<I: ItemFamily>(
        &self,
        policy: RequestPolicy,
        request: &mut AuthorRequest,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Flow {
        let AuthorRequest { asked, cx } = request;
        let Some(params) = I::params(asked) else {
            return Flow::On;
        };
        let (list, name) = I::item(params);
        let lists = &policy.lists;
        if !lists.is_defined(list, name, pipeline) {
            Box::pin(lists.read(list, pipeline, cx)).await;
        }
        let mut running = Box::new(self.running::<I>(policy, (list, name), cx, call, pipeline));
        running.argument = I::argument(params);
        let passed = self
            .pass::<I>(params, &mut running, cx, call, pipeline)
            .await;
        let flow = match passed {
            Ok(None) => Flow::On,
            Ok(Some(StoppedRequest::Waited)) => Flow::Again,
            Ok(Some(StoppedRequest::Asks(answer))) => Flow::answer(Ok(*answer)),
            Err(blocked) => {
                running
                    .contexts
                    .note(I::Pre::AT, Decision::Denied, &blocked);
                call.refused = Some(by_plugin(&blocked));
                Flow::answer(I::refused(&blocked, self.policy.exposes_names))
            }
        };
        self.go_by(call, || running.policy());
        running.keep_in(call);
        flow
    }

    pub(super) fn running<I: ItemFamily>(
        &self,
        policy: RequestPolicy,
        (list, name): (ListOf, &str),
        cx: &RequestContext<RoleServer>,
        call: &RequestState,
        pipeline: &Pipeline,
    ) -> ChainedRequest {
        let outer = outer(cx);
        let mut contexts = outer.as_ref().map(OuterContexts::now).unwrap_or_default();
        // Another version of the policy, which may hold for the rest of the request, may read what this one does not.
        let reads_context = outer.is_some()
            || self.may_change()
            || policy.chain.may_ask()
            || policy.chain.reads_context(I::Pre::AT)
            || policy.chain.reads_context(I::Post::AT);
        contexts.global = match reads_context {
            true => self.global(cx, call),
            false => GlobalContext::default(),
        };
        contexts.global = defined(contexts.global, &policy.lists, (list, name), pipeline);
        if self.records_all() {
            contexts = contexts.recording();
        }
        ChainedRequest {
            points: I::POINTS,
            list,
            chain: policy.chain,
            lists: policy.lists,
            contexts,
            outer,
            server: pipeline.author().clone(),
            name: String::new(),
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
        cx: &mut RequestContext<RoleServer>,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Result<Option<StoppedRequest>, Denial> {
        let chain = running.chain.clone();
        let ours = I::retry(params).is_some_and(|(_, state)| is_ours(state.as_ref()));
        let may_ask = chain.may_ask();
        let bound = (ours || may_ask && ask::retries(cx)).then(|| {
            let user = running.contexts.global.user.as_deref();
            QuestionBinding::of(cx, call, user, &I::content(params))
        });
        let mut pass;
        let mut ran = None;
        if ours {
            let bound = bound.as_ref().ok_or_else(no_state)?;
            // Boxed, like everything rare: the future of a request stays small.
            let (kept, answer) = Box::pin(self.reopen::<I>(params, bound)).await?;
            // The params stay empty until the payload is put back.
            let mut given = I::take(params, None);
            let given = I::inputs(&mut given).map(mem::take).unwrap_or_default();
            running.contexts.take_back(kept.contexts);
            pass = ChainPass {
                payload: read(kept.before)?,
                began_as: kept.began_as,
                again: kept.again,
                waited: false,
            };
            match (kept.stage, answer) {
                (Stage::Before(pending), Some(answer)) => {
                    let answer = ask::read(&pending, answer)?;
                    let contexts = &mut running.contexts;
                    let resumed = chain.resume_held::<I::Pre>(
                        &running.server,
                        *pending,
                        answer,
                        &mut pass.payload,
                        contexts,
                    );
                    ran = Some(Box::pin(resumed).await);
                }
                (Stage::After(pending, payload), Some(answer)) => {
                    let answer = ask::read(&pending, answer)?;
                    let mut prepared = Err(rmcp::ErrorData::internal_error("", None));
                    I::replace(read(payload.clone())?, &mut prepared).map_err(|_| no_state())?;
                    call.prepared = Some(Box::new(prepared));
                    running.resumed = Some((*pending, answer, payload));
                }
                (Stage::Server(inner), _) => {
                    *I::retry(params).ok_or_else(no_state)?.1 = inner;
                    let (server, contexts) = (&running.server, &mut running.contexts);
                    let payload = &mut pass.payload;
                    // No hook has judged these answers. Those that asked the user do not ask again.
                    let passed = match given.is_empty() {
                        true => kept.passed,
                        false => kept.passed.that_asked(contexts),
                    };
                    *I::inputs(payload).ok_or_else(no_state)? = given;
                    let met = chain.held::<I::Pre>(&passed, server, payload, contexts);
                    ran = Some(Box::pin(met).await);
                }
                (Stage::Before(_) | Stage::After(..), None) => return Err(no_state()),
            }
        } else {
            let payload = I::take(params, self.headers(cx));
            pass = ChainPass {
                began_as: payload.item().to_owned(),
                payload,
                again: false,
                waited: false,
            };
            let contexts = &mut running.contexts;
            let (server, payload) = (&running.server, &mut pass.payload);
            let all = MetHooks::default();
            ran = Some(chain.held::<I::Pre>(&all, server, payload, contexts).await);
        }
        if let Some(mut ran) = ran {
            while let Some(next) = self
                .step::<I>(ran, &mut pass, running, bound.as_ref(), cx, pipeline)
                .await?
            {
                match next {
                    ChainEnd::Ran(more) => ran = more,
                    ChainEnd::Stop(stop) => return Ok(Some(stop)),
                }
            }
        }
        let item = pass.payload.item();
        running.name = match pass.began_as == item {
            true => pass.began_as,
            false => item.to_owned(),
        };
        if may_ask {
            running.asker = Some(Asker {
                cx: cx.clone(),
                bound,
                before: json(&pass.payload),
            });
        }
        if let Some(headers) = I::put(pass.payload, params) {
            cx.extensions.insert(Headers(headers));
        }
        let guarded = pipeline.is_guarded();
        running.passed = guarded.then(|| self.hash_of::<I>(params));
        Ok(pass.waited.then_some(StoppedRequest::Waited))
    }

    /// Acts on the end of one pass. Returns what comes next, or `None` if the request goes on to the server.
    async fn step<I: ItemFamily>(
        &self,
        ran: Ran,
        pass: &mut ChainPass<PayloadOf<I::Pre>>,
        running: &mut ChainedRequest,
        bound: Option<&QuestionBinding>,
        cx: &RequestContext<RoleServer>,
        pipeline: &Pipeline,
    ) -> Result<Option<ChainEnd>, Denial> {
        let later = ran.later;
        match ran.end {
            End::Blocked(blocked) => Err(blocked),
            End::Asks(pending) if I::POINTS == Points::Completion => {
                Err(unaskable(pending.hook, "a completion"))
            }
            End::Asks(pending) if ask::retries(cx) => {
                let question = ask::input_required(&pending, cx)?;
                let bound = bound.ok_or_else(no_state)?;
                let (hook, lives) = (pending.hook.clone(), self.time_of(&pending));
                let kept = SavedQuestion {
                    stage: Stage::Before(pending),
                    contexts: running.contexts.carried(),
                    before: json(&pass.payload),
                    began_as: pass.began_as.clone(),
                    again: pass.again,
                    passed: MetHooks::default(),
                };
                let state = Box::pin(self.keep(&hook, &kept, bound, lives)).await?;
                let answer = I::question(question(state)).ok_or_else(no_state)?;
                Ok(Some(ChainEnd::Stop(StoppedRequest::Asks(Box::new(answer)))))
            }
            End::Asks(pending) => {
                let answer = Box::pin(self.ask(&pending, cx)).await?;
                pass.waited = true;
                // A rule or a list hook that came into force meanwhile holds for the answered call.
                let name = pass.payload.item();
                if running.go_by(self.now())
                    && !pipeline.serves(name)
                    && running.lists.has_hidden(running.list, name, pipeline)
                {
                    return Err(unknown(name));
                }
                let chain = running.chain.clone();
                let (server, contexts) = (&running.server, &mut running.contexts);
                let payload = &mut pass.payload;
                let resumed =
                    chain.resume_held::<I::Pre>(server, *pending, answer, payload, contexts);
                Ok(Some(ChainEnd::Ran(Box::pin(resumed).await)))
            }
            End::Allowed if pass.payload.item() == pass.began_as => {
                running.later = later;
                Ok(None)
            }
            End::Allowed if pass.again => Err(Denial::by_chain(
                "renamed_twice",
                "the hooks of this server renamed the request twice",
            )),
            End::Allowed => {
                let name = pass.payload.item().to_owned();
                let lists = running.lists.clone();
                if Box::pin(lists.hides(running.list, &name, pipeline, cx)).await {
                    return Err(unknown(&name));
                }
                let global = std::mem::take(&mut running.contexts.global);
                running.contexts.global = defined(global, &lists, (running.list, &name), pipeline);
                fits(&pass.payload, &running.contexts.global)?;
                running.contexts.forget_answers();
                pass.began_as = name;
                pass.again = true;
                let chain = running.chain.clone();
                let (server, contexts) = (&running.server, &mut running.contexts);
                let (all, payload) = (MetHooks::default(), &mut pass.payload);
                let ran = chain.held::<I::Pre>(&all, server, payload, contexts);
                Ok(Some(ChainEnd::Ran(Box::pin(ran).await)))
            }
        }
    }

    /// Reads the user's answer, and takes the waiting request out of the store.
    async fn reopen<I: ItemFamily>(
        &self,
        params: &mut I::Params,
        bound: &QuestionBinding,
    ) -> Result<(SavedQuestion, Option<Value>), Denial> {
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
        if responses.as_ref().is_some_and(|given| given.is_empty()) {
            *responses = None;
        }
        Ok((self.take(&nonce).await?, answer))
    }

    /// Returns a hash of what the server receives, which nobody outside can foresee.
    pub(super) fn hash_of<I: ItemFamily>(&self, params: &mut I::Params) -> u64 {
        let content = I::content(params);
        let responses = I::retry(params).and_then(|(responses, _)| responses.as_ref());
        self.hasher.hash_one((content, responses))
    }
}

fn unknown(name: &str) -> Denial {
    Denial::by_chain("unknown_item", format!("there is no `{name}`"))
}

enum ChainEnd {
    Ran(Ran),
    Stop(StoppedRequest),
}

/// Why a request does not simply go on.
pub(super) enum StoppedRequest {
    /// A user was asked while the request waited.
    Waited,
    /// The client has to ask its user.
    Asks(Box<McpResponse>),
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

pub(super) fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, Denial> {
    serde_json::from_value(value).map_err(|error| {
        tracing::error!(
            target: "hooks_sdk::server",
            %error, "a request that waited for its user cannot be read"
        );
        no_state()
    })
}

pub(super) fn no_state() -> Denial {
    Denial::by_chain(
        "elicitation_state",
        "the user's answer does not belong to this request; call again without `requestState`",
    )
}
