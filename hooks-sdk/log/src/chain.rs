//! A hash chain: each line has the hash of the line before it, and some lines are signed.

use std::{fmt::Write, io, sync::Arc};

use hooks_core::internal::hex;
use hooks_text::condition::Path;
use serde_json::Value;

use crate::{DecisionEntry, LogError, LogKeys, mask};

/// How many lines follow a signed line before the next one is signed.
pub(crate) const UNSIGNED: u64 = 100;
/// The hash that the first line of a chain has for the line before it.
pub(crate) const NOTHING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The end of a chain, to which lines are added.
#[derive(Clone, Debug)]
pub(crate) struct ChainHead {
    pub(crate) chain: Arc<str>,
    /// The number of the next line.
    pub(crate) seq: u64,
    /// The hash of the last line.
    pub(crate) prev: String,
    /// How many lines follow the last signed one.
    pub(crate) unsigned: u64,
}

/// What the writer adds to a line beside the chain.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LineMarks {
    /// How many lines were dropped before this one.
    pub(crate) dropped: u64,
    /// Whether the line before it in the file is half a line.
    pub(crate) torn: bool,
    /// Whether the line is signed, if there is a key.
    pub(crate) signed: bool,
}

impl ChainHead {
    /// Begins a chain with a random name.
    pub(crate) fn new() -> Result<ChainHead, LogError> {
        let mut name = [0; 8];
        getrandom::fill(&mut name)
            .map_err(|error| LogError::Start(Arc::new(io::Error::other(error))))?;
        Ok(ChainHead {
            chain: hex(&name).into(),
            seq: 0,
            prev: NOTHING.to_owned(),
            unsigned: 0,
        })
    }

    /// Makes the next line, with its end. The chain goes on only with [`written`](ChainHead::written).
    pub(crate) fn line(
        &self,
        entry: &DecisionEntry,
        marks: LineMarks,
        masks: &[Path],
        keys: &LogKeys,
    ) -> Vec<u8> {
        let mut line = format!(
            r#"{{"chain":"{}","seq":{},"prev":"{}""#,
            self.chain, self.seq, self.prev
        );
        // A structure of texts and numbers is always JSON.
        let body = if masks.is_empty() {
            serde_json::to_string(entry).unwrap_or_default()
        } else {
            let mut body = serde_json::to_value(entry).unwrap_or_default();
            if let Value::Object(members) = &mut body {
                masks.iter().for_each(|path| mask::apply(path, members));
            }
            body.to_string()
        };
        let body = body
            .strip_prefix('{')
            .and_then(|body| body.strip_suffix('}'));
        let body = body.unwrap_or_default();
        if !body.is_empty() {
            line.push(',');
            line.push_str(body);
        }
        // Writing to a text does not fail.
        if marks.dropped > 0 {
            _ = write!(line, r#","dropped":{}"#, marks.dropped);
        }
        if marks.torn {
            line.push_str(r#","torn":true"#);
        }
        if marks.signed
            && let Some(id) = keys.signer()
        {
            _ = write!(line, r#","key":"{id}""#);
            if let Some(signature) = keys.sign(line.as_bytes()) {
                _ = write!(line, r#","sig":"{signature}""#);
            }
        }
        line.push_str("}\n");
        line.into_bytes()
    }

    /// Goes on behind a line that was written.
    pub(crate) fn written(&mut self, line: &[u8], signed: bool) {
        self.prev = hash(line.trim_ascii_end());
        self.seq += 1;
        self.unsigned = if signed { 0 } else { self.unsigned + 1 };
    }
}

/// Returns the hash of a line without its end.
pub(crate) fn hash(line: &[u8]) -> String {
    hex(ring::digest::digest(&ring::digest::SHA256, line).as_ref())
}
