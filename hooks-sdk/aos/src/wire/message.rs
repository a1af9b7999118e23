//! Messages: what a user, an agent or the system says.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{
    Part,
    present::{metadata, present, some, tagged, word},
};

word!(IsFile = "file");
word!(IsSite = "site");

/// A message and the sources that it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageStep {
    /// The message.
    pub message: StepMessage,
    /// The sources that the message rests on.
    pub citations: Option<Vec<Source>>,
}

impl MessageStep {
    /// Makes a step with a message that rests on no sources.
    pub fn new(message: StepMessage) -> MessageStep {
        MessageStep {
            message,
            citations: None,
        }
    }

    /// Makes the step of a text.
    pub fn text(id: impl Into<String>, role: StepRole, text: impl Into<String>) -> MessageStep {
        MessageStep::new(StepMessage::new(id, role, vec![Part::text(text)]))
    }

    /// Sets the sources that the message rests on.
    #[must_use]
    pub fn citations(mut self, citations: Vec<Source>) -> MessageStep {
        self.citations = Some(citations);
        self
    }
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StepMessage {
    /// The message's id.
    pub id: String,
    /// Who says it.
    pub role: StepRole,
    /// What it says: at least one part.
    #[serde(deserialize_with = "some")]
    pub content: Vec<Part>,
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

impl StepMessage {
    /// Makes a message.
    pub fn new(id: impl Into<String>, role: StepRole, content: Vec<Part>) -> StepMessage {
        StepMessage {
            id: id.into(),
            role,
            content,
            metadata: None,
            other: Map::new(),
        }
    }
}

/// Who says a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum StepRole {
    /// The user.
    User,
    /// The agent.
    Agent,
    /// The system.
    System,
}

/// A source that a message rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Source {
    /// A file.
    File(FileSource),
    /// A site.
    Site(SiteSource),
}

impl Source {
    /// Makes a source that is a file.
    pub fn file(id: impl Into<String>, name: impl Into<String>) -> Source {
        Source::File(FileSource {
            kind: IsFile::Word,
            id: id.into(),
            name: name.into(),
            url: None,
            other: Map::new(),
        })
    }

    /// Makes a source that is a site.
    pub fn site(url: impl Into<String>) -> Source {
        Source::Site(SiteSource {
            kind: IsSite::Word,
            url: url.into(),
            other: Map::new(),
        })
    }
}

// By hand: an untagged enum would not report what is wrong with a source.
impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Source, D::Error> {
        tagged(deserializer, |kind, source| {
            Ok(match kind {
                "file" => Source::File(FileSource::deserialize(source)?),
                "site" => Source::Site(SiteSource::deserialize(source)?),
                _ => return Ok(None),
            }
            .into())
        })
    }
}

/// A file that a message rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FileSource {
    kind: IsFile,
    /// The file's id.
    pub id: String,
    /// The file's name.
    pub name: String,
    /// Where the file is.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub url: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A site that a message rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SiteSource {
    kind: IsSite,
    /// Where the site is.
    pub url: String,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
