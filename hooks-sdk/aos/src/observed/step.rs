//! A step of an observed server, with its ids and what is said beside its payload.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use tracing::{Instrument, Span};

use super::{
    FailureClass, GuardianClient, MissingDecision, StepIds, StepOutcome, Unruled,
    client::GuardianTransport, ids::new_id, unaskable::check,
};
use crate::{
    A2aContext, AosPoint, Method, StepContext, User,
    trace::{Beside, StepTrace},
};
use hooks_core::internal::setters;
use hooks_core::{Timestamp, observe::TraceContext};

/// A step that a guardian is asked about, bound to a session, a turn and a step.
///
/// [`GuardianClient::at`] makes it. Its time is the one at which it was made; [`later`](GuardedStep::later) gives the same
/// step the present time.
#[derive(Clone, Debug)]
pub struct GuardedStep {
    pub(super) client: GuardianClient,
    pub(super) ids: Arc<StepIds>,
    context: Option<Arc<StepContext>>,
    pub(super) a2a_context: Option<Arc<A2aContext>>,
    pub(super) reasoning: Option<String>,
    trace_parent: Option<String>,
    tool: Option<Box<str>>,
    /// The id of the question about the call of the tool, for the span of its result. Empty unless somebody traces.
    request_id: Arc<OnceLock<Box<str>>>,
    turn: Span,
    /// Whether a step went on without a decision.
    pub(super) bypassed: Arc<AtomicBool>,
}

impl GuardedStep {
    pub(super) fn new(client: GuardianClient, ids: StepIds) -> GuardedStep {
        let context = client.settings.agent.as_ref().map(|agent| {
            let ids = [&ids.session_id, &ids.turn_id, &ids.step_id].map(String::as_str);
            let [session, turn, step] = ids;
            Arc::new(StepContext::new(Arc::clone(agent), session, turn, step))
        });
        GuardedStep {
            client,
            ids: Arc::new(ids),
            context,
            a2a_context: None,
            reasoning: None,
            trace_parent: None,
            tool: None,
            request_id: Arc::default(),
            turn: Span::none(),
            bypassed: Arc::default(),
        }
    }

    /// Returns whether this step, or another step of the same call, went on without a decision.
    #[doc(hidden)]
    pub fn was_bypassed(&self) -> bool {
        self.bypassed.load(Ordering::Relaxed)
    }

    /// Sets the span of the turn, below which the spans of its steps are.
    #[doc(hidden)]
    pub fn turn_span(mut self, turn: Span) -> GuardedStep {
        self.turn = turn;
        self
    }

    /// Sets the user for whom the step happens.
    #[must_use]
    pub fn user(self, user: User) -> GuardedStep {
        self.set(|context| context.user = Some(user))
    }

    setters! {
        /// Sets why the step is taken. The guardian sees it beside the payload.
        fn reasoning(mut self, reasoning: impl Into<String>) { self.reasoning = Some(reasoning.into()) }

        /// Sets the trace that the step belongs to, in the words of the W3C's `traceparent`. Over HTTP it is a header.
        fn trace_parent(mut self, trace_parent: impl Into<String>) { self.trace_parent = Some(trace_parent.into()) }

        /// Sets the tool whose result the step is about. Spans have its name, and the guardian does not get it here.
        fn tool(mut self, tool: impl Into<Box<str>>) { self.tool = Some(tool.into()) }

        /// Sets between which agents a message of A2A travels.
        fn a2a_context(mut self, context: impl Into<Arc<A2aContext>>) { self.a2a_context = Some(context.into()) }
    }

    /// Returns the same step at the present time, as for the result of a tool that was asked about before it ran.
    #[must_use]
    pub fn later(&self) -> GuardedStep {
        self.clone()
            .set(|context| context.timestamp = Timestamp::now().to_string())
    }

    /// Returns another step of the same turn, at the present time.
    #[must_use]
    pub fn next_step(&self) -> GuardedStep {
        let ids = self.ids.next_step();
        let mut next = self
            .later()
            .set(|context| context.step_id.clone_from(&ids.step_id));
        next.ids = Arc::new(ids);
        next.request_id = Arc::default();
        next
    }

