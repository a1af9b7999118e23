//! The input of a call as Claude Code wrote it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// Returns the input of a call in the client's order of members.
pub(super) fn written(text: &[u8], id: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct TranscriptLine<'a> {
        #[serde(borrow)]
        message: TranscriptMessage<'a>,
    }
    #[derive(Deserialize)]
    struct TranscriptMessage<'a> {
        #[serde(borrow)]
        content: Vec<Block<'a>>,
    }
    #[derive(Deserialize)]
    struct Block<'a> {
        #[serde(borrow)]
        id: Option<Cow<'a, str>>,
        #[serde(borrow)]
        input: Option<&'a RawValue>,
    }
    let said: TranscriptLine<'_> = serde_json::from_slice(text).ok()?;
    let mut blocks = said.message.content.into_iter();
    let block = blocks.find(|block| block.id.as_deref() == Some(id))?;
    Some(block.input?.get().to_owned())
}
