//! The step after a resource was read.

use rmcp::model::{ReadResourceResponse, ReadResourceResult, ResourceContents};

use super::{
    copies::forget_of_resource,
    refusal::{StepRefusal, changed},
    unseen::Hidden,
};
use crate::server::pipeline::{McpAnswer, McpResponse, RefusalRecord};
use hooks_aos::{GuardedCall, GuardianClient, KnowledgeResult, KnowledgeStep, point};

/// Asks about what was read, and replaces what must not leave. Returns why the answer is withheld.
pub(super) async fn read(
    client: &GuardianClient,
    call: &GuardedCall,
    answer: &mut McpAnswer,
) -> Option<RefusalRecord> {
    let Ok(McpResponse::ReadResource(ReadResourceResponse::Complete(result))) = answer else {
        return None;
    };
    if let Err(refusal) = judge(call, result).await {
        let record = refusal.record("answer");
        *answer = Err(refusal.error());
        return Some(record);
    }
    for content in &mut result.contents {
        let hidden = Hidden::of_contents(content);
        if let Some(hidden) = hidden.filter(|hidden| !hidden.passes(client)) {
            *content = ResourceContents::text(hidden.withheld(), uri_of(content));
        }
    }
    None
}

async fn judge(call: &GuardedCall, result: &mut ReadResourceResult) -> Result<(), StepRefusal> {
    let results = result.contents.iter().map(shown).collect();
    let step = call.step().later();
    let asked = step.ask(point::knowledge_retrieval, KnowledgeStep::new(results));
    if let Some(step) = changed(asked.await, StepRefusal::of_answer)? {
        let replaced = replace(step, &mut result.contents);
        if replaced.map_err(|wrong| StepRefusal::unusable("the resource", wrong))? {
            forget_of_resource(result);
        }
    }
    Ok(())
}

fn uri_of(content: &ResourceContents) -> &str {
    match content {
        ResourceContents::TextResourceContents { uri, .. }
        | ResourceContents::BlobResourceContents { uri, .. } => uri,
        _ => "",
    }
}

/// Returns the content as the guardian sees it.
fn shown(content: &ResourceContents) -> KnowledgeResult {
    let text = match (content, Hidden::of_contents(content)) {
        (_, Some(hidden)) => hidden.shown(),
        (ResourceContents::TextResourceContents { text, .. }, None) => text.clone(),
        (_, None) => String::new(),
    };
    let mut result = KnowledgeResult::new(uri_of(content), text);
    if let ResourceContents::TextResourceContents { mime_type, .. }
    | ResourceContents::BlobResourceContents { mime_type, .. } = content
    {
        result.mime_type.clone_from(mime_type);
    }
    result
}

/// Replaces the contents. One that is unchanged stays, and one that the guardian left out goes. Returns whether anything is
/// other than before.
fn replace(
    step: KnowledgeStep,
    contents: &mut Vec<ResourceContents>,
) -> Result<bool, &'static str> {
    let mut is_changed = step.results.len() != contents.len();
    let mut old: Vec<_> = std::mem::take(contents)
        .into_iter()
        .map(|content| (shown(&content), Some(content)))
        .collect();
    for new in step.results {
        let mut same = old.iter_mut().filter(|(_, content)| content.is_some());
        let Some((shown, content)) = same.find(|(shown, _)| shown.id == new.id) else {
            return Err("it has a content with another URI");
        };
        let content = content.take();
        contents.extend(if shown.content == new.content {
            content
        } else {
            is_changed = true;
            let text = ResourceContents::text(new.content, new.id);
            let mime_type = new.mime_type.or(shown.mime_type.take());
            Some(match mime_type {
                Some(mime_type) => text.with_mime_type(mime_type),
                None => text,
            })
        });
    }
    Ok(is_changed)
}
