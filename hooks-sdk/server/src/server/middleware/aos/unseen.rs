//! Contents that a guardian cannot see: the text that stands for them.

use std::fmt;

use base64::{Engine, prelude::BASE64_STANDARD};
use rmcp::model::{ContentBlock, ResourceContents};
use serde::Serialize;
use sha2::{Digest, Sha256};

use hooks_aos::{GuardianClient, Unseen};

/// A content that is no text.
pub(super) struct Hidden {
    /// `None` for a kind that this version does not know. It never passes.
    kind: Option<Unseen>,
    word: &'static str,
    mime_type: Option<String>,
    bytes: Option<u64>,
    digest: String,
}

impl Hidden {
    /// Returns the content of a block, or `None` if the block is a text.
    pub(super) fn of(block: &ContentBlock) -> Option<Hidden> {
        Some(match block {
            ContentBlock::Text(_) => return None,
            ContentBlock::Image(image) => {
                encoded("image", Unseen::Image, Some(&image.mime_type), &image.data)
            }
            ContentBlock::Audio(audio) => {
                encoded("audio", Unseen::Audio, Some(&audio.mime_type), &audio.data)
            }
            ContentBlock::Resource(embedded) => match &embedded.resource {
                ResourceContents::BlobResourceContents {
                    mime_type, blob, ..
                } => encoded("resource", Unseen::Resource, mime_type.as_ref(), blob),
                ResourceContents::TextResourceContents {
                    mime_type, text, ..
                } => {
                    let (kind, text) = (Some(Unseen::Resource), text.as_bytes());
                    plain("resource", kind, mime_type.as_ref(), text)
                }
                other => Hidden::other(other),
            },
            ContentBlock::ResourceLink(link) => {
                let mut hidden = of_json("link", Some(Unseen::Link), link);
                hidden.mime_type.clone_from(&link.mime_type);
                hidden.bytes = link.size;
                hidden
            }
            other => Hidden::other(other),
        })
    }

    /// Returns the contents of a resource that was read, or `None` if they are a text.
    pub(super) fn of_contents(contents: &ResourceContents) -> Option<Hidden> {
        match contents {
            ResourceContents::TextResourceContents { .. } => None,
            ResourceContents::BlobResourceContents {
                mime_type, blob, ..
            } => Some(encoded("blob", Unseen::Resource, mime_type.as_ref(), blob)),
            other => Some(Hidden::other(other)),
        }
    }

    /// Returns a content of a kind that this version does not know.
    fn other(content: &impl Serialize) -> Hidden {
        of_json("content", None, content)
    }

    /// Returns whether the content stays in the answer, though the guardian cannot see it.
    pub(super) fn passes(&self, client: &GuardianClient) -> bool {
        self.kind.is_some_and(|kind| client.passes_unseen(kind))
    }

    /// Returns the text that the guardian sees in place of the content.
    pub(super) fn shown(&self) -> String {
        format!("[{self}]")
    }

    /// Returns the text that the client gets in place of the content.
    pub(super) fn withheld(&self) -> String {
        format!("[withheld, because the guardian of this server cannot see it: {self}]")
    }
}

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word)?;
        if let Some(mime_type) = &self.mime_type {
            write!(f, ", {mime_type}")?;
        }
        if let Some(bytes) = self.bytes {
            write!(f, ", {bytes} bytes")?;
        }
        write!(f, ", sha256 {}", self.digest)
    }
}

/// Describes bytes that are written as Base64. What is no Base64 is described as it is.
fn encoded(word: &'static str, kind: Unseen, mime_type: Option<&String>, data: &str) -> Hidden {
    match BASE64_STANDARD.decode(data) {
        Ok(bytes) => plain(word, Some(kind), mime_type, &bytes),
        Err(_) => plain(word, Some(kind), mime_type, data.as_bytes()),
    }
}

fn plain(
    word: &'static str,
    kind: Option<Unseen>,
    mime_type: Option<&String>,
    bytes: &[u8],
) -> Hidden {
    Hidden {
        kind,
        word,
        mime_type: mime_type.cloned(),
        bytes: Some(bytes.len() as u64),
        digest: hex(&Sha256::digest(bytes)),
    }
}

fn of_json(word: &'static str, kind: Option<Unseen>, content: &impl Serialize) -> Hidden {
    // rmcp's types have no keys but strings, so this cannot fail.
    let json = serde_json::to_vec(content).unwrap_or_default();
    let mut hidden = plain(word, kind, None, &json);
    hidden.bytes = None;
    hidden
}

pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}