    /// Returns the ids of the step.
    pub fn ids(&self) -> &StepIds {
        &self.ids
    }

    /// Returns what the guardian is told about where the step happens; `None` for a client without an agent.
    pub fn context(&self) -> Option<&StepContext> {
        self.context.as_deref()
    }

    /// Asks the guardian. The posture has already decided where the guardian does not.
    ///
    /// The role of a message is the one of the point: [`user_message`](crate::point::user_message) sends the role
    /// `user`, whatever the payload says.
    pub async fn ask<A: AosPoint>(
        &self,
        _point: A,
        mut payload: A::Payload,
    ) -> StepOutcome<A::Payload> {
        A::AT.set_role(&mut payload);
        let transport = &*self.client.transport;
        let is_remote = !matches!(transport, GuardianTransport::Local(_));
        let beside = Beside {
            context: self.context.as_deref(),
            tool: self.tool.as_deref(),
            reasoning: self.reasoning.as_deref(),
            turn: &self.turn,
        };
        let trace = StepTrace::of::<A>(&beside, &payload, is_remote);
        // A guardian in the same process needs no id, and then only a span has one.
        let id = match is_remote || !trace.span.is_disabled() {
            true => new_id(),
            false => String::new(),
        };
        trace.asked_as(&id, &self.request_id);
        let onward = trace.onward();
        let own = onward.as_ref().map(TraceContext::parent);
        let asking = self.question::<A>(id, payload, own.or(self.trace_parent.as_deref()));
        let decided = asking.instrument(trace.span.clone()).await;
        trace.ended(&decided, self.client.posture());
        self.rule::<A>(decided)
    }

    #[cfg_attr(
        not(feature = "guardian-client"),
        expect(unused_variables, reason = "a question over HTTP alone has an id")
    )]
    async fn question<A: AosPoint>(
        &self,
        id: String,
        payload: A::Payload,
        trace_parent: Option<&str>,
    ) -> Result<StepOutcome<A::Payload>, Unruled> {
        let most = self.client.settings.max_question;
        let size = check(&payload, self.reasoning.as_deref(), most)?;
        let decided = match (&*self.client.transport, &self.context) {
            (_, None) => Err(MissingDecision::new(
                FailureClass::Other,
                "the client was not told which agent it guards: set `.agent(…)`",
            )
            .into()),
            (GuardianTransport::Local(guardian), Some(context)) => self
                .ask_here::<A>(guardian, context, payload, trace_parent)
                .await
                .map_err(Unruled::from),
            #[cfg(feature = "guardian-client")]
            (GuardianTransport::Http(http), Some(context)) => {
                let (context, a2a_context) = self.beside(A::AT.method(), context);
                let asking = super::over_http::Question {
                    id,
                    context,
                    a2a_context,
                    reasoning: self.reasoning.as_deref(),
                    trace_parent,
                    settings: &self.client.settings,
                    about: super::http::About {
                        size,
                        posture: self.client.posture(),
                    },
                };
                asking.ask::<A>(http, payload).await
            }
        };
        decided.map_err(|unruled| unruled.of(size))
    }

    /// Returns the contexts that a question with this method has: the step's own for steps of the agent, none for messages
    /// of MCP, and that of A2A for messages of A2A.
    pub(super) fn beside(
        &self,
        method: Method,
        context: &Arc<StepContext>,
    ) -> (Option<Arc<StepContext>>, Option<Arc<A2aContext>>) {
        if method.is_native() {
            (Some(Arc::clone(context)), None)
        } else if matches!(method, Method::Mcp) {
            (None, None)
        } else {
            (None, self.a2a_context.clone())
        }
    }

    fn set(mut self, change: impl FnOnce(&mut StepContext)) -> GuardedStep {
        if let Some(context) = &mut self.context {
            change(Arc::make_mut(context));
        }
        self
    }
}
