//! The guardian's part in requests.

use std::{collections::HashMap, pin::pin};

use futures::future::{Either, select};
use rmcp::{ErrorData, RoleServer, ServerHandler, service::RequestContext};

use super::{
    context::{PrincipalLookup, guarded},
    refusal::{StepRefusal, code_in, withheld},
    request::Retrieval,
    resource::read,
};
use crate::server::{
    Collected, Hooked,
    pipeline::{
        Author, AuthorRequest, Flow, McpRequest, McpResponse, Pipeline, RequestState, Work,
    },
};
use hooks_aos::{
    Agent, AosAt, GuardedCall, GuardianClient, Posture, SaysOnFailure, ToolStep, ToolStepKind,
    internal::problems_of,
};
use hooks_core::{BuildError, BuildErrors, Registry, internal::debugs};

/// A server's guardian, and what its tools do besides. It asks the guardian, and obeys it.
pub(in crate::server) struct Guarded {
    pub(super) client: GuardianClient,
    principal: Option<PrincipalLookup>,
    /// The steps of memory and of knowledge that tools are, by tool.
    pub(super) steps: HashMap<Box<str>, Vec<ToolStep>>,
}

/// What the guardian's part keeps for a request.
#[derive(Default)]
pub(in crate::server) enum GuardedRequest {
    #[default]
    Unasked,
    /// A call that the guardian let pass.
    Passed(Box<Passed>),
    /// A reading of a resource that has yet to be asked about.
    Reading(Box<GuardedCall>),
    /// A reading of a resource that was asked about.
    #[cfg(feature = "log")]
    Read(Box<GuardedCall>),
    /// A request for the result of a task.
    Fetching(Box<GuardedCall>),
}

impl GuardedRequest {
    /// Returns whether a step of the request went on without a decision.
    #[cfg(feature = "log")]
    fn was_bypassed(&self) -> bool {
        let step = match self {
            GuardedRequest::Passed(passed) => &passed.call,
            GuardedRequest::Read(step) => step,
            GuardedRequest::Unasked | GuardedRequest::Reading(_) | GuardedRequest::Fetching(_) => {
                return false;
            }
        };
        step.step().was_bypassed()
    }
}

/// A call that the guardian let pass, as the middleware keeps it until the answer.
pub(in crate::server) struct Passed {
    pub(super) call: GuardedCall,
    pub(super) tool: Box<str>,
    pub(super) retrieves: Vec<Retrieval>,
}

impl Passed {
    /// A call of which nothing is known but that a task came of it.
    pub(super) fn unknown(call: GuardedCall) -> Passed {
        Passed {
            call,
            tool: Box::default(),
            retrieves: Vec::new(),
        }
    }
}

impl Passed {
    /// Returns the same call after its answer: the turn of the request is over.
    fn ended(mut self) -> Passed {
        self.call = self.call.ended();
        self
    }
}

impl Guarded {
    /// Returns the guardian's part of a server.
    ///
    /// # Errors
    ///
    /// Returns every setting of the client that does not fit, and every annotated tool with a wrong path.
    pub(in crate::server) fn build(
        client: &GuardianClient,
        principal: Option<PrincipalLookup>,
        registry: &Registry,
        author: &dyn Author,
    ) -> Result<Guarded, BuildErrors> {
        let client = completed(client, author);
        client.check()?;
        BuildErrors::check(unanswered(&client, registry, author))?;
        let mut steps = HashMap::<Box<str>, Vec<ToolStep>>::new();
        for (_, step) in registry.details::<ToolStep>() {
            steps
                .entry(step.tool().into())
                .or_default()
                .push(step.clone());
        }
        Ok(Guarded {
            client,
            principal,
            steps,
        })
    }

