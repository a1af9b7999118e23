//! Content: plain text, or blocks of text, media and references.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error as _, SeqAccess, Visitor, value::SeqAccessDeserializer},
};
use serde_json::{Map, Value};

/// One block of content.
///
/// Implements MCPL 0.4.1 §10.3 and appendix B.1. Decoding refuses what the schema refuses, save two things:
/// a block of a kind that it does not know is kept whole, and a member that is `null` counts as absent.
///
/// ```
/// use hooks_sdk::mcpl::wire::ContentBlock;
/// use serde_json::json;
///
/// let block: ContentBlock = serde_json::from_value(json!({"type": "text", "text": "hello"})).unwrap();
/// assert!(matches!(block, ContentBlock::Text { text, .. } if text == "hello"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    try_from = "Map<String, Value>",
    tag = "type",
    rename_all = "lowercase"
)]
#[non_exhaustive]
pub enum ContentBlock {
    /// Plain text.
    #[non_exhaustive]
    Text {
        /// The text.
        text: String,
        /// Members that the document does not define.
        #[serde(flatten)]
        other: Map<String, Value>,
    },
    /// An image.
    Image(Media),
    /// An audio recording.
    Audio(Media),
    /// A reference to a resource.
    #[non_exhaustive]
    Resource {
        /// The URI of the resource.
        uri: String,
        /// Members that the document does not define.
        #[serde(flatten)]
        other: Map<String, Value>,
    },
    /// A block of an unknown kind, kept whole.
    #[serde(untagged)]
    Other(Map<String, Value>),
}

/// What is wrong with a block of content.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockError {
    /// The block has no `type`, or its `type` is not a string.
    #[error("a content block has no `type` that is a string")]
    NoType,
    /// The block lacks a member that its kind needs.
    #[error("a content block of type `{kind}` has no `{member}`")]
    Missing {
        /// The block's kind.
        kind: &'static str,
        /// The member.
        member: &'static str,
    },
    /// A member is not a string.
    #[error("`{0}` of a content block is no string")]
    NoString(&'static str),
    /// The block has both forms of media.
    #[error("`data` with `mimeType` and `uri` exclude each other in a content block of type `{0}`")]
    TwoForms(&'static str),
    /// The block has neither form of media.
    #[error("a content block of type `{0}` has neither `data` with `mimeType` nor `uri`")]
    NoForm(&'static str),
}

impl ContentBlock {
    /// Makes a block of plain text.
    pub fn text(text: impl Into<String>) -> ContentBlock {
        ContentBlock::Text {
            text: text.into(),
            other: Map::new(),
        }
    }

    /// Makes an image from base64 and its media type.
    pub fn image_data(data: impl Into<String>, mime_type: impl Into<String>) -> ContentBlock {
        ContentBlock::Image(Media::inline(data, mime_type))
    }

    /// Makes an image by reference.
    pub fn image_uri(uri: impl Into<String>) -> ContentBlock {
        ContentBlock::Image(Media::uri(uri))
    }

    /// Makes an audio recording from base64 and its media type.
    pub fn audio_data(data: impl Into<String>, mime_type: impl Into<String>) -> ContentBlock {
        ContentBlock::Audio(Media::inline(data, mime_type))
    }

    /// Makes an audio recording by reference.
    pub fn audio_uri(uri: impl Into<String>) -> ContentBlock {
        ContentBlock::Audio(Media::uri(uri))
    }

    /// Makes a reference to a resource.
    pub fn resource(uri: impl Into<String>) -> ContentBlock {
        ContentBlock::Resource {
            uri: uri.into(),
            other: Map::new(),
        }
    }

    /// Returns the text, if the block is plain text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            ContentBlock::Text { text, .. } => Some(text),
            _ => None,
        }
    }
}

impl TryFrom<Map<String, Value>> for ContentBlock {
    type Error = BlockError;

