//! Messages: what a user, an agent or the system says, the parts of it, and its sources.

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::{Map, Value};

use super::present::{some, tagged, word};
use hooks_core::internal::setters;

word!(IsText = "text");
word!(IsData = "data");
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

    setters! {
        /// Sets the sources that the message rests on.
        fn citations(mut self, citations: Vec<Source>) { self.citations = Some(citations) }
    }
}

objects! {
    /// One message.
    pub struct StepMessage {
        /// The message's id.
        id: String,
        /// Who says it.
        role: StepRole,
        /// What it says: at least one part.
        #[serde(deserialize_with = "some")]
        content: Vec<Part>,
        metadata,

        /// Makes a message.
        fn new(id: impl Into<String>, role: StepRole, content: Vec<Part>);
    }

    /// Text.
    pub struct TextPart {
        private kind: IsText = IsText::Word,
        /// The text.
        text: String,
        metadata,

        /// Makes a part that is text.
        fn new(text: impl Into<String>);
    }

    /// Data: a JSON object.
    pub struct DataPart {
        private kind: IsData = IsData::Word,
        /// The object.
        data: Map<String, Value>,
        metadata,

        /// Makes a part that is data.
        fn new(data: Map<String, Value>);
    }

    /// A file.
    pub struct FilePart {
        private kind: IsFile = IsFile::Word,
        /// The file.
        #[serde(deserialize_with = "one_form")]
        file: FileContent,
        metadata,

        /// Makes a part that is a file.
        fn new(file: FileContent);
    }

    /// The content of a file: its bytes, or the URI where they are.
    pub struct FileContent {
        /// The file's name.
        name?: String,
        /// The media type of the file.
        mime_type?: String,
        /// The bytes, in base64. A file has either this or `uri`.
        bytes?: String,
        /// Where the bytes are.
        uri?: String,

        /// Makes a file from its bytes, in base64.
        fn bytes(bytes: impl Into<String>) { bytes: Some(bytes.into()) };

        /// Makes a file from where its bytes are.
        fn uri(uri: impl Into<String>) { uri: Some(uri.into()) };

        /// Sets the file's name.
        fn name(name: impl Into<String>) => name;

        /// Sets the media type of the file.
        fn mime_type(mime_type: impl Into<String>) => mime_type;
    }

    /// A file that a message rests on.
    pub struct FileSource {
        private kind: IsFile = IsFile::Word,
        /// The file's id.
        id: String,
        /// The file's name.
        name: String,
        /// Where the file is.
        url?: String,
    }

    /// A site that a message rests on.
    pub struct SiteSource {
        private kind: IsSite = IsSite::Word,
        /// Where the site is.
        url: String,
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

/// One part of a message.
///
/// ```
/// use hooks_sdk::aos::wire::Part;
///
/// assert_eq!(Part::text("hello").as_text(), Some("hello"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text(TextPart),
    /// Data: a JSON object.
    Data(DataPart),
    /// A file.
    File(FilePart),
}

impl Part {
    /// Makes a part that is text.
    pub fn text(text: impl Into<String>) -> Part {
        Part::Text(TextPart::new(text))
    }

    /// Makes a part that is data.
    pub fn data(data: Map<String, Value>) -> Part {
        Part::Data(DataPart::new(data))
    }

    /// Makes a part that is a file.
    pub fn file(file: FileContent) -> Part {
        Part::File(FilePart::new(file))
    }

    /// Returns the text, if the part is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Part::Text(part) => Some(&part.text),
            Part::Data(_) | Part::File(_) => None,
        }
    }
}

impl From<TextPart> for Part {
    fn from(part: TextPart) -> Part {
        Part::Text(part)
    }
}

// By hand: an untagged enum would not report what is wrong with a part.
impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Part, D::Error> {
        tagged(deserializer, |kind, part| {
            Ok(match kind {
                "text" => Part::Text(TextPart::deserialize(part)?),
                "data" => Part::Data(DataPart::deserialize(part)?),
                "file" => Part::File(FilePart::deserialize(part)?),
                _ => return Ok(None),
            }
            .into())
        })
    }
}

/// Reads a file that has either its bytes or the place where they are.
fn one_form<'de, D: Deserializer<'de>>(deserializer: D) -> Result<FileContent, D::Error> {
    let file = FileContent::deserialize(deserializer)?;
    if file.bytes.is_some() == file.uri.is_some() {
        return Err(D::Error::custom("it has to have either `bytes` or `uri`"));
    }
    Ok(file)
}
