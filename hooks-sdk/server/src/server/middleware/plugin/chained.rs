//! What the policy keeps for a request: the request on its way through the chain, until its answer.

use std::{any::Any, sync::Arc};

use serde_json::Value;

use super::{
    active::PolicyVersion,
    item::{ItemFamily, json, own_question},
    outer::OuterContexts,
    state::QuestionBinding,
};
use crate::server::{McpContext, methods::Points, pipeline::McpAnswer};
use hooks_plugin::{
    Contexts, ElicitationResponse, ListOf, Pending, PluginPoint, Ran, internal::MetHooks,
};

/// What the policy keeps for a request.
#[derive(Default)]
pub(crate) struct PluginRequest {
    /// The policy with which the request began, or that of now once a user was asked.
    pub(super) policy: Option<Arc<PolicyVersion>>,
    /// The request on its way through the chain.
    pub(super) chained: Option<Box<ChainedRequest>>,
    /// The mark on a call that no hook concerns.
    pub(super) passed_by: Option<PassedBy>,
    /// For a page of the tools that were not compared with the hooks yet: whether it is the first one.
    pub(super) page: Option<bool>,
    /// The contexts of a fetch of a task's result, for the hooks that run after the end of the task.
    pub(super) task_end: Option<Box<Contexts>>,
}

impl PluginRequest {
    /// Drops what a late result does not need, when the call is kept for the result of its task. Returns how many bytes remain
    /// that a client or a hook chose.
    pub(crate) fn lighten(&mut self) -> usize {
        // There is a task all the same. Without the mark, nobody gets its result unseen.
        self.passed_by.take_if(|by| *by == PassedBy::WithoutTask);
        let running = self.chained.as_deref_mut();
        let Some(running) = running.filter(|running| running.points == Points::Tool) else {
            return 0;
        };
        // A late result asks nobody.
        running.asker = None;
        json(&running.contexts.carried()).to_string().len() + running.name.len()
    }

    /// Returns what each hook of the call did, in order, for the commands that say what would happen.
    #[cfg(feature = "cli")]
    pub(crate) fn dry_steps(&self) -> Vec<crate::server::dry::DryStep> {
        let running = self.chained.iter();
        let steps = running.flat_map(|running| &running.contexts.record().steps);
        let steps = steps.map(|step| {
            let reason = step.violation.as_ref().map(|violation| &violation.reason);
            crate::server::dry::DryStep {
                hook: step.hook.to_string(),
                point: step.point.as_str(),
                decision: step.decision.as_str(),
                why: step.note.as_ref().or(reason).cloned(),
            }
        });
        steps.collect()
    }
}

/// A request on its way through the chain, as the middleware keeps it until the answer.
pub(super) struct ChainedRequest {
    /// The points that the request passes.
    pub(super) points: Points,
    /// The list in which the item stands.
    pub(super) list: ListOf,
    /// The policy that holds for the rest of the request.
    pub(super) policy: Arc<PolicyVersion>,
    pub(super) contexts: Contexts,
    /// The contexts of the HTTP request, if hooks stand at the points of HTTP.
    pub(super) outer: Option<OuterContexts>,
    pub(super) server: Arc<dyn Any + Send + Sync>,
    /// The name of the item when the last pass of the chain began, as the server receives it.
    pub(super) name: String,
    /// Whether hooks must not choose another item any more.
    pub(super) is_renamed: bool,
    /// Whether a user was asked while the request waited.
    pub(super) has_waited: bool,
    /// The argument that is completed.
    pub(super) argument: String,
    /// What a question to the user needs, if a hook may ask one.
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

/// The parts of a request with which the user is asked about it.
pub(super) struct Asker {
    pub(super) cx: McpContext,
    /// To whom a `requestState` belongs, if the client retries.
    pub(super) bound: Option<QuestionBinding>,
    /// The payload before the server.
    pub(super) before: Value,
}

impl ChainedRequest {
    /// Runs the hooks of a point that are not done with the request.
    pub(super) async fn run<P: PluginPoint>(
        &mut self,
        done: &MetHooks,
        payload: &mut P::Payload,
    ) -> Ran {
        let (chain, contexts) = (&self.policy.chain, &mut self.contexts);
        chain.held::<P>(done, &self.server, payload, contexts).await
    }

    /// Goes on with the user's answer.
    pub(super) async fn resume<P: PluginPoint>(
        &mut self,
        pending: Pending,
        answer: ElicitationResponse,
        payload: &mut P::Payload,
    ) -> Ran {
        let (chain, contexts) = (&self.policy.chain, &mut self.contexts);
        chain
            .resume_held::<P>(&self.server, pending, answer, payload, contexts)
            .await
    }

    /// Returns whether the chain has to see an answer of the author's server.
    pub(super) fn sees<I: ItemFamily>(&self, answer: &mut McpAnswer) -> bool {
        self.resumed.is_some()
            || self.policy.chain.concerns(I::Post::AT, &self.name)
            || self.asker.is_some() && own_question(answer).is_some()
    }
}

/// The mark on a call that no hook concerns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PassedBy {
    /// The hooks do not change while the server runs.
    ForGood,
    /// The hooks may change, and the client can get no task whose result comes after the change.
    WithoutTask,
    /// The hooks may change before the call's task ends. The request is kept for them.
    ForNow,
}
