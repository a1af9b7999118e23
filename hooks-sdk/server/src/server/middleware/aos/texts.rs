//! The result of a tool as the texts that a guardian sees, and back.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde_json::Value;

use super::{
    copies::{forget, is_json_of},
    unseen::Hidden,
};
use hooks_aos::GuardianClient;
use hooks_core::internal::json_schema;

/// The texts of a result.
#[derive(Debug)]
pub(super) struct Texts {
    pub(super) all: Vec<String>,
    /// Whether the last text is the structured content, which no text block repeats.
    ends_structured: bool,
}

impl Texts {
    /// Reads the texts of a result: one of each block, and one of the structured content, unless a block repeats it.
    pub(super) fn of(result: &CallToolResult) -> Texts {
        let text = |block: &ContentBlock| match (block, Hidden::of(block)) {
            (_, Some(hidden)) => hidden.shown(),
            (ContentBlock::Text(text), None) => text.text.clone(),
            (_, None) => String::new(),
        };
        let mut all: Vec<String> = result.content.iter().map(text).collect();
        let structured = result.structured_content.as_ref();
        let alone = structured.filter(|structured| !is_repeated(structured, result));
        all.extend(alone.map(Value::to_string));
        Texts {
            all,
            ends_structured: alone.is_some(),
        }
    }

    /// Replaces the texts of the result. A block whose text is unchanged stays, without its `_meta`.
    ///
    /// The structured content becomes the text that is JSON and fits `schema`. Without a schema it is dropped.
    /// Returns what is wrong if the result needs structured content, and no text fits the schema.
    pub(super) fn replace(
        self,
        texts: Vec<String>,
        result: &mut CallToolResult,
        schema: Option<&JsonObject>,
    ) -> Result<(), String> {
        if texts == self.all {
            return Ok(());
        }
        let needs = result.structured_content.take().is_some() && result.is_error != Some(true);
        let same_number = texts.len() == self.all.len();
        let blocks = std::mem::take(&mut result.content);
        let mut old: Vec<_> = self.all.iter().zip(blocks.into_iter().map(Some)).collect();
        let block = |text: String| {
            let same = old
                .iter_mut()
                .find(|(old, block)| **old == text && block.is_some());
            let kept = same.and_then(|(_, block)| block.take());
            kept.unwrap_or_else(|| ContentBlock::text(text))
        };
        result.content = texts.into_iter().map(block).collect();
        forget(result);
        let Some(schema) = schema.filter(|_| needs) else {
            return Ok(());
        };
        let schema = Value::Object(schema.clone());
        let fitting = |block: &ContentBlock| {
            let value = serde_json::from_str(&block.as_text()?.text).ok()?;
            json_schema::validate(&schema, &value).ok().map(|()| value)
        };
        let texts = result.content.iter().enumerate().rev();
        let mut found = texts.filter_map(|(at, block)| Some((at, fitting(block)?)));
        let Some((at, structured)) = found.next() else {
            return Err("no text of it is JSON that fits the tool's `outputSchema`".to_owned());
        };
        drop(found);
        if self.ends_structured && same_number && at + 1 == result.content.len() {
            result.content.pop();
        }
        result.structured_content = Some(structured);
        Ok(())
    }
}

/// Replaces each content that the guardian could not see, unless its kind may pass.
pub(super) fn withhold(result: &mut CallToolResult, client: &GuardianClient) {
    for block in &mut result.content {
        if let Some(hidden) = Hidden::of(block).filter(|hidden| !hidden.passes(client)) {
            *block = ContentBlock::text(hidden.withheld());
        }
    }
}

fn is_repeated(structured: &Value, result: &CallToolResult) -> bool {
    let mut texts = result.content.iter().filter_map(ContentBlock::as_text);
    texts.any(|text| is_json_of(&text.text, structured))
}
