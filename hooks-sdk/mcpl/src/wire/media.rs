//! An image or an audio recording, inline or by reference.

use serde_json::{Map, Value};

use super::content::{BlockError, take};

/// An image or an audio recording: inline, with its media type, or by reference.
///
/// Implements MCPL 0.4.1 §10.3 and appendix B.1. The two forms exclude each other. A reference may have a
/// media type too.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Media {
    data: Option<String>,
    mime_type: Option<String>,
    uri: Option<String>,
    /// Members that the document does not define.
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

    /// Returns the base64 and the media type of inline media.
    pub fn as_inline(&self) -> Option<(&str, &str)> {
        self.data.as_deref().zip(self.mime_type.as_deref())
    }

    /// Returns the URI of media by reference.
    pub fn as_uri(&self) -> Option<&str> {
        self.uri.as_deref()
    }

    /// Returns the media type. Media by reference may have none.
    pub fn mime_type(&self) -> Option<&str> {
        self.mime_type.as_deref()
    }

    pub(super) fn read(
        kind: &'static str,
        mut block: Map<String, Value>,
    ) -> Result<Media, BlockError> {
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

    pub(super) fn into_members(self) -> Map<String, Value> {
        let mut members = self.other;
        for (member, value) in [
            ("data", self.data),
            ("mimeType", self.mime_type),
            ("uri", self.uri),
        ] {
            if let Some(value) = value {
                members.insert(member.to_owned(), value.into());
            }
        }
        members
    }
}
