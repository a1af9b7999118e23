//! What an agent retrieves and keeps: memory, and knowledge.

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
        query?: String,
        /// The words that were searched.
        keywords?: Vec<String>,
        /// The results of the query.
        results: Vec<KnowledgeResult>,

        /// Makes a step without a query.
        fn new(results: Vec<KnowledgeResult>);

        /// Sets what was asked for.
        fn query(query: impl Into<String>) => query;

        /// Sets the words that were searched.
        fn keywords(keywords: Vec<String>) => keywords;
    }

    /// One thing that was found.
    pub struct KnowledgeResult {
        /// Its id: of a resource, its URI.
        id: String,
        /// Its text.
        content: String,
        /// The media type of the text.
        mime_type?: String,
        metadata,

        /// Makes a result.
        fn new(id: impl Into<String>, content: impl Into<String>);

        /// Sets the media type of the text.
        fn mime_type(mime_type: impl Into<String>) => mime_type;
    }
}
