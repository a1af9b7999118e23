//! Refusals and questions in the words of the client: the names that list hooks gave to tools, prompts and resources.

use std::sync::Arc;

use rmcp::{
    ErrorData,
    model::{CallToolResponse, CallToolResult, ContentBlock},
};
use serde_json::Value;

use super::{
    built::{Built, RequestPolicy},
    lists::Lists,
};
use crate::server::pipeline::{
    McpResponse, Middleware, MiddlewareId, OptionalTraits, Pipeline, RequestState, TaskResults,
    Work,
};
use hooks_plugin::{ListOf, Question};

/// The longest text in which names are replaced, in bytes. Refusals are shorter.
const LONGEST: usize = 64 * 1024;

/// Puts the names that clients see into every refusal, whichever middleware refused. The author's own answers stay as they are.
#[derive(Debug)]
pub(in crate::server) struct WordsMiddleware(pub(in crate::server) Arc<Built>);

impl WordsMiddleware {
    fn put(
        &self,
        call: &mut RequestState,
        answer: &mut Result<McpResponse, ErrorData>,
        pipeline: &Pipeline,
    ) {
        // An own kind first: a prompt may have the name of a tool.
        let of = match call.tool {
            Some(_) => ListOf::Tools,
            None => ListOf::Prompts,
        };
        if !call.reached || call.refused.is_some() {
            let began = call.extensions.get::<RequestPolicy>();
            let lists = began.map(|began| began.lists.clone());
            let lists = lists.unwrap_or_else(|| self.0.lists());
            lists.in_words_of_clients(answer, of, pipeline);
        }
    }
}

impl Middleware for WordsMiddleware {
    fn id(&self) -> MiddlewareId {
        MiddlewareId::Words
    }

    fn optional(self: Arc<Self>) -> OptionalTraits {
        OptionalTraits {
            task_results: Some(self),
            ..OptionalTraits::default()
        }
    }

    fn after<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        pipeline: &'a Pipeline,
    ) -> Work<'a, ()> {
        self.put(call, answer, pipeline);
        Work::Now(())
    }
}

impl TaskResults for WordsMiddleware {
    fn late<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        pipeline: &'a Pipeline,
    ) -> Work<'a, ()> {
        self.put(call, answer, pipeline);
        Work::Now(())
    }
}

/// Replaces names in texts.
struct Words<'w> {
    lists: &'w Lists,
    /// The kinds of items, in the order in which a name is looked up.
    kinds: [ListOf; 3],
    pipeline: &'w Pipeline,
}

impl Lists {
    fn words<'w>(&'w self, of: ListOf, pipeline: &'w Pipeline) -> Words<'w> {
        let kinds = match of {
            ListOf::Tools => [ListOf::Tools, ListOf::Prompts, ListOf::Resources],
            _ => [ListOf::Prompts, ListOf::Resources, ListOf::Tools],
        };
        Words {
            lists: self,
            kinds,
            pipeline,
        }
    }

    /// Replaces the author's names by those that clients know, in a refusal of a request for an item of this kind.
    fn in_words_of_clients(
        &self,
        answer: &mut Result<McpResponse, ErrorData>,
        of: ListOf,
        pipeline: &Pipeline,
    ) {
        let words = self.words(of, pipeline);
        match answer {
            Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => words.result(result),
            Ok(_) => {}
            Err(error) => {
                if let Some(text) = words.text(&error.message) {
                    error.message = text.into();
                }
                if let Some(data) = &mut error.data {
                    words.members(data);
                }
            }
        }
    }

    /// Replaces the author's names by those that clients know, in what the user reads.
    pub(super) fn question_in_words(
        &self,
        question: &mut Question,
        of: ListOf,
        pipeline: &Pipeline,
    ) {
        if let Some(text) = self.words(of, pipeline).text(&question.message) {
            question.message = text;
        }
    }
}

impl Words<'_> {
    fn result(&self, result: &mut CallToolResult) {
        if result.is_error != Some(true) {
            return;
        }
        for block in &mut result.content {
            if let ContentBlock::Text(block) = block
                && let Some(text) = self.text(&block.text)
            {
                block.text = text;
            }
        }
        for member in result.meta.iter_mut().flat_map(|meta| meta.values_mut()) {
            self.members(member);
        }
    }

    /// Replaces names in the texts of a violation.
    fn members(&self, violation: &mut Value) {
        for text in violation.as_object_mut().into_iter().flatten() {
            if let (_, Value::String(text)) = text
                && let Some(now) = self.text(text)
            {
                *text = now;
            }
        }
    }

    /// Returns the text with the names that clients know, if that is another text. A name is a word in quotes.
    fn text(&self, text: &str) -> Option<String> {
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
            if let Some(name) = self.renamed(word) {
                changed.push_str(&text[from..start]);
                changed.push_str(&name);
                from = start + length;
            }
        }
        (from > 0).then(|| changed + &text[from..])
    }

    /// Returns the name that clients know, if list hooks give the author's item another one.
    fn renamed(&self, own: &str) -> Option<String> {
        let known = |of: &ListOf| Some((*of, self.lists.definition(*of, own, self.pipeline)?));
        let shown = match self.kinds.iter().find_map(known) {
            Some((of, members)) => self.lists.hooked(of, &members)?.key().to_owned(),
            // A template may yield the resource.
            None if own.contains(':') => self.lists.shown_resource(own)?,
            None => return None,
        };
        (shown != own).then_some(shown)
    }
}
