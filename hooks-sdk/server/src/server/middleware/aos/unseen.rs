//! Contents that a guardian cannot see: the text that stands for them.

use std::fmt::Write;

use base64::{Engine, prelude::BASE64_STANDARD};
use rmcp::model::{ContentBlock, ResourceContents};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::server::hex;
use hooks_aos::{GuardianClient, Unseen};

/// A content that is no text.
pub(super) struct Hidden {
    /// `None` for a kind that this version does not know. It never passes.
    kind: Option<Unseen>,
    /// What it is, such as `image, image/png, 12 bytes, sha256 …`.
    described: String,
}

impl Hidden {
    /// Returns the content of a block, or `None` if the block is a text.
    pub(super) fn of(block: &ContentBlock) -> Option<Hidden> {
        Some(match block {
            ContentBlock::Text(_) => return None,
            ContentBlock::Image(image) => {
                Hidden::encoded("image", Unseen::Image, Some(&image.mime_type), &image.data)
            }
            ContentBlock::Audio(audio) => {
                Hidden::encoded("audio", Unseen::Audio, Some(&audio.mime_type), &audio.data)
            }
            ContentBlock::Resource(embedded) => match &embedded.resource {
                ResourceContents::BlobResourceContents {
                    mime_type, blob, ..
                } => Hidden::encoded("resource", Unseen::Resource, mime_type.as_ref(), blob),
                ResourceContents::TextResourceContents {
                    mime_type, text, ..
                } => {
                    let (kind, text) = (Some(Unseen::Resource), text.as_bytes());
                    let size = Some(text.len() as u64);
                    Hidden::new("resource", kind, mime_type.as_ref(), size, text)
                }
                other => Hidden::unknown(other),
            },
            ContentBlock::ResourceLink(link) => {
                let (kind, mime_type) = (Some(Unseen::Link), link.mime_type.as_ref());
                Hidden::new("link", kind, mime_type, link.size, &json(link))
            }
            other => Hidden::unknown(other),
        })
    }

    /// Returns the contents of a resource that was read, or `None` if they are a text.
    pub(super) fn of_contents(contents: &ResourceContents) -> Option<Hidden> {
        match contents {
            ResourceContents::TextResourceContents { .. } => None,
            ResourceContents::BlobResourceContents {
                mime_type, blob, ..
            } => Some(Hidden::encoded(
                "blob",
                Unseen::Resource,
                mime_type.as_ref(),
                blob,
            )),
            other => Some(Hidden::unknown(other)),
        }
    }

    /// Describes bytes that are written as Base64. What is no Base64 is described as it is.
    fn encoded(word: &str, kind: Unseen, mime_type: Option<&String>, data: &str) -> Hidden {
        let decoded = BASE64_STANDARD.decode(data);
        let bytes = decoded.unwrap_or_else(|_| data.into());
        let size = Some(bytes.len() as u64);
        Hidden::new(word, Some(kind), mime_type, size, &bytes)
    }

    fn unknown(content: &impl Serialize) -> Hidden {
        Hidden::new("content", None, None, None, &json(content))
    }

    fn new(
        word: &str,
        kind: Option<Unseen>,
        mime_type: Option<&String>,
        size: Option<u64>,
        bytes: &[u8],
    ) -> Hidden {
        let mut described = word.to_owned();
        if let Some(mime_type) = mime_type {
            _ = write!(described, ", {mime_type}");
        }
        if let Some(size) = size {
            _ = write!(described, ", {size} bytes");
        }
        _ = write!(described, ", sha256 {}", hex(&Sha256::digest(bytes)));
        Hidden { kind, described }
    }

    /// Returns whether the content stays in the answer, though the guardian cannot see it.
    pub(super) fn passes(&self, client: &GuardianClient) -> bool {
        self.kind.is_some_and(|kind| client.passes_unseen(kind))
    }

    /// Returns the text that the guardian sees in place of the content.
    pub(super) fn shown(&self) -> String {
        format!("[{}]", self.described)
    }

    /// Returns the text that the client gets in place of the content.
    pub(super) fn withheld(&self) -> String {
        let why = "withheld, because the guardian of this server cannot see it";
        format!("[{why}: {}]", self.described)
    }
}

fn json(content: &impl Serialize) -> Vec<u8> {
    // rmcp's types have no keys but strings, so this cannot fail.
    serde_json::to_vec(content).unwrap_or_default()
}
