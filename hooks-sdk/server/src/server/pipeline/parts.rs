//! The parts of a server that take part in its requests. [`Pipeline`](super::Pipeline) has their order.

use std::sync::Arc;

use rmcp::model::{Prompt, Resource, ResourceTemplate, ServerCapabilities, Tool};

use super::{
    CallDeadline, MessageFilter, RequestState, Served, Viewer, served::served, tasks::Tasks,
};
#[cfg(feature = "guardian-local")]
use crate::server::middleware::aos::{Guarded, Serves};
#[cfg(feature = "log")]
use crate::server::middleware::log::LogMiddleware;
#[cfg(feature = "mcpl")]
use crate::server::middleware::mcpl::{MEMBERS_OF_A_CALL, Mcpl};
#[cfg(feature = "cli")]
use crate::server::middleware::offer::Offer;
#[cfg(feature = "policy-engine")]
use crate::server::middleware::plugin::Built;
#[cfg(feature = "guidance")]
use crate::server::middleware::{guidance::Guide, skills::SkillsMiddleware};
use crate::server::middleware::{lifecycle::Lifecycle, session::SessionGate};
use hooks_core::internal::catch_panic_now;

/// A middleware before the author's server, in the order in which a request passes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MiddlewareId {
    /// Writes a line before and after each call.
    Log,
    /// Decides about whole messages, at the transports. In the pipeline it only checks that a request has passed one.
    Messages,
    /// Refuses requests that name an item which a list hook hides.
    Lists,
    Gate,
    Plugin,
    Guardian,
    Mcpl,
    /// Checks the rules of plugins on what the guardian left.
    Recheck,
    /// Serves the program's own skills.
    Skills,
    Guidance,
    /// Answers other agents' questions about their steps.
    Serves,
    /// Answers in place of the author's server, for the commands that say what would happen. No other server has it.
    Dry,
}

impl MiddlewareId {
    /// Returns the word of the middleware in the decision log and in reports, if an error that it answers is a refusal.
    /// Others answer their own tools.
    pub(crate) fn refuses_as(self) -> Option<&'static str> {
        Some(match self {
            MiddlewareId::Gate => "session",
            MiddlewareId::Plugin | MiddlewareId::Recheck => "plugin",
            MiddlewareId::Lists => "lists",
            MiddlewareId::Guardian | MiddlewareId::Messages => "guardian",
            MiddlewareId::Mcpl => "mcpl",
            MiddlewareId::Log => "log",
            MiddlewareId::Skills
            | MiddlewareId::Guidance
            | MiddlewareId::Serves
            | MiddlewareId::Dry => return None,
        })
    }
}

/// An entry of a list, as a client may see it.
#[derive(Debug)]
pub(crate) enum ListEntry<'i> {
    /// A tool, with its data if a middleware serves it.
    Tool(&'i mut Tool, Option<&'i Served>),
    Prompt(&'i mut Prompt),
    Resource(&'i mut Resource),
    ResourceTemplate(&'i mut ResourceTemplate),
}

/// The clients that see an entry of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Visibility {
    /// Every client sees the same entry.
    ToAll,
    /// Only this client sees the entry in this form. The list must not be cached for others.
    ToThisClient,
    /// No client sees the entry.
    Hidden,
}

/// The middleware of a server.
#[derive(Default)]
pub(crate) struct Parts {
    #[cfg(feature = "log")]
    pub(crate) log: Option<LogMiddleware>,
    pub(crate) messages: Option<MessageFilter>,
    pub(crate) gate: Option<SessionGate>,
    #[cfg(feature = "policy-engine")]
    pub(crate) plugin: Option<Arc<Built>>,
    #[cfg(feature = "guardian-local")]
    pub(crate) guardian: Option<Guarded>,
    #[cfg(feature = "mcpl")]
    pub(crate) mcpl: Option<Mcpl>,
    #[cfg(feature = "guidance")]
    pub(crate) skills: Option<SkillsMiddleware>,
    #[cfg(feature = "guidance")]
    pub(crate) guidance: Option<Arc<Guide>>,
    #[cfg(feature = "guardian-local")]
    pub(crate) serves: Option<Serves>,
    #[cfg(feature = "cli")]
    pub(crate) dry: Option<Arc<crate::server::dry::Dry>>,
    pub(crate) lifecycle: Option<Lifecycle>,
    #[cfg(feature = "cli")]
    pub(crate) offer: Option<Arc<Offer>>,
    pub(crate) deadline: Option<CallDeadline>,
    /// Whether a request passes a middleware at all.
    pub(crate) is_passed: bool,
    /// The members that MCPL wants from the params of a call.
    pub(crate) members_of_a_call: &'static [&'static str],
    /// Whether a middleware judges the results of tasks.
    pub(crate) judges_tasks: bool,
    pub(super) served: Vec<Arc<Served>>,
    pub(super) tasks: Tasks,
}

