//! The guardian's part in requests.

use std::{
    collections::{BTreeSet, HashMap},
    pin::pin,
};

use futures::future::{Either, select};
use rmcp::{ErrorData, ServerHandler, model::CallToolResponse};

use super::{context::guarded, resource::read, retrieval::Retrieval};
use crate::server::{
    Collected, Hooked,
    pipeline::{
        Author, AuthorRequest, Flow, McpAnswer, McpRequest, McpResponse, Pipeline, RequestState,
    },
    request::TextOfRequest,
};
use hooks_aos::{
    Agent, AosAt, GuardedCall, GuardianClient, HasPosture, Posture, ToolStep, ToolStepKind,
    internal::problems_of,
};
use hooks_core::{BuildError, BuildErrors, Registry};

/// A server's guardian, and what its tools do besides. It asks the guardian, and obeys it.
pub(crate) struct Guarded {
    pub(super) client: GuardianClient,
    principal: Option<TextOfRequest>,
    /// The steps of memory and of knowledge that tools are, by tool.
    pub(super) steps: HashMap<Box<str>, Vec<ToolStep>>,
}

/// What the guardian's part keeps for a request until its answer.
pub(crate) struct GuardedRequest {
    pub(super) call: GuardedCall,
    pub(super) of: GuardedItem,
    pub(super) retrieves: Vec<Retrieval>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GuardedItem {
    /// A call that the guardian let pass.
    Call,
    /// A reading of a resource. It is asked about with its answer.
    Reading,
    /// A request for the result of a task.
    Fetching,
}

impl Guarded {
    /// Returns the guardian's part of a server.
    /// Returns every setting of the client that does not fit, and every annotated tool with a wrong path.
    pub(crate) fn build(
        client: &GuardianClient,
        principal: Option<TextOfRequest>,
        registry: &Registry,
        author: &dyn Author,
    ) -> Result<Guarded, BuildErrors> {
        let client = completed(client, author);
        client.check()?;
        BuildErrors::check(unanswered(&client, registry, author))?;
        let mut steps = HashMap::<Box<str>, Vec<ToolStep>>::new();
        for (_, step) in registry.details::<ToolStep>() {
            let of_tool = steps.entry(step.tool().into()).or_default();
            of_tool.push(step.clone());
        }
        Ok(Guarded {
            client,
            principal,
            steps,
        })
    }

    /// Returns the problems between the annotated tools and the author's server.
    pub(crate) fn problems(&self, author: &dyn Author) -> Vec<BuildError> {
        let mut problems = Vec::new();
        for step in self.steps.values().flatten() {
            match author.tool(step.tool()) {
                Some(tool) => {
                    let output = tool.output_schema.as_deref();
                    problems.extend(problems_of(step, &tool.input_schema, output));
                }
                // A server may know its tools only when it lists them.
                None => warn!(
                    tool = step.tool(),
                    attribute = step.kind().as_str(),
                    "the server does not find the tool by name, so the paths of its attribute are not checked"
                ),
            }
        }
        problems
    }

