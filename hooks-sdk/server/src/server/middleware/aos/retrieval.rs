//! What a tool retrieved from memory or knowledge: asked about before the result itself.

use std::sync::Arc;

use rmcp::model::{CallToolResult, JsonObject};
use serde_json::Value;

use super::{
    copies::restructure,
    leaves::Leaves,
    refusal::{StepRefusal, changed},
    texts::Texts,
};
use hooks_aos::{GuardedCall, KnowledgeResult, KnowledgeStep, ToolStep, ToolStepKind};
use hooks_core::internal::{Path, Step};

/// What a tool retrieves, and what it was asked for.
pub(super) struct Retrieval {
    kind: ToolStepKind,
    /// The path to the content below `structuredContent`, or `None` for each text.
    content: Option<Vec<Step>>,
    query: Option<String>,
    keywords: Option<Vec<String>>,
}

impl Retrieval {
    pub(super) fn of(step: &ToolStep, arguments: Option<&JsonObject>) -> Retrieval {
        let arguments = arguments.map(|arguments| Value::Object(arguments.clone()));
        let arguments = arguments.unwrap_or_default();
        let at = |path: &Path| Leaves::read(&arguments, &path.steps);
        let query = step.its_query().map(at);
        let keywords = step.its_keywords().map(|path| {
            // A list stands for its items.
            let items: Vec<Step> = path.steps.iter().cloned().chain([Step::Every]).collect();
            let items = Leaves::read(&arguments, &items);
            let words = if items.is_list() { items } else { at(path) };
            words.texts
        });
        let content = step.its_content();
        Retrieval {
            kind: step.kind(),
            // The first step is `structuredContent`: start-up accepts no other.
            content: content.map(|path| path.steps.iter().skip(1).cloned().collect()),
            query: query.and_then(|query| query.texts.first().cloned()),
            keywords,
        }
    }

    /// Asks about what the tool retrieved, and writes a change into the result.
    /// Returns the refusal if the result must not leave.
    pub(super) async fn ask(
        &self,
        call: &GuardedCall,
        result: &mut CallToolResult,
        schema: impl Fn() -> Option<Arc<JsonObject>>,
    ) -> Result<(), StepRefusal> {
        let written = if let Some(path) = &self.content {
            let Some(structured) = &result.structured_content else {
                return Ok(());
            };
            let leaves = Leaves::read(structured, path);
            let place = |at: usize| leaves.places[at].trim_start_matches('/');
            let name = |at: usize| format!("structuredContent/{}", place(at));
            match self.asked(call, &leaves.texts, name).await? {
                Some(changed) => restructure(result, &leaves, changed, schema().as_deref()),
                None => Ok(()),
            }
        } else {
            let texts = Texts::of(result);
            let name = |at: usize| format!("content/{at}");
            match self.asked(call, &texts.all, name).await? {
                Some(changed) => texts.replace(changed, result, schema().as_deref()),
                None => Ok(()),
            }
        };
        written.map_err(|wrong| self.unusable(&wrong))
    }

    /// Asks about texts. Returns the changed ones, if the guardian changed any.
    async fn asked(
        &self,
        call: &GuardedCall,
        texts: &[String],
        name: impl Fn(usize) -> String,
    ) -> Result<Option<Vec<String>>, StepRefusal> {
        if texts.is_empty() {
            return Ok(None);
        }
        let changed = if self.kind == ToolStepKind::Knowledge {
            let named = texts.iter().enumerate();
            let results: Vec<_> = named
                .map(|(at, text)| KnowledgeResult::new(name(at), text))
                .collect();
            let mut step = KnowledgeStep::new(results);
            step.query.clone_from(&self.query);
            step.keywords.clone_from(&self.keywords);
            let outcome = call.knowledge(step).await;
            let step = changed(outcome, StepRefusal::of_answer)?;
            step.map(|step| self.known(step, (0..texts.len()).map(name).collect()))
                .transpose()?
        } else {
            let outcome = call.memory_context_retrieval(texts.to_vec()).await;
            changed(outcome, StepRefusal::of_answer)?.map(|memory| memory.memory)
        };
        Ok(changed.filter(|changed| changed != texts))
    }

    /// Returns the texts of the results that are left, in their order.
    fn known(&self, step: KnowledgeStep, ids: Vec<String>) -> Result<Vec<String>, StepRefusal> {
        if !step.results.iter().all(|result| ids.contains(&result.id)) {
            return Err(self.unusable("it has a result that the tool did not return"));
        }
        Ok(step
            .results
            .into_iter()
            .map(|result| result.content)
            .collect())
    }

    fn unusable(&self, wrong: &str) -> StepRefusal {
        let what = match self.kind {
            ToolStepKind::Knowledge => "the retrieved knowledge",
            _ => "the retrieved memory",
        };
        StepRefusal::unusable(what, wrong)
    }
}