impl Parts {
    /// Finds what the middleware serve and judge, once all are there.
    pub(crate) fn complete(mut self) -> Parts {
        self.served = served(&self);
        #[cfg(feature = "mcpl")]
        if self.mcpl.is_some() {
            self.members_of_a_call = MEMBERS_OF_A_CALL;
        }
        #[cfg(feature = "policy-engine")]
        if let Some(plugin) = &self.plugin {
            self.judges_tasks |= plugin.sees_answers();
        }
        #[cfg(feature = "guardian-local")]
        {
            self.judges_tasks |= self.guardian.is_some();
        }
        self
    }

    /// Returns whether a middleware judges the contents of the answer to this request, or of the result of its task.
    pub(super) fn judges(&self, call: &RequestState) -> bool {
        let judges: &[bool] = &[
            #[cfg(feature = "policy-engine")]
            (self.plugin.as_ref()).is_some_and(|plugin| plugin.judges(call)),
            #[cfg(feature = "guardian-local")]
            (self.guardian.as_ref()).is_some_and(Guarded::judges),
        ];
        judges.contains(&true)
    }

    /// Adds the capabilities that the tools, prompts and notifications of the middleware need.
    pub(super) fn declare(&self, capabilities: &mut ServerCapabilities) {
        if let Some(gate) = &self.gate {
            gate.declare(capabilities);
        }
        #[cfg(feature = "guidance")]
        if let Some(guidance) = &self.guidance {
            guidance.declare(capabilities);
        }
        #[cfg(feature = "guidance")]
        if let Some(skills) = &self.skills {
            skills.declare(capabilities);
        }
        #[cfg(feature = "policy-engine")]
        if let Some(policy) = &self.plugin {
            policy.declare(capabilities);
        }
    }

    /// Returns the resources that the middleware serve.
    pub(crate) fn resources(&self) -> &[Resource] {
        #[cfg(feature = "guidance")]
        return (self.skills.as_ref()).map_or(&[], |skills| &skills.listed);
        #[cfg(not(feature = "guidance"))]
        &[]
    }

    /// Lets the middleware change an entry of a list, and returns who sees it. The result depends on the entry and the client,
    /// never on the session. `get_tool` calls this as well, with no client.
    ///
    /// An entry stays hidden if a middleware fails.
    pub(super) fn show(&self, mut item: ListEntry<'_>, to: Option<&Viewer>) -> Visibility {
        let shown = catch_panic_now(|| {
            let most = Visibility::ToAll;
            if let Some(gate) = &self.gate {
                gate.show(&mut item, to);
            }
            #[cfg(feature = "policy-engine")]
            let most = match &self.plugin {
                Some(policy) => most.max(policy.show(&mut item)),
                None => most,
            };
            #[cfg(feature = "mcpl")]
            let most = match &self.mcpl {
                Some(mcpl) => most.max(mcpl.show_feature_set(&mut item, to)),
                None => most,
            };
            most
        });
        shown.unwrap_or(Visibility::Hidden)
    }

    /// Returns whether no client sees the resource. Nothing is sent about it.
    pub(crate) fn hides(&self, uri: &str) -> bool {
        #[cfg(feature = "policy-engine")]
        return (self.plugin.as_ref()).is_some_and(|policy| policy.hides(uri));
        #[cfg(not(feature = "policy-engine"))]
        false
    }
}