    async fn before_call(
        &self,
        request: &mut AuthorRequest,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Flow {
        let AuthorRequest { asked, cx } = request;
        let McpRequest::CallTool(params) = asked else {
            return Flow::On;
        };
        let step = self.guarded(cx, call);
        let asked = {
            let asking = pin!(self.before(&step, params, cx, pipeline));
            let cancelled = pin!(cx.ct.cancelled());
            match select(asking, cancelled).await {
                Either::Left((asked, _)) if !cx.ct.is_cancelled() => asked,
                _ => return Flow::answer(Err(StepRefusal::cancelled())),
            }
        };
        let passed = match asked {
            Ok(passed) => passed,
            Err(refusal) => {
                call.refused = Some(refusal.record());
                return Flow::answer(Ok(McpResponse::CallTool(refusal.result().into())));
            }
        };
        cx.extensions.insert(step);
        call.guardian = GuardedRequest::Passed(Box::new(passed));
        Flow::On
    }
}

/// Returns the client with what the server says of itself.
pub(super) fn completed(client: &GuardianClient, author: &dyn Author) -> GuardianClient {
    let mut client = client.clone();
    if let Ok(info) = author.info() {
        let (own, instructions) = (info.server_info, info.instructions);
        let url = own
            .website_url
            .or_else(|| client.its_provider_url().map(str::to_owned));
        if let Some(url) = url.filter(|_| !client.has_agent()) {
            let name = own.title.unwrap_or_else(|| own.name.clone());
            client = client.agent(Agent::new(own.name, &*name).provider(&*name, url));
        }
        client = client.for_server(instructions.as_deref(), &own.version);
    }
    client
}

impl Guarded {
    /// Returns the problems between the annotated tools and the author's server.
    pub(in crate::server) fn problems(&self, author: &dyn Author) -> Vec<BuildError> {
        let mut problems = Vec::new();
        for step in self.steps.values().flatten() {
            match author.tool(step.tool()) {
                Some(tool) => {
                    let output = tool.output_schema.as_deref();
                    problems.extend(problems_of(step, &tool.input_schema, output));
                }
                // A server may know its tools only when it lists them.
                None => tracing::warn!(
                    target: "hooks_sdk::server",
                    tool = step.tool(),
                    attribute = step.kind().as_str(),
                    "the server does not find the tool by name, so the paths of its attribute are not checked"
                ),
            }
        }
        problems
    }

    /// Asks about a call of a tool. A reading of a resource is asked about with its answer.
    pub(in crate::server) fn ask<'a>(
        &'a self,
        request: &'a mut AuthorRequest,
        call: &'a mut RequestState,
        pipeline: &'a Pipeline,
    ) -> Work<'a, Flow> {
        match &request.asked {
            McpRequest::CallTool(_) => {
                return Work::Later(Box::pin(self.before_call(request, call, pipeline)));
            }
            McpRequest::ReadResource(_) => {
                let step = self.guarded(&request.cx, call);
                request.cx.extensions.insert(step.clone());
                call.guardian = GuardedRequest::Reading(Box::new(step));
            }
            McpRequest::GetTask(_) => {
                let step = self.guarded(&request.cx, call);
                call.guardian = GuardedRequest::Fetching(Box::new(step));
            }
            _ => {}
        }
        Work::Now(Flow::On)
    }

    /// Asks about the answer of the author's server.
    pub(in crate::server) fn judge_answer<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        pipeline: &'a Pipeline,
    ) -> Work<'a, ()> {
        // An answer of a middleware is no answer of the server.
        if !call.reached {
            return Work::Now(());
        }
        match std::mem::take(&mut call.guardian) {
            GuardedRequest::Passed(passed) => Work::Later(Box::pin(async move {
                let before = code_in(answer);
                self.after(&passed, answer, pipeline).await;
                call.refused = withheld(before.as_deref(), answer).or(call.refused.take());
                call.guardian = GuardedRequest::Passed(Box::new(passed.ended()));
            })),
            GuardedRequest::Reading(step) => Work::Later(Box::pin(async move {
                let before = code_in(answer);
                #[cfg(feature = "log")]
                if call.log.is_some() {
                    call.guardian = GuardedRequest::Read(step.clone());
                }
                read(&self.client, *step, answer).await;
                call.refused = withheld(before.as_deref(), answer).or(call.refused.take());
            })),
            other => {
                call.guardian = other;
                Work::Now(())
            }
        }
    }

    /// Notes in the line of a call that the guardian gave no decision.
    #[cfg(feature = "log")]
    pub(in crate::server) fn ended(call: &mut RequestState) {
        if let Some(log) = call.log.as_mut().filter(|log| log.is_call())
            && call.guardian.was_bypassed()
        {
            log.bypassed("guardian", "", "guardian_no_decision");
        }
    }

    /// Returns whether the guardian judges the contents of answers.
    pub(in crate::server) fn judges(&self) -> bool {
        self.client.asks_tool_results() || !self.steps.is_empty()
    }

    /// Asks about the result of a task.
    pub(in crate::server) fn judge_late<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        pipeline: &'a Pipeline,
    ) -> Work<'a, ()> {
        Work::Later(Box::pin(async move {
            let before = code_in(answer);
            #[cfg(feature = "log")]
            let was_bypassed = call.guardian.was_bypassed();
            self.late(call, answer, pipeline).await;
            call.refused = withheld(before.as_deref(), answer).or(call.refused.take());
            #[cfg(feature = "log")]
            if !was_bypassed
                && call.guardian.was_bypassed()
                && let Some(log) = &mut call.log
            {
                log.bypassed("guardian", "", "guardian_no_decision");
            }
        }))
    }
}

