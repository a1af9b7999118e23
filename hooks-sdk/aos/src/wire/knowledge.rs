//! Knowledge: what was asked for, and what was found.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::present::{metadata, present};

/// What was retrieved from a source of knowledge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct KnowledgeStep {
    /// What was asked for.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub query: Option<String>,
    /// The words that were searched.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub keywords: Option<Vec<String>>,
    /// What was found.
    pub results: Vec<KnowledgeResult>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl KnowledgeStep {
    /// Makes a step without a query.
    pub fn new(results: Vec<KnowledgeResult>) -> KnowledgeStep {
        KnowledgeStep {
            query: None,
            keywords: None,
            results,
            other: Map::new(),
        }
    }

    /// Sets what was asked for.
    #[must_use]
    pub fn query(mut self, query: impl Into<String>) -> KnowledgeStep {
        self.query = Some(query.into());
        self
    }

    /// Sets the words that were searched.
    #[must_use]
    pub fn keywords(mut self, keywords: Vec<String>) -> KnowledgeStep {
        self.keywords = Some(keywords);
        self
    }
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct KnowledgeResult {
    /// Its id: of a resource, its URI.
    pub id: String,
    /// Its text.
    pub content: String,
    /// The media type of the text.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub mime_type: Option<String>,
    /// Further facts: an object, or `null`.
    #[serde(
        default,
        deserialize_with = "metadata",
        skip_serializing_if = "Option::is_none"
    )]
    pub metadata: Option<Option<Map<String, Value>>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl KnowledgeResult {
    /// Makes a result.
    pub fn new(id: impl Into<String>, content: impl Into<String>) -> KnowledgeResult {
        KnowledgeResult {
            id: id.into(),
            content: content.into(),
            mime_type: None,
            metadata: None,
            other: Map::new(),
        }
    }

    /// Sets the media type of the text.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> KnowledgeResult {
        self.mime_type = Some(mime_type.into());
        self
    }
}
