//! What an agent retrieves and keeps: memory, and knowledge.

use super::object::objects;
use hooks_core::internal::setters;

/// Texts that are about to be kept, or to be remembered. Data travels as its JSON text.
///
/// ```
/// use hooks_sdk::aos::wire::Memory;
///
/// let memory = Memory::new(["The parser is in `lines.rs`."]);
/// assert_eq!(memory.memory.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// The texts.
    pub memory: Vec<String>,
}

impl Memory {
    /// Makes memory of texts.
    pub fn new<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Memory {
        Memory {
            memory: texts.into_iter().map(Into::into).collect(),
        }
    }
}

objects! {
    /// The results that an agent retrieved from a source of knowledge.
    pub struct KnowledgeStep {
        /// The query.
        pub query?: String,
        /// The words that were searched.
        pub keywords?: Vec<String>,
        /// The results of the query.
        pub results: Vec<KnowledgeResult>,
    }

    /// Makes a step without a query.
    pub fn new(results: Vec<KnowledgeResult>);

    /// One thing that was found.
    pub struct KnowledgeResult {
        /// Its id: of a resource, its URI.
        pub id: String,
        /// Its text.
        pub content: String,
        /// The media type of the text.
        pub mime_type?: String,
        pub metadata,
    }

    /// Makes a result.
    pub fn new(id: impl Into<String>, content: impl Into<String>);
}

impl KnowledgeStep {
    setters! {
        /// Sets what was asked for.
        fn query(mut self, query: impl Into<String>) { self.query = Some(query.into()) }

        /// Sets the words that were searched.
        fn keywords(mut self, keywords: Vec<String>) { self.keywords = Some(keywords) }
    }
}

impl KnowledgeResult {
    setters! {
        /// Sets the media type of the text.
        fn mime_type(mut self, mime_type: impl Into<String>) { self.mime_type = Some(mime_type.into()) }
    }
}
