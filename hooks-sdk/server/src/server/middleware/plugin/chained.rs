//! A request on its way through the chain, as the middleware keeps it until the answer.

use std::{any::Any, sync::Arc};

use rmcp::{ErrorData, RoleServer, service::RequestContext};
use serde_json::Value;

use super::{
    built::RequestPolicy,
    http::OuterContexts,
    item::{ItemFamily, json},
    lists::Lists,
    post::TaskEndHooks,
    state::QuestionBinding,
};
use crate::server::{
    methods::Points,
    pipeline::{McpResponse, RequestState},
};
use hooks_plugin::{Chain, Contexts, ElicitationResponse, ListOf, Pending, PluginPoint};

/// What the policy keeps for a request.
#[derive(Default)]
pub(in crate::server) struct PluginRequest {
    /// The policy with which the request began, if it may change.
    pub(super) policy: Option<RequestPolicy>,
    /// The request on its way through the chain.
    pub(super) chained: Option<Box<ChainedRequest>>,
    /// The mark on a call that no hook concerns.
    pub(super) passed_by: Option<PassedBy>,
    /// For a page of the tools that were not compared with the hooks yet: whether it is the first one.
    pub(super) page: Option<bool>,
    /// The hooks that run after the end of a task.
    pub(super) task_end: Option<Box<TaskEndHooks>>,
}

impl PluginRequest {
    /// Drops what a late result does not need, when the call is kept for the result of its task. Returns how many bytes remain
    /// that a client or a hook chose.
    pub(in crate::server) fn lighten(&mut self) -> usize {
        let weight = |running: &ChainedRequest| {
            json(&running.contexts.carried()).to_string().len() + running.name.len()
        };
        let running = self.chained.as_deref_mut();
        if let Some(running) = running.filter(|running| running.points == Points::Tool) {
            // A late result asks nobody.
            running.asker = None;
            return weight(running);
        }
        match &self.passed_by {
            Some(PassedBy::Kept(running)) => weight(running),
            Some(PassedBy::WithoutTask) => {
                // There is a task all the same. Without the mark, nobody gets its result unseen.
                self.passed_by = None;
                0
            }
            Some(PassedBy::ForGood) | None => 0,
        }
    }
}

/// A request on its way through the chain, as the middleware keeps it until the answer.
pub(super) struct ChainedRequest {
    /// The points that the request passes.
    pub(super) points: Points,
    /// The list in which the item stands.
    pub(super) list: ListOf,
    pub(super) chain: Arc<Chain>,
    pub(super) lists: Lists,
    pub(super) contexts: Contexts,
    /// The contexts of the HTTP request, if hooks stand at the points of HTTP.
    pub(super) outer: Option<OuterContexts>,
    pub(super) server: Arc<dyn Any + Send + Sync>,
    /// The name of the item as the server receives it.
    pub(super) name: String,
    /// The argument that is completed.
    pub(super) argument: String,
    /// What a hook after the server needs to ask.
    pub(super) asker: Option<Asker>,
    /// The question of a hook after the server, the user's answer, and the payload, on a retry.
    pub(super) resumed: Option<(Pending, ElicitationResponse, Value)>,
    /// A hash of what the chain let through, if a middleware behind the chain may change it.
    pub(super) passed: Option<u64>,
    /// The hooks that run after the request, and those that run after its answer, by their index in the chain.
    pub(super) later: Vec<usize>,
    pub(super) later_after: Vec<usize>,
    /// Whether the hooks that run after the answer have seen the end of the call's task.
    pub(super) has_told_end: bool,
}

/// What is needed to ask the user after the server has answered.
pub(super) struct Asker {
    pub(super) cx: RequestContext<RoleServer>,
    pub(super) bound: Option<QuestionBinding>,
    /// The payload before the server.
    pub(super) before: Value,
}

impl ChainedRequest {
    /// Returns the request that the chain let go on, as the call keeps it for the rest of its way.
    pub(super) fn of(call: &mut RequestState) -> Option<&mut ChainedRequest> {
        call.plugin.chained.as_deref_mut()
    }

    /// Takes the request out of the call, for work that needs the call as well.
    pub(super) fn take_from(call: &mut RequestState) -> Option<Box<ChainedRequest>> {
        call.plugin.chained.take()
    }

    /// Keeps the request in the call, for the middleware behind and for the result of its task.
    pub(super) fn keep_in(self: Box<Self>, call: &mut RequestState) {
        call.plugin.chained = Some(self);
    }

    /// Returns the policy that holds for the request.
    pub(super) fn policy(&self) -> RequestPolicy {
        RequestPolicy {
            chain: self.chain.clone(),
            lists: self.lists.clone(),
        }
    }

    /// Lets another version of the policy hold for the rest of the request. Returns whether it is another one.
    pub(super) fn go_by(&mut self, policy: RequestPolicy) -> bool {
        let is_other = !Arc::ptr_eq(&self.chain, &policy.chain);
        (self.chain, self.lists) = (policy.chain, policy.lists);
        is_other
    }

    /// Returns whether the chain has to see an answer of the author's server.
    pub(super) fn sees<I: ItemFamily>(&self, answer: &mut Result<McpResponse, ErrorData>) -> bool {
        self.resumed.is_some()
            || self.chain.concerns(I::Post::AT, &self.name)
            || self.asker.is_some() && I::own_question(answer).is_some()
    }
}

/// The mark on a call that no hook concerns.
pub(super) enum PassedBy {
    /// The hooks do not change while the server runs.
    ForGood,
    /// The hooks may change, and the client can get no task whose result comes after the change.
    WithoutTask,
    /// The hooks may change before the call's task ends. They need the request then.
    Kept(Box<ChainedRequest>),
}