    fn try_from(mut block: Map<String, Value>) -> Result<ContentBlock, BlockError> {
        let kind = match block.get("type").and_then(Value::as_str) {
            Some("text") => "text",
            Some("image") => "image",
            Some("audio") => "audio",
            Some("resource") => "resource",
            Some(_) => return Ok(ContentBlock::Other(block)),
            None => return Err(BlockError::NoType),
        };
        block.remove("type");
        let mut needed =
            |member| take(&mut block, member)?.ok_or(BlockError::Missing { kind, member });
        Ok(match kind {
            "text" => ContentBlock::Text {
                text: needed("text")?,
                other: block,
            },
            "resource" => ContentBlock::Resource {
                uri: needed("uri")?,
                other: block,
            },
            "image" => ContentBlock::Image(Media::read(kind, block)?),
            _ => ContentBlock::Audio(Media::read(kind, block)?),
        })
    }
}

/// Removes and returns a member that is a string.
fn take(
    block: &mut Map<String, Value>,
    member: &'static str,
) -> Result<Option<String>, BlockError> {
    match block.remove(member) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(BlockError::NoString(member)),
    }
}

/// A plain text or blocks: the wire allows both.
///
/// Implements MCPL 0.4.1 §10.3: a plain text is the same as one block of text, and is kept as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Content {
    /// A plain text.
    Text(String),
    /// Blocks.
    Blocks(Vec<ContentBlock>),
}

impl Content {
    /// Converts the content to blocks. A plain text becomes one block.
    pub fn into_blocks(self) -> Vec<ContentBlock> {
        match self {
            Content::Text(text) => vec![ContentBlock::text(text)],
            Content::Blocks(blocks) => blocks,
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Content {
        Content::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Content {
        Content::Text(text)
    }
}

impl From<ContentBlock> for Content {
    fn from(block: ContentBlock) -> Content {
        Content::Blocks(vec![block])
    }
}

impl From<Vec<ContentBlock>> for Content {
    fn from(blocks: Vec<ContentBlock>) -> Content {
        Content::Blocks(blocks)
    }
}

// By hand: an untagged enum would not report what is wrong with a block.
impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Content, D::Error> {
        struct Read;

        impl<'de> Visitor<'de> for Read {
            type Value = Content;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an array of content blocks")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Content, E> {
                Ok(text.into())
            }

            fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Content, E> {
                Ok(text.into())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, blocks: A) -> Result<Content, A::Error> {
                Deserialize::deserialize(SeqAccessDeserializer::new(blocks))
                    .map(Content::Blocks)
                    .map_err(A::Error::custom)
            }
        }

        deserializer.deserialize_any(Read)
    }
}

/// Reads blocks where the document has only blocks. A plain text is accepted as one block.
pub(super) fn blocks<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<ContentBlock>, D::Error> {
    Content::deserialize(deserializer).map(Content::into_blocks)
}

/// An image or an audio recording: inline, with its media type, or by reference.
///
/// Implements MCPL 0.4.1 §10.3 and appendix B.1. The two forms exclude each other. A reference may have a
/// media type too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Media {
    /// The base64 of inline media.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// The media type. Media by reference may have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The URI of media by reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Media {
    /// Makes inline media from base64 and its media type.
    pub fn inline(data: impl Into<String>, mime_type: impl Into<String>) -> Media {
        Media {
            data: Some(data.into()),
            mime_type: Some(mime_type.into()),
            uri: None,
            other: Map::new(),
        }
    }

    /// Makes media by reference.
    pub fn uri(uri: impl Into<String>) -> Media {
        Media {
            data: None,
            mime_type: None,
            uri: Some(uri.into()),
            other: Map::new(),
        }
    }

    fn read(kind: &'static str, mut block: Map<String, Value>) -> Result<Media, BlockError> {
        let data = take(&mut block, "data")?;
        let mime_type = take(&mut block, "mimeType")?;
        let uri = take(&mut block, "uri")?;
        match (data.is_some() && mime_type.is_some(), uri.is_some()) {
            (true, true) => Err(BlockError::TwoForms(kind)),
            (false, false) => Err(BlockError::NoForm(kind)),
            _ => Ok(Media {
                data,
                mime_type,
                uri,
                other: block,
            }),
        }
    }
}
