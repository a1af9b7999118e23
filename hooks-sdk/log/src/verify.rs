//! Reads the chains of a log, and finds what somebody changed.

use std::{collections::BTreeMap, fmt, str};

use serde::Deserialize;

use crate::{
    LogKeys,
    chain::{NOTHING, UNSIGNED, hash},
};

/// How many faults are kept. Further ones are counted.
const FAULTS: usize = 100;

/// Something that no writer of this SDK does: somebody changed the log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogFault {
    /// The number of the line, over all lines that were read. The first line is 1.
    pub line: u64,
    /// The chain, if the line names one.
    pub chain: Option<String>,
    /// What is wrong.
    pub wrong: String,
}

impl fmt::Display for LogFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.wrong)
    }
}

/// A chain at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChainEnd {
    /// The name of the chain.
    pub chain: String,
    /// The numbers of its first and its last line in these files.
    pub lines: (u64, u64),
    /// The hash of its last line: an anchor for the next verification.
    pub head: String,
    /// Whether the chain has its last line. Without it, the program runs, was killed, or the tail was cut.
    pub ended: bool,
    /// How many lines follow the last signature. `None` if the chain has no signature that could be checked.
    pub unsigned: Option<u64>,
    /// How many lines the writer dropped, as the chain itself says.
    pub dropped: u64,
}

/// What a verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// How many lines were read.
    pub lines: u64,
    /// The faults, in the order of the lines; at most 100.
    pub faults: Vec<LogFault>,
    /// How many further faults there are.
    pub more_faults: u64,
    /// The chains, by their names.
    pub chains: Vec<ChainEnd>,
    /// The anchors that no chain has.
    pub missing: Vec<String>,
    /// What cannot be known from these files.
    pub unknown: Vec<String>,
}

impl Verified {
    /// Returns whether nothing was found and no anchor is missing.
    pub fn is_whole(&self) -> bool {
        self.faults.is_empty() && self.missing.is_empty()
    }
}

/// The members of a line that belong to its chain.
#[derive(Deserialize)]
pub(crate) struct ChainLine<'l> {
    #[serde(borrow)]
    pub(crate) chain: std::borrow::Cow<'l, str>,
    pub(crate) seq: u64,
    prev: &'l str,
    pub(crate) kind: &'l str,
    #[serde(default)]
    dropped: u64,
    #[serde(default)]
    torn: bool,
    #[serde(default)]
    key: Option<&'l str>,
    #[serde(default)]
    sig: Option<&'l str>,
}

/// Reads a line without its end.
pub(crate) fn read_line(line: &[u8]) -> Option<ChainLine<'_>> {
    serde_json::from_slice(line).ok()
}

/// Verifies the lines of a log, one after the other, oldest first.
///
/// ```
/// use hooks_log::LogVerifier;
///
/// let mut verifier = LogVerifier::new(Vec::new());
/// verifier.line(b"an edited line");
/// verifier.line(b"another one");
/// let verified = verifier.end();
/// assert_eq!(verified.faults[0].line, 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct LogVerifier {
    keys: LogKeys,
    expected: Vec<String>,
    lines: u64,
    chains: BTreeMap<String, ChainEnd>,
    faults: Vec<LogFault>,
    more_faults: u64,
    unknown: Vec<String>,
    /// The number of a line that is no line of a chain. The next line says whether it is half a line.
    half: Option<u64>,
}

impl LogVerifier {
    /// Begins, with the hashes that the chains must have: anchors that were kept elsewhere.
    pub fn new(expected: Vec<String>) -> LogVerifier {
        LogVerifier {
            expected,
            ..LogVerifier::default()
        }
    }

    /// Sets the keys. Without them, signatures are not checked.
    #[must_use]
    pub fn keys(mut self, keys: LogKeys) -> LogVerifier {
        self.keys = keys;
        self
    }

    /// Returns whether a fault was found so far.
    pub fn has_fault(&self) -> bool {
        !self.faults.is_empty()
    }

    fn fault(&mut self, line: u64, chain: Option<&str>, wrong: impl Into<String>) {
        if self.faults.len() >= FAULTS {
            self.more_faults += 1;
            return;
        }
        self.faults.push(LogFault {
            line,
            chain: chain.map(str::to_owned),
            wrong: wrong.into(),
        });
    }

    /// Reads the next line, without its end.
    pub fn line(&mut self, line: &[u8]) {
        self.lines += 1;
        let at = self.lines;
        let read = str::from_utf8(line).ok().and_then(|_| read_line(line));
        if let Some(half) = self.half.take() {
            match &read {
                Some(read) if read.torn => self.unknown.push(format!(
                    "line {half} is half a line: a process was killed, the disk was full, or somebody wrote it"
                )),
                _ => self.fault(half, None, "it is no line of a chain: somebody changed it, or added it"),
            }
        }
        match read {
            Some(read) => self.read(at, line, &read),
            None => self.half = Some(at),
        }
    }

