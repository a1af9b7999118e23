//! `size_limit`: refuses answers that are too long for an agent's context, and warns before.

use std::io;

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::{
    CompletionResult, Outcome, PluginContext, PromptResult, ResourceResult, ToolResult,
};
use hooks_core::{HookError, Violation, internal::setters};

/// From this part of a limit on, an answer gets a warning, in percent.
const WARNING: usize = 80;

/// Refuses answers of tools, prompts, resources and completions that are too long, and warns from 80 % of a limit on.
///
/// ```yaml
/// kind: size_limit
/// config: { tokens: 25000, characters: 400000 }
/// ```
///
/// ```
/// use hooks_sdk::plugin::ready::SizeLimit;
///
/// let limit = SizeLimit::new().tokens(10_000);
/// ```
///
/// Without more the limit is 25,000 tokens. Characters are those of the answer as JSON, and tokens are estimated: four
/// characters of ASCII are one, and so is each other character. The warning is a text under
/// `hooks-sdk/size_limit` in the `_meta` of the result (the contents of a resource and a completion have none), under `size_limit` in the
/// chain's metadata, and a line in the log. The refusal has the code `answer_too_large`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SizeLimit {
    characters: Option<usize>,
    tokens: Option<usize>,
}

impl Default for SizeLimit {
    fn default() -> SizeLimit {
        SizeLimit {
            characters: None,
            tokens: Some(25_000),
        }
    }
}

impl SizeLimit {
    setters! {
        /// Sets the most characters.
        fn characters(mut self, most: usize) { self.characters = Some(most) }

        /// Sets the most tokens, as they are estimated.
        fn tokens(mut self, most: usize) { self.tokens = Some(most) }
    }

    /// The refusal of an answer that is too long, or the warning about one that nearly is.
    fn judge(&self, item: &str, answer: &Value) -> Result<Judged, HookError> {
        let mut size = Size::default();
        serde_json::to_writer(&mut size, answer)?;
        let tokens = size.ascii.div_ceil(4) + size.other;
        let measured = [
            (self.characters, size.ascii + size.other, "", "characters"),
            (self.tokens, tokens, "about ", "tokens"),
        ];
        let mut judged = Judged::Fits;
        for (limit, size, about, unit) in measured {
            let Some(limit) = limit else { continue };
            if size > limit {
                let mut violation = Violation::new(format!(
                    "the answer of `{item}` has {about}{size} {unit}, and {limit} are allowed"
                ))
                .code("answer_too_large");
                violation.description = "ask for less, such as a page or fewer fields".to_owned();
                return Ok(Judged::TooLarge(violation));
            }
            if size.saturating_mul(100) >= limit.saturating_mul(WARNING) {
                tracing::warn!(
                    target: "hooks_sdk::plugin",
                    item, size, limit, unit, "an answer is near its limit"
                );
                judged = Judged::Near(format!(
                    "the answer has {about}{size} {unit} of {limit}; ask for less the next time"
                ));
            }
        }
        Ok(judged)
    }

    fn check<T>(
        &self,
        item: &str,
        answer: &Value,
        warned: impl FnOnce(Value) -> Option<T>,
    ) -> Result<Outcome<T>, HookError> {
        Ok(match self.judge(item, answer)? {
            Judged::Fits => Outcome::allow(),
            Judged::TooLarge(violation) => Outcome::deny(violation),
            Judged::Near(warning) => {
                let mut outcome = Outcome::allow().with("size_limit", warning.clone());
                outcome.modified_payload = with_warning(answer, warning).and_then(warned);
                outcome
            }
        })
    }

    fn tool(&self, answer: &ToolResult, _: &PluginContext) -> Checked<ToolResult> {
        let name = answer.name.clone();
        self.check(&answer.name, &answer.result, |result| {
            Some(ToolResult { name, result })
        })
    }

    fn prompt(&self, answer: &PromptResult, _: &PluginContext) -> Checked<PromptResult> {
        let prompt_id = answer.prompt_id.clone();
        self.check(&answer.prompt_id, &answer.result, |result| {
            Some(PromptResult { prompt_id, result })
        })
    }

    fn resource(&self, answer: &ResourceResult, _: &PluginContext) -> Checked<ResourceResult> {
        self.check(&answer.uri, &answer.content, |_| None)
    }

    fn completion(
        &self,
        answer: &CompletionResult,
        _: &PluginContext,
    ) -> Checked<CompletionResult> {
        self.check(&answer.name, &answer.result, |_| None)
    }
}

type Checked<T> = Result<Outcome<T>, HookError>;

/// What a limit says of an answer.
enum Judged {
    Fits,
    Near(String),
    TooLarge(Violation),
}

/// The result with the warning in its `_meta`. The contents of a resource have none.
fn with_warning(result: &Value, warning: String) -> Option<Value> {
    let mut result = result.as_object()?.clone();
    let meta = result.entry("_meta").or_insert_with(|| json!({}));
    meta.as_object_mut()?
        .insert("hooks-sdk/size_limit".to_owned(), warning.into());
    Some(Value::Object(result))
}

/// Counts what is written.
#[derive(Default)]
struct Size {
    ascii: usize,
    other: usize,
}

impl io::Write for Size {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let ascii = bytes.iter().filter(|byte| byte.is_ascii()).count();
        let inner = bytes.iter().filter(|byte| **byte & 0xc0 == 0x80).count();
        self.ascii += ascii;
        self.other += bytes.len() - ascii - inner;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

ready!(SizeLimit = "size_limit", "Creates a limit of 25,000 tokens." {
    tool_post_invoke => SizeLimit::tool;
    prompt_post_fetch => SizeLimit::prompt;
    resource_post_fetch => SizeLimit::resource;
    completion_post_fetch => SizeLimit::completion;
});
