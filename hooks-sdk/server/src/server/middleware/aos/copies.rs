//! What a guardian's change leaves of an answer: no copy of the old text stays where the guardian did not look.

use rmcp::model::{
    Annotations, CallToolResult, ContentBlock, JsonObject, MetaObject, ReadResourceResult,
    ResourceContents,
};
use serde_json::Value;

use super::leaves::Leaves;
use crate::server::transport::marks::{LIFT, unmarked};
use hooks_core::internal::json_schema;

/// The member of a result's `_meta` with the state of an MCPL call, where the transport does not lift it.
const STATE: &str = "hooks-sdk/state";

/// The members of a result's `_meta` that the SDK itself has put there: the state of an MCPL call. What an author sends
/// under these names was removed when the answer arrived.
const OWN: [&str; 2] = [LIFT, STATE];

/// From this length on, a text is looked for inside of others. A shorter one occurs by chance.
const TELLING: usize = 8;

/// Returns the state of an MCPL call, which leaves with its result and comes back with a later call.
pub(super) fn state_of(result: &CallToolResult) -> Option<Value> {
    let meta = result.meta.as_ref()?;
    let lifted = || unmarked(meta.get(LIFT)?.clone())?.remove("state");
    meta.get(STATE).cloned().or_else(lifted)
}

/// Drops what the guardian did not see of a tool's result that it has changed. The SDK's own members stay.
pub(super) fn forget(result: &mut CallToolResult) {
    if let Some(meta) = &mut result.meta {
        meta.retain(|name, _| OWN.contains(&&**name));
    }
    result.meta.take_if(|meta| meta.is_empty());
    for block in &mut result.content {
        let (meta, annotations) = match block {
            ContentBlock::Text(block) => (&mut block.meta, &mut block.annotations),
            ContentBlock::Image(block) => (&mut block.meta, &mut block.annotations),
            ContentBlock::Audio(block) => (&mut block.meta, &mut block.annotations),
            ContentBlock::Resource(block) => {
                forget_contents(&mut block.resource);
                (&mut block.meta, &mut block.annotations)
            }
            ContentBlock::ResourceLink(block) => (&mut block.meta, &mut block.annotations),
            // A kind that this version does not know is withheld.
            _ => continue,
        };
        drop_words(meta, annotations);
    }
}

/// Drops what the guardian did not see of a resource that it has changed.
pub(super) fn forget_of_resource(result: &mut ReadResourceResult) {
    result.meta = None;
    result.contents.iter_mut().for_each(forget_contents);
}

fn forget_contents(contents: &mut ResourceContents) {
    match contents {
        ResourceContents::TextResourceContents { meta, .. }
        | ResourceContents::BlobResourceContents { meta, .. } => *meta = None,
        _ => {}
    }
}

fn drop_words(meta: &mut Option<MetaObject>, annotations: &mut Option<Annotations>) {
    *meta = None;
    // The one annotation that is a text of its own.
    if let Some(annotations) = annotations {
        annotations.last_modified = None;
    }
}

/// Writes changed texts into the structured content of a result. The text blocks that repeat it are written anew, and the
/// other text blocks go, because the old texts can be in them.
/// Returns what is wrong if the change does not fit its places or the schema, or if the structured content repeats an old
/// text elsewhere.
pub(super) fn restructure(
    result: &mut CallToolResult,
    leaves: &Leaves,
    texts: Vec<String>,
    schema: Option<&JsonObject>,
) -> Result<(), String> {
    let before = result.structured_content.clone().unwrap_or_default();
    let mut after = before.clone();
    leaves.write(&mut after, texts.clone())?;
    if let Some(schema) = schema {
        json_schema::validate(&Value::Object(schema.clone()), &after)?;
    }
    let mut rest = before.clone();
    leaves.clear(&mut rest);
    if leaves.changed(&texts).any(|old| repeats(&rest, old)) {
        return Err("`structuredContent` repeats the old text in another place".to_owned());
    }
    let written = after.to_string();
    result.content.retain_mut(|block| match block {
        ContentBlock::Text(text) if is_json_of(&text.text, &before) => {
            text.text.clone_from(&written);
            true
        }
        ContentBlock::Text(_) => false,
        _ => true,
    });
    if !result.content.iter().any(|block| block.as_text().is_some()) {
        result.content.insert(0, ContentBlock::text(written));
    }
    result.structured_content = Some(after);
    forget(result);
    Ok(())
}

fn repeats(value: &Value, old: &str) -> bool {
    let is = |text: &str| text == old || old.len() >= TELLING && text.contains(old);
    match value {
        Value::String(text) => is(text),
        Value::Array(items) => items.iter().any(|item| repeats(item, old)),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| is(name) || repeats(value, old)),
        _ => false,
    }
}

/// Returns whether a text is this value as JSON.
pub(super) fn is_json_of(text: &str, value: &Value) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|read| read == *value)
}

#[cfg(test)]
mod tests {
    use hooks_text::condition::{Tree, parse};
    use serde_json::json;

    use super::*;

    fn changed(structured: Value, path: &str, texts: &[&str]) -> Result<CallToolResult, String> {
        let Ok(Tree::Test(path, _)) = parse(&format!("result{path}")) else {
            panic!("{path}")
        };
        let mut result = CallToolResult::structured(structured);
        result.content.push(ContentBlock::text("found sk-secret"));
        result.meta = json!({"raw": "sk-secret", LIFT: {"state": 1}})
            .as_object()
            .cloned()
            .map(MetaObject);
        let document = result.structured_content.clone().unwrap_or_default();
        let leaves = Leaves::read(&document, &path.steps);
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        restructure(&mut result, &leaves, texts, None).map(|()| result)
    }

    #[test]
    fn a_change_of_structured_content_reaches_every_copy_and_keeps_the_state() {
        let notes = json!({"notes": ["sk-secret", "blue"], "count": 2});
        for texts in [&["***", "blue"][..], &["blue"]] {
            let result = changed(notes.clone(), ".notes[*]", texts).expect("a result");
            let sent = serde_json::to_string(&result).expect("JSON");
            assert!(!sent.contains("sk-secret"), "{sent}");
            assert!(sent.contains(r#""state":1"#), "{sent}");
            assert_eq!(result.content.len(), 1);
        }
    }

    #[test]
    fn structured_content_that_repeats_the_old_text_elsewhere_is_withheld() {
        for other in [
            json!("sk-secret"),
            json!(["it is sk-secret."]),
            json!({"sk-secret": 1}),
        ] {
            let notes = json!({"notes": ["sk-secret"], "other": other});
            let wrong = changed(notes, ".notes[*]", &["***"]).unwrap_err();
            assert!(wrong.contains("in another place"), "{wrong}");
        }
        // Short words occur by chance.
        let notes = json!({"notes": ["a"], "other": "at hand"});
        changed(notes, ".notes[*]", &["b"]).expect("a result");
    }
}
