//! The middleware of the guardian.

use std::{collections::HashMap, pin::pin, sync::Arc};

use futures::future::{Either, select};
use rmcp::{ErrorData, RoleServer, ServerHandler, service::RequestContext};

use super::{
    context::{PrincipalLookup, guarded},
    refusal::{StepRefusal, code_in, withheld},
    request::Retrieval,
    resource::read,
};
use crate::server::{
    Collected, Hooked, HookedService,
    connection::Interests,
    pipeline::{
        Author, AuthorRequest, Flow, Judges, McpRequest, McpResponse, Middleware, MiddlewareId,
        OptionalTraits, Pipeline, RequestState, TaskResults, Work,
    },
};
use hooks_aos::{
    Agent, AosAt, GuardedCall, GuardianClient, Posture, SaysOnFailure, ToolStep, ToolStepKind,
    internal::problems_of,
};
use hooks_core::{BuildError, BuildErrors, Registry, internal::debugs};

/// Asks the guardian, and obeys it.
#[derive(Debug)]
pub(in crate::server) struct AosMiddleware(Arc<Guarded>);

/// A server's guardian, and what its tools do besides.
pub(super) struct Guarded {
    pub(super) client: GuardianClient,
    principal: Option<PrincipalLookup>,
    /// The steps of memory and of knowledge that tools are, by tool.
    pub(super) steps: HashMap<Box<str>, Vec<ToolStep>>,
}

/// A call that the guardian let pass, as the middleware keeps it until the answer.
pub(super) struct Passed {
    pub(super) call: GuardedCall,
    pub(super) tool: Box<str>,
    pub(super) retrieves: Vec<Retrieval>,
}

/// A reading of a resource that was asked about.
#[cfg(feature = "log")]
struct AskedStep(GuardedCall);

/// A reading of a resource that has yet to be asked about.
struct PendingReading(GuardedCall);

/// A request for the result of a task.
pub(super) struct Fetching(pub(super) GuardedCall);

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

impl AosMiddleware {
    /// Returns the middleware of a guardian.
    ///
    /// # Errors
    ///
    /// Returns every setting of the client that does not fit, and every annotated tool with a wrong path.
    pub(in crate::server) fn build(
        client: &GuardianClient,
        principal: Option<PrincipalLookup>,
        registry: &Registry,
        author: &dyn Author,
    ) -> Result<AosMiddleware, BuildErrors> {
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
        Ok(AosMiddleware(Arc::new(Guarded {
            client,
            principal,
            steps,
        })))
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
        let step = self.0.guarded(cx, call);
        let asked = {
            let asking = pin!(self.0.before(&step, params, cx, pipeline));
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
        call.extensions.put(passed);
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

impl Middleware for AosMiddleware {
    fn id(&self) -> MiddlewareId {
        MiddlewareId::Guardian
    }

    fn optional(self: Arc<Self>) -> OptionalTraits {
        OptionalTraits {
            judge: Some(self.clone()),
            task_results: Some(self),
            ..OptionalTraits::default()
        }
    }

    fn validate(&self, author: &dyn Author) -> Vec<BuildError> {
        let mut problems = Vec::new();
        for step in self.0.steps.values().flatten() {
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

    fn interests(&self) -> Interests {
        Interests::CONNECTION | Interests::TASKS
    }

    fn before<'a>(
        &'a self,
        request: &'a mut AuthorRequest,
        call: &'a mut RequestState,
        pipeline: &'a Pipeline,
    ) -> Work<'a, Flow> {
        match &request.asked {
            McpRequest::CallTool(_) => {
                Work::Later(Box::pin(self.before_call(request, call, pipeline)))
            }
            McpRequest::ReadResource(_) => {
                let cx = &mut request.cx;
                let step = self.0.guarded(cx, call);
                cx.extensions.insert(step.clone());
                call.extensions.put(PendingReading(step));
                Work::Now(Flow::On)
            }
            McpRequest::GetTask(_) => {
                call.extensions
                    .put(Fetching(self.0.guarded(&request.cx, call)));
                Work::Now(Flow::On)
            }
            _ => Work::Now(Flow::On),
        }
    }

    fn after<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        pipeline: &'a Pipeline,
    ) -> Work<'a, ()> {
        // An answer of a middleware is no answer of the server.
        if !call.reached {
            return Work::Now(());
        }
        if let Some(passed) = call.extensions.take::<Passed>() {
            return Work::Later(Box::pin(async move {
                let before = code_in(answer);
                self.0.after(&passed, answer, pipeline).await;
                call.refused = withheld(before.as_deref(), answer).or(call.refused.take());
                call.extensions.put(passed.ended());
            }));
        }
        match call.extensions.take::<PendingReading>() {
            Some(PendingReading(step)) => Work::Later(Box::pin(async move {
                let before = code_in(answer);
                #[cfg(feature = "log")]
                if call.log.is_some() {
                    call.extensions.put(AskedStep(step.clone()));
                }
                read(&self.0.client, step, answer).await;
                call.refused = withheld(before.as_deref(), answer).or(call.refused.take());
            })),
            None => Work::Now(()),
        }
    }

    #[cfg(feature = "log")]
    fn ended(&self, call: &mut RequestState, _: &Result<McpResponse, ErrorData>) {
        if !call.log.as_ref().is_some_and(|log| log.is_call()) {
            return;
        }
        let step = match call.extensions.take::<Passed>() {
            Some(passed) => {
                let step = passed.call.clone();
                call.extensions.put(passed);
                Some(step)
            }
            None => call.extensions.take::<AskedStep>().map(|asked| asked.0),
        };
        if let (Some(log), Some(step)) = (&mut call.log, step)
            && step.step().was_bypassed()
        {
            log.bypassed("guardian", "", "guardian_no_decision");
        }
    }
}

impl Judges for AosMiddleware {
    fn judges(&self, _: &mut RequestState) -> bool {
        self.0.client.asks_tool_results() || !self.0.steps.is_empty()
    }
}

impl TaskResults for AosMiddleware {
    fn late<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        pipeline: &'a Pipeline,
    ) -> Work<'a, ()> {
        Work::Later(Box::pin(async move {
            let before = code_in(answer);
            #[cfg(feature = "log")]
            let was_bypassed = was_bypassed(call);
            self.0.late(call, answer, pipeline).await;
            call.refused = withheld(before.as_deref(), answer).or(call.refused.take());
            #[cfg(feature = "log")]
            if !was_bypassed
                && self::was_bypassed(call)
                && let Some(log) = &mut call.log
            {
                log.bypassed("guardian", "", "guardian_no_decision");
            }
        }))
    }
}

/// Returns whether a step of the task's call went on without a decision.
#[cfg(feature = "log")]
fn was_bypassed(call: &mut RequestState) -> bool {
    let passed = call.extensions.get::<Passed>();
    passed.is_some_and(|passed| passed.call.step().was_bypassed())
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
impl HookedService {
    /// Returns the client that [`guardian`](Hooked::guardian) has set, with the server as its agent.
    pub(crate) fn its_guardian(&self) -> Option<GuardianClient> {
        let middleware = self.pipeline().ok()?.stack().at(MiddlewareId::Guardian)?;
        let middleware = (&**middleware as &dyn std::any::Any).downcast_ref::<AosMiddleware>()?;
        Some(middleware.0.client.clone())
    }
}
