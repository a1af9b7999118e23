//! Refusals in the words of the client: the names of tools that list hooks renamed.

use rmcp::{
    ErrorData,
    model::{CallToolResponse, CallToolResult, ContentBlock},
};
use serde_json::Value;

use super::lists::Lists;
use crate::{
    plugin::ListOf,
    server::way::{Answer, Way},
};

/// The longest text in which names are replaced, in bytes. Refusals are shorter.
const LONGEST: usize = 64 * 1024;

impl Lists {
    /// Replaces the author's names of tools by those that clients know, in a refusal of the SDK's own.
    pub(super) fn in_words_of_clients(&self, answer: &mut Result<Answer, ErrorData>, way: &Way) {
        if !self.concerns(ListOf::Tools) {
            return;
        }
        match answer {
            Ok(Answer::CallTool(CallToolResponse::Complete(result))) => self.result(result, way),
            Ok(_) => {}
            Err(error) => {
                if let Some(text) = self.text(&error.message, way) {
                    error.message = text.into();
                }
            }
        }
    }

    fn result(&self, result: &mut CallToolResult, way: &Way) {
        if result.is_error != Some(true) {
            return;
        }
        for block in &mut result.content {
            if let ContentBlock::Text(block) = block
                && let Some(text) = self.text(&block.text, way)
            {
                block.text = text;
            }
        }
        let members = result.meta.iter_mut().flat_map(|meta| meta.values_mut());
        for value in members.filter_map(Value::as_object_mut) {
            for text in value.values_mut() {
                if let Value::String(text) = text
                    && let Some(now) = self.text(text, way)
                {
                    *text = now;
                }
            }
        }
    }

    /// Returns the text with the names that clients know, if that is another text. A name is a word in quotes.
    fn text(&self, text: &str, way: &Way) -> Option<String> {
        if text.len() > LONGEST {
            return None;
        }
        let mut changed = String::new();
        let mut from = 0;
        let mut rest = text;
        while let Some(open) = rest.find(['`', '"']) {
            let start = text.len() - rest.len() + open + 1;
            let after = &text[start..];
            let quote = text[..start].chars().next_back()?;
            let Some(length) = after.find(quote) else {
                break;
            };
            let word = &after[..length];
            rest = &after[length + 1..];
            if word.contains(char::is_whitespace) {
                // The quote may close one word and not open the next.
                rest = after;
                continue;
            }
            if let Some(name) = self.renamed_tool(word, way) {
                changed.push_str(&text[from..start]);
                changed.push_str(&name);
                from = start + length;
            }
        }
        (from > 0).then(|| changed + &text[from..])
    }

    /// Returns the name that clients know, if list hooks give the author's tool another one.
    fn renamed_tool(&self, own: &str, way: &Way) -> Option<String> {
        let members = self.definition(ListOf::Tools, own, way)?;
        let shown = self.hooked(ListOf::Tools, &members)?;
        (shown.key() != own).then(|| shown.key().to_owned())
    }
}