    fn read(&mut self, at: u64, line: &[u8], read: &ChainLine<'_>) {
        let signed = self.signed(line, read);
        let is_signed = signed == Ok(true);
        let before = self.chains.remove(&*read.chain);
        let broken = self.broken(before.as_ref(), read, is_signed);
        if let Some(wrong) = signed.err().or(broken) {
            self.fault(at, Some(&read.chain), wrong);
        }
        let end = match before {
            // A copy.
            Some(before) if read.seq <= before.lines.1 => before,
            before => {
                let head = hash(line);
                self.expected.retain(|expected| *expected != head);
                let before = before.as_ref();
                let unsigned = before.and_then(|before| before.unsigned);
                ChainEnd {
                    chain: read.chain.clone().into_owned(),
                    lines: (before.map_or(read.seq, |before| before.lines.0), read.seq),
                    head,
                    ended: read.kind == "end",
                    unsigned: match is_signed {
                        true => Some(0),
                        false => unsigned.map(|lines| lines + 1),
                    },
                    dropped: before.map_or(0, |before| before.dropped) + read.dropped,
                }
            }
        };
        self.chains.insert(end.chain.clone(), end);
    }

    /// Returns why a line is not the next one of its chain.
    fn broken(
        &mut self,
        before: Option<&ChainEnd>,
        read: &ChainLine<'_>,
        is_signed: bool,
    ) -> Option<String> {
        let (chain, seq) = (&read.chain, read.seq);
        let has_keys = !self.keys.is_empty();
        let Some(before) = before else {
            if read.kind == "rotate" {
                self.unknown.push(format!(
                    "chain {chain} begins at its line {seq}: whether its earlier files are missing"
                ));
            } else if read.kind != "start" || seq != 0 || read.prev != NOTHING {
                return Some(format!(
                    "chain {chain} begins with its line {seq}: the lines before it are missing"
                ));
            }
            return (has_keys && !is_signed).then(|| {
                format!("chain {chain} begins without a signature of a known key: somebody added it, or a key is missing")
            });
        };
        let last = before.lines.1;
        if before.ended {
            return Some(format!(
                "chain {chain} goes on behind its end: the line is a copy, or somebody added it"
            ));
        }
        if seq <= last {
            return Some(format!(
                "line {seq} of chain {chain} comes again, behind its line {last}: it is a copy, or lines changed their places"
            ));
        }
        if seq > last + 1 {
            let (from, to) = (last + 1, seq - 1);
            return Some(format!(
                "lines {from} to {to} of chain {chain} are missing here"
            ));
        }
        if read.prev != before.head {
            return Some(format!(
                "somebody changed line {last} of chain {chain}, the one before this"
            ));
        }
        let is_due = has_keys && before.unsigned.is_some_and(|lines| lines + 1 > UNSIGNED);
        (is_due && !is_signed).then(|| {
            format!(
                "more than {UNSIGNED} lines of chain {chain} have no signature: somebody wrote them"
            )
        })
    }

    /// Returns whether a line has a signature that is right.
    fn signed(&mut self, line: &[u8], read: &ChainLine<'_>) -> Result<bool, String> {
        let (Some(key), Some(sig)) = (read.key, read.sig) else {
            return Ok(false);
        };
        if self.keys.is_empty() {
            return Ok(false);
        }
        let end = format!(r#","sig":"{sig}"}}"#);
        let Some(signed) = line.strip_suffix(end.as_bytes()) else {
            return Err(
                "the signature is not at the end of the line: somebody changed it".to_owned(),
            );
        };
        match self.keys.verify(key, signed, sig) {
            Some(true) => Ok(true),
            Some(false) => Err(format!(
                "the signature with key `{key}` is wrong: somebody changed the line"
            )),
            None => Err(format!(
                "no known key has the id `{key}`: a key is missing, or somebody signed the line"
            )),
        }
    }

    /// Ends the verification.
    pub fn end(mut self) -> Verified {
        if let Some(half) = self.half.take() {
            self.unknown.push(format!(
                "line {half}, the last one, is half a line: a process was killed, or somebody cut it"
            ));
        }
        if self.keys.is_empty() && self.lines > 0 {
            self.unknown
                .push("no key was given: whether somebody wrote whole chains anew".to_owned());
        }
        for end in self.chains.values() {
            let (chain, last) = (&end.chain, end.lines.1);
            if !end.ended {
                self.unknown.push(format!(
                    "chain {chain} has no end: whether its program runs, was killed, or somebody cut the lines behind its line {last}"
                ));
            }
            if let Some(lines @ 1..) = end.unsigned {
                self.unknown.push(format!(
                    "the last {lines} lines of chain {chain}, from its line {}, are unsigned: whether somebody changed them",
                    last + 1 - lines
                ));
            }
        }
        if self.lines > 0 {
            self.unknown
                .push("whether whole chains are missing, unless an anchor names them".to_owned());
        }
        Verified {
            lines: self.lines,
            faults: self.faults,
            more_faults: self.more_faults,
            chains: self.chains.into_values().collect(),
            missing: self.expected,
            unknown: self.unknown,
        }
    }
}