    /// Asks about a call of a tool. A reading of a resource is asked about with its answer.
    pub(crate) async fn ask(
        &self,
        request: &mut AuthorRequest,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Flow {
        let AuthorRequest { asked, cx } = request;
        let of = match asked {
            McpRequest::CallTool(_) => GuardedItem::Call,
            McpRequest::ReadResource(_) => GuardedItem::Reading,
            McpRequest::GetTask(_) => GuardedItem::Fetching,
            _ => return Flow::On,
        };
        let mut guarded = Box::new(GuardedRequest {
            call: guarded(&self.client, self.principal.as_ref(), cx, call),
            of,
            retrieves: Vec::new(),
        });
        let McpRequest::CallTool(params) = asked else {
            if of == GuardedItem::Reading {
                cx.extensions.insert(guarded.call.clone());
            }
            call.guardian = Some(guarded);
            return Flow::On;
        };
        let asking = Box::pin(self.before(&guarded.call, params, cx, pipeline));
        let asked = match select(asking, pin!(cx.ct.cancelled())).await {
            Either::Left((asked, _)) if !cx.ct.is_cancelled() => asked,
            _ => {
                let message = "the client cancelled the request";
                return Flow::answer(Err(ErrorData::internal_error(message, None)));
            }
        };
        match asked {
            Ok(retrieves) => {
                cx.extensions.insert(guarded.call.clone());
                guarded.retrieves = retrieves;
                call.guardian = Some(guarded);
                Flow::On
            }
            Err(refusal) => {
                call.refused = Some(refusal.record("request"));
                Flow::answer(Ok(McpResponse::CallTool(refusal.result().into())))
            }
        }
    }

    /// Asks about the answer of the author's server.
    pub(crate) async fn judge_answer(
        &self,
        call: &mut RequestState,
        answer: &mut McpAnswer,
        pipeline: &Pipeline,
    ) {
        // An answer of a middleware is no answer of the server.
        if !call.reached {
            return;
        }
        let is_asked = |asked: &mut Box<GuardedRequest>| asked.of != GuardedItem::Fetching;
        let Some(mut asked) = call.guardian.take_if(is_asked) else {
            return;
        };
        let refused = match (asked.of, &mut *answer) {
            (GuardedItem::Reading, answer) => {
                Box::pin(read(&self.client, &asked.call, answer)).await
            }
            // An error, a question to the user and a task come here as results with their members as text.
            (_, Ok(McpResponse::CallTool(CallToolResponse::Complete(result)))) => {
                Box::pin(self.judge(&asked, call.tool(), result, pipeline)).await
            }
            _ => None,
        };
        call.refused = refused.or(call.refused.take());
        // The turn of the request is over.
        asked.call = asked.call.ended();
        call.guardian = Some(asked);
    }

    /// Asks about the result of a task.
    pub(crate) async fn judge_late(
        &self,
        call: &mut RequestState,
        answer: &mut McpAnswer,
        pipeline: &Pipeline,
    ) {
        #[cfg(feature = "log")]
        let was_bypassed = is_bypassed(call);
        let refused = self.late(call, answer, pipeline).await;
        call.refused = refused.or(call.refused.take());
        #[cfg(feature = "log")]
        if !was_bypassed
            && is_bypassed(call)
            && let Some(log) = &mut call.log
        {
            log.bypassed("guardian", "", "guardian_no_decision");
        }
    }

    /// Notes in the line of a call that the guardian gave no decision.
    #[cfg(feature = "log")]
    pub(crate) fn ended(call: &mut RequestState) {
        if is_bypassed(call)
            && let Some(log) = call.log.as_mut().filter(|log| log.is_call())
        {
            log.bypassed("guardian", "", "guardian_no_decision");
        }
    }

    /// Returns whether the guardian judges the contents of answers.
    pub(crate) fn judges(&self) -> bool {
        self.client.asks_tool_results() || !self.steps.is_empty()
    }
}

/// Returns whether a step of the request went on without a decision.
#[cfg(feature = "log")]
fn is_bypassed(call: &RequestState) -> bool {
    let asked = call.guardian.as_ref();
    asked.is_some_and(|asked| asked.call.step().was_bypassed())
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
        (
            author
                .info()
                .is_ok_and(|info| info.capabilities.resources.is_some()),
            AosAt::KnowledgeRetrieval,
        ),
    ];
    let asks = asks.into_iter().filter(|ask| ask.0).map(|ask| ask.1);
    let steps = registry.details::<ToolStep>();
    let steps = steps.map(|(_, step)| match step.kind() {
        ToolStepKind::MemoryStore => AosAt::MemoryStore,
        ToolStepKind::MemoryRetrieval => AosAt::MemoryContextRetrieval,
        _ => AosAt::KnowledgeRetrieval,
    });
    let points: BTreeSet<AosAt> = asks.chain(steps).collect();
    let points: Vec<AosAt> = points.into_iter().collect();
    let mut problems = Vec::new();
    for at in client.unanswered(&points) {
        let at = at.as_str();
        match client.posture() {
            Posture::Deny => problems.push(BuildError::new(
                None,
                format!("the guardian has no hook at `{at}`, so every such step of the server would be denied"),
                format!("add a hook with `#[aos::hook({at})]`; it may allow every step"),
            )),
            Posture::Proceed => warn!(
                "the guardian has no hook at `{at}`, so every such step goes on without a decision"
            ),
        }
    }
    problems
}

// Not by the macro of the common setters: a client without a posture would show the macro in the compiler's message.
impl<H: ServerHandler> Collected<H> {
    /// Asks a guardian about each call of a tool and each reading of a resource, and obeys it. All wrapped servers share
    /// the client.
    ///
    /// A client without an agent names the server, if the server's information has a `websiteUrl`.
    #[must_use]
    pub fn guardian(self, client: impl HasPosture) -> Collected<H> {
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
    pub fn guardian(self, client: impl HasPosture) -> Hooked<H> {
        self.set(|settings| settings.guardian = Some(client.client()))
    }
}

#[cfg(feature = "http")]
impl crate::server::HookedService {
    /// Returns the client that [`guardian`](crate::server::Hooked::guardian) has set, with the server as its agent.
    pub(crate) fn its_guardian(&self) -> Option<GuardianClient> {
        let guardian = self.pipeline().ok()?.parts.guardian.as_ref()?;
        Some(guardian.client.clone())
    }
}
