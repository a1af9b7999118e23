//! What a row says of a client: its version, its limits, and what becomes of texts.

use std::fmt;

use hooks_core::{
    guidance::{McpFeature, McpFeatures},
    lifecycle::budget::Length,
};

pub use hooks_core::lifecycle::budget::Unit;

/// The features of a client whose user can be asked by a form.
pub(super) const ASKS: McpFeatures = McpFeatures::EMPTY.with(McpFeature::Elicitation);

/// The version of a client to which a row applies, the day, and how its behaviour is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tested {
    /// The version, such as `2.1.329`.
    pub version: &'static str,
    /// The day, such as `2026-11-22`.
    pub date: &'static str,
    /// How the behaviour is known.
    pub how: Evidence,
}

/// How a client's behaviour is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Evidence {
    /// The client was run, against a stand-in for its model.
    Run,
    /// The client's documents and code say so; it was not run.
    Documents,
}

impl Tested {
    /// Makes a version that was run on a day.
    pub const fn new(version: &'static str, date: &'static str) -> Tested {
        Tested {
            version,
            date,
            how: Evidence::Run,
        }
    }

    /// Makes a version whose documents were read on a day.
    pub const fn documents(version: &'static str, date: &'static str) -> Tested {
        Tested {
            how: Evidence::Documents,
            ..Tested::new(version, date)
        }
    }
}

impl fmt::Display for Tested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.how {
            Evidence::Run => "",
            Evidence::Documents => "the documents of ",
        };
        write!(f, "{how}version {} ({})", self.version, self.date)
    }
}

/// What happens to the texts of a session's start when the client changes the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AfterStart {
    /// When the user resumes the session.
    pub resume: Aftermath,
    /// When the client compacts the session.
    pub compaction: Aftermath,
    /// When the user clears the session.
    pub clear: Aftermath,
}

impl AfterStart {
    pub(crate) const NOT_RUN: AfterStart = AfterStart {
        resume: Aftermath::NotRun,
        compaction: Aftermath::NotRun,
        clear: Aftermath::NotRun,
    };
}

/// What happens to the texts of a session's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Aftermath {
    /// The agent still has them, and static texts are not sent again.
    Kept,
    /// The agent has lost them, and the client fires `session_start`, so that they are sent again.
    SentAgain,
    /// The agent has lost them, and the client fires no event, so that they are not sent again.
    Lost,
    /// This was not run.
    NotRun,
    /// The client cannot do this.
    Impossible,
}

impl fmt::Display for Aftermath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Aftermath::Kept => "kept",
            Aftermath::SentAgain => "sent again",
            Aftermath::Lost => "lost",
            Aftermath::NotRun => "not run",
            Aftermath::Impossible => "not possible",
        })
    }
}

/// The length of a text, or of all texts of an event together, that a client takes whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limit {
    /// The maximum, in this unit.
    pub most: usize,
    /// What is counted.
    pub unit: Unit,
    /// What the client does with a longer text.
    pub above: Excess,
}

/// What a client does with a text over its [`Limit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Excess {
    /// The client cuts the end of the text off.
    Cut,
    /// The client cuts the middle of the text out.
    MiddleCut,
    /// The client drops the text.
    Dropped,
    /// The client writes the text to a file, which the agent may not open, and shows the agent its first 2 KB.
    WrittenToFile,
    /// The client takes the text; only this SDK leaves it out.
    LeftOut,
}

impl Limit {
    /// Makes a limit in characters.
    pub const fn characters(most: usize, above: Excess) -> Limit {
        Limit::in_unit(most, Unit::Characters, above)
    }

    /// Makes a limit in bytes.
    pub const fn bytes(most: usize, above: Excess) -> Limit {
        Limit::in_unit(most, Unit::Bytes, above)
    }

    pub(crate) const fn in_unit(most: usize, unit: Unit, above: Excess) -> Limit {
        Limit { most, unit, above }
    }

    /// Returns the length of a text in the unit of the limit.
    pub fn length(self, text: &str) -> usize {
        Length::of(text).count(self.unit)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.most, self.unit.name())
    }
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Excess::Cut => "the client cuts the end off",
            Excess::MiddleCut => "the client cuts the middle out",
            Excess::Dropped => "the client drops the text",
            Excess::WrittenToFile => {
                "the client writes the text to a file that the agent may not open, and shows its first 2 KB"
            }
            Excess::LeftOut => "the text is left out",
        })
    }
}
