//! What a tool asks the guardian about while it runs.

use super::{GuardedStep, StepIds, StepOutcome};
use crate::{AosPoint, KnowledgeStep, Memory, point};

/// The call of a tool, or the reading of a resource, on a guarded server. The server puts it in the request's extensions.
///
/// A tool asks with it about steps that the server cannot see: what it stores in memory, or what it retrieves and does not
/// return. Each question is a step of its own in the turn of the call, and belongs to the same execution.
#[derive(Clone, Debug)]
pub struct GuardedCall(GuardedStep);

impl GuardedCall {
    #[doc(hidden)]
    pub fn new(step: GuardedStep) -> GuardedCall {
        GuardedCall(step)
    }

    /// Returns the ids of the call.
    pub fn ids(&self) -> &StepIds {
        self.0.ids()
    }

    /// Returns the same call at the present time.
    #[doc(hidden)]
    pub fn later(&self) -> GuardedCall {
        GuardedCall(self.0.later())
    }

    /// Returns the same call without the span of its turn, which ends with the request.
    #[doc(hidden)]
    pub fn ended(self) -> GuardedCall {
        GuardedCall(self.0.turn_span(tracing::Span::none()))
    }

    /// Returns the step of the call itself.
    #[doc(hidden)]
    pub fn step(&self) -> &GuardedStep {
        &self.0
    }

    /// Asks about a step.
    pub async fn ask<P: AosPoint>(&self, point: P, payload: P::Payload) -> StepOutcome<P::Payload> {
        self.0.next_step().ask(point, payload).await
    }

    /// Asks about texts before they are stored in memory.
    pub async fn memory_store(&self, texts: Vec<String>) -> StepOutcome<Memory> {
        self.ask(point::memory_store, Memory::new(texts)).await
    }

    /// Asks about texts of the memory before they reach the agent.
    pub async fn memory_context_retrieval(&self, texts: Vec<String>) -> StepOutcome<Memory> {
        self.ask(point::memory_context_retrieval, Memory::new(texts))
            .await
    }

    /// Asks about retrieved knowledge before it reaches the agent.
    pub async fn knowledge(&self, step: KnowledgeStep) -> StepOutcome<KnowledgeStep> {
        self.ask(point::knowledge_retrieval, step).await
    }
}