/// Returns a problem for each kind of step that the server takes and a guardian in the same process never decides about.
fn unanswered(
    client: &GuardianClient,
    registry: &Registry,
    author: &dyn Author,
) -> Vec<BuildError> {
    let asks = [
        (client.asks_tool_requests(), AosAt::ToolCallRequest),
        (client.asks_tool_results(), AosAt::ToolCallResult),
        (client.its_messages().is_some(), AosAt::Mcp),
    ];
    let mut points: Vec<AosAt> = asks.iter().filter(|ask| ask.0).map(|ask| ask.1).collect();
    let resources = author
        .info()
        .ok()
        .and_then(|info| info.capabilities.resources);
    points.extend(resources.map(|_| AosAt::KnowledgeRetrieval));
    points.extend(
        registry
            .details::<ToolStep>()
            .map(|(_, step)| match step.kind() {
                ToolStepKind::MemoryStore => AosAt::MemoryStore,
                ToolStepKind::MemoryRetrieval => AosAt::MemoryContextRetrieval,
                _ => AosAt::KnowledgeRetrieval,
            }),
    );
    points.sort_unstable();
    points.dedup();
    let mut problems = Vec::new();
    for at in client.unanswered(&points) {
        let at = at.as_str();
        match client.posture() {
            Posture::Deny => problems.push(BuildError::new(
                None,
                format!("the guardian has no hook at `{at}`, so every such step of the server would be denied"),
                format!("add a hook with `#[aos::hook({at})]`; it may allow every step"),
            )),
            Posture::Proceed => tracing::warn!(
                target: "hooks_sdk::server",
                "the guardian has no hook at `{at}`, so every such step goes on without a decision"
            ),
        }
    }
    problems
}

impl Guarded {
    fn guarded(&self, cx: &RequestContext<RoleServer>, call: &RequestState) -> GuardedCall {
        guarded(&self.client, self.principal.as_ref(), cx, call)
    }
}

debugs!(Guarded { client, steps });

impl<H: ServerHandler> Collected<H> {
    /// Asks a guardian about each call of a tool and each reading of a resource, and obeys it. All wrapped servers share
    /// the client.
    ///
    /// A client without an agent names the server, if the server's information has a `websiteUrl`.
    #[must_use]
    pub fn guardian(self, client: impl SaysOnFailure) -> Collected<H> {
        self.set(|settings| settings.guardian = Some(client.client()))
    }
}

impl<H: ServerHandler> Hooked<H> {
    /// Asks a guardian about each call of a tool and each reading of a resource, and obeys it.
    ///
    /// A client without an agent names the server, if the server's information has a `websiteUrl`.
    ///
    /// If the client does not fit the server, for example because it does not know which agent it guards,
    /// [`serve`](Hooked::serve) returns an error. If you serve the server in another way, it answers every request with
    /// an error that names the problem.
    #[must_use]
    pub fn guardian(self, client: impl SaysOnFailure) -> Hooked<H> {
        self.set(|settings| settings.guardian = Some(client.client()))
    }
}

#[cfg(feature = "http")]
impl crate::server::HookedService {
    /// Returns the client that [`guardian`](Hooked::guardian) has set, with the server as its agent.
    pub(crate) fn its_guardian(&self) -> Option<GuardianClient> {
        let guardian = self.pipeline().ok()?.parts().guardian.as_ref()?;
        Some(guardian.client.clone())
    }
}
