//! Parts of a message: text, data and files.

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::{Map, Value};

use super::present::{metadata, present, tagged, word};

word!(IsText = "text");
word!(IsData = "data");
word!(IsFile = "file");

/// One part of a message.
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

/// Text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TextPart {
    kind: IsText,
    /// The text.
    pub text: String,
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

impl TextPart {
    /// Makes a part that is text.
    pub fn new(text: impl Into<String>) -> TextPart {
        TextPart {
            kind: IsText::Word,
            text: text.into(),
            metadata: None,
            other: Map::new(),
        }
    }
}

/// Data: a JSON object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DataPart {
    kind: IsData,
    /// The object.
    pub data: Map<String, Value>,
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

impl DataPart {
    /// Makes a part that is data.
    pub fn new(data: Map<String, Value>) -> DataPart {
        DataPart {
            kind: IsData::Word,
            data,
            metadata: None,
            other: Map::new(),
        }
    }
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FilePart {
    kind: IsFile,
    /// The file.
    #[serde(deserialize_with = "one_form")]
    pub file: FileContent,
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

impl FilePart {
    /// Makes a part that is a file.
    pub fn new(file: FileContent) -> FilePart {
        FilePart {
            kind: IsFile::Word,
            file,
            metadata: None,
            other: Map::new(),
        }
    }
}

/// What is in a file: its bytes, or where they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FileContent {
    /// The file's name.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub name: Option<String>,
    /// The media type of the file.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub mime_type: Option<String>,
    /// The bytes, in base64. A file has either this or `uri`.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub bytes: Option<String>,
    /// Where the bytes are.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub uri: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl FileContent {
    /// Makes a file from its bytes, in base64.
    pub fn bytes(bytes: impl Into<String>) -> FileContent {
        FileContent::of(Some(bytes.into()), None)
    }

    /// Makes a file from where its bytes are.
    pub fn uri(uri: impl Into<String>) -> FileContent {
        FileContent::of(None, Some(uri.into()))
    }

    fn of(bytes: Option<String>, uri: Option<String>) -> FileContent {
        FileContent {
            name: None,
            mime_type: None,
            bytes,
            uri,
            other: Map::new(),
        }
    }

    /// Sets the file's name.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> FileContent {
        self.name = Some(name.into());
        self
    }

    /// Sets the media type of the file.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> FileContent {
        self.mime_type = Some(mime_type.into());
        self
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
