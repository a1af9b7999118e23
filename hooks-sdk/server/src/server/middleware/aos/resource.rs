//! The step after a resource was read.

use rmcp::{
    ErrorData,
    model::{ReadResourceResponse, ResourceContents},
};

use super::{copies::forget_of_resource, refusal::StepRefusal, unseen::Hidden};
use crate::server::pipeline::McpResponse;
use hooks_aos::{GuardedCall, GuardianClient, KnowledgeResult, KnowledgeStep, StepOutcome, point};

/// Asks about what was read, and replaces what must not leave.
pub(super) async fn read(
    client: &GuardianClient,
    call: GuardedCall,
    answer: &mut Result<McpResponse, ErrorData>,
) {
    let Ok(McpResponse::ReadResource(ReadResourceResponse::Complete(result))) = answer else {
        return;
    };
    let results = result.contents.iter().map(shown).collect();
    let step = call.step().later();
    let asked = step.ask(point::knowledge_retrieval, KnowledgeStep::new(results));
    let replaced = match asked.await {
        StepOutcome::Allowed | StepOutcome::Bypassed(_) => Ok(()),
        StepOutcome::Denied(denied) => Err(StepRefusal::of_answer(denied)),
        StepOutcome::Modified(step) => match replace(step, &mut result.contents) {
            Ok(is_changed) => {
                if is_changed {
                    forget_of_resource(result);
                }
                Ok(())
            }
            Err(wrong) => Err(StepRefusal::unusable("the resource", wrong)),
        },
    };
    match replaced {
        Ok(()) => withhold(&mut result.contents, client),
        Err(refusal) => *answer = Err(refusal.error()),
    }
}

/// Returns the content as the guardian sees it.
fn shown(content: &ResourceContents) -> KnowledgeResult {
    let (uri, mime_type, text) = match content {
        ResourceContents::TextResourceContents {
            uri,
            mime_type,
            text,
            ..
        } => (uri.as_str(), mime_type.as_ref(), text.clone()),
        ResourceContents::BlobResourceContents {
            uri,
            mime_type,
            blob,
            ..
        } => {
            let hidden = Hidden::blob(mime_type.as_ref(), blob);
            (uri.as_str(), mime_type.as_ref(), hidden.shown())
        }
        other => ("", None, Hidden::other(other).shown()),
    };
    let mut result = KnowledgeResult::new(uri, text);
    result.mime_type = mime_type.cloned();
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

/// Replaces each content that the guardian could not see, unless its kind may pass.
fn withhold(contents: &mut [ResourceContents], client: &GuardianClient) {
    for content in contents {
        let (uri, hidden) = match &*content {
            ResourceContents::TextResourceContents { .. } => continue,
            ResourceContents::BlobResourceContents {
                uri,
                mime_type,
                blob,
                ..
            } => (uri.clone(), Hidden::blob(mime_type.as_ref(), blob)),
            other => (String::new(), Hidden::other(other)),
        };
        if !hidden.passes(client) {
            *content = ResourceContents::text(hidden.withheld(), uri);
        }
    }
}
