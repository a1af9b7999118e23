//! What a tool retrieved from memory or knowledge: asked about before the result itself.

use std::sync::Arc;

use rmcp::model::{CallToolResult, JsonObject};

use super::{
    copies::restructure, leaves::Leaves, refusal::StepRefusal, request::Retrieval, texts::Texts,
};
use hooks_aos::{GuardedCall, KnowledgeResult, KnowledgeStep, StepOutcome, ToolStepKind};

impl Retrieval {
    /// Asks about what the tool retrieved, and writes a change into the result.
    ///
    /// # Errors
    ///
    /// Returns the refusal if the result must not leave.
    pub(super) async fn ask(
        &self,
        call: &GuardedCall,
        result: &mut CallToolResult,
        schema: impl Fn() -> Option<Arc<JsonObject>>,
    ) -> Result<(), StepRefusal> {
        match &self.content {
            None => {
                let texts = Texts::of(result);
                let names = (0..texts.all.len()).map(|at| format!("content/{at}"));
                let Some(changed) = self.asked(call, &texts.all, names).await? else {
                    return Ok(());
                };
                let replaced = texts.replace(changed, result, schema().as_deref());
                replaced.map_err(|wrong| self.unusable(&wrong))
            }
            Some(path) => {
                let Some(structured) = &result.structured_content else {
                    return Ok(());
                };
                let leaves = Leaves::read(structured, path);
                let names = leaves
                    .places()
                    .map(|place| format!("structuredContent/{place}"));
                let Some(changed) = self.asked(call, leaves.texts(), names).await? else {
                    return Ok(());
                };
                let written = restructure(result, &leaves, changed, schema().as_deref());
                written.map_err(|wrong| self.unusable(&wrong))
            }
        }
    }

    /// Asks about texts. Returns the changed ones, if the guardian changed any.
    async fn asked(
        &self,
        call: &GuardedCall,
        texts: &[String],
        names: impl Iterator<Item = String>,
    ) -> Result<Option<Vec<String>>, StepRefusal> {
        if texts.is_empty() {
            return Ok(None);
        }
        let changed = if self.kind == ToolStepKind::Knowledge {
            let results: Vec<_> = names
                .zip(texts)
                .map(|(name, text)| KnowledgeResult::new(name, text))
                .collect();
            let ids: Vec<String> = results.iter().map(|result| result.id.clone()).collect();
            let mut step = KnowledgeStep::new(results);
            step.query.clone_from(&self.query);
            step.keywords.clone_from(&self.keywords);
            match call.knowledge(step).await {
                StepOutcome::Modified(step) => {
                    Some(known(step, &ids).map_err(|wrong| self.unusable(&wrong))?)
                }
                ruled => nothing(ruled)?,
            }
        } else {
            match call.memory_context_retrieval(texts.to_vec()).await {
                StepOutcome::Modified(memory) => Some(memory.memory),
                ruled => nothing(ruled)?,
            }
        };
        Ok(changed.filter(|changed| changed != texts))
    }

    fn unusable(&self, wrong: &str) -> StepRefusal {
        let what = match self.kind {
            ToolStepKind::Knowledge => "the retrieved knowledge",
            _ => "the retrieved memory",
        };
        StepRefusal::unusable(what, wrong)
    }
}

fn nothing<T>(ruled: StepOutcome<T>) -> Result<Option<Vec<String>>, StepRefusal> {
    match ruled {
        StepOutcome::Denied(denied) => Err(StepRefusal::of_answer(denied)),
        StepOutcome::Allowed | StepOutcome::Bypassed(_) | StepOutcome::Modified(_) => Ok(None),
    }
}

/// Returns the texts of the results that are left, in their order.
fn known(step: KnowledgeStep, ids: &[String]) -> Result<Vec<String>, String> {
    let text = |result: KnowledgeResult| {
        if ids.contains(&result.id) {
            Ok(result.content)
        } else {
            Err("it has a result that the tool did not return".to_owned())
        }
    };
    step.results.into_iter().map(text).collect()
}
