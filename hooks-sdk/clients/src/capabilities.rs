//! What a client can do: one row of the table of clients.

use std::{fmt, time::Duration};

use super::{Gates, InstallScope, Mapping, UserFolder, config::Reading};
pub use hooks_core::lifecycle::budget::Unit;
use hooks_core::{
    guidance::{McpFeature, McpFeatures},
    lifecycle::{
        Event,
        budget::{LONGEST_ANSWER, Length},
    },
};

/// The features of a client whose user can be asked by a form.
pub(super) const ASKS: McpFeatures = McpFeatures::EMPTY.with(McpFeature::Elicitation);

/// The scopes of a client whose files have no place for the user's own entries in a project.
pub(super) const USER_AND_PROJECT: &[InstallScope] = &[InstallScope::User, InstallScope::Project];

/// What one client can do, as it was measured or as its documents say: a row of [`TABLE`](super::TABLE).
///
/// `install`, `fire`, `explain`, `doctor`, the book and the tests are made from it, so that no fact stands twice.
#[derive(Debug)]
#[non_exhaustive]
pub struct Capabilities {
    /// The client's name on a command line, such as `claude-code`.
    pub name: &'static str,
    /// The client's name for people.
    pub title: &'static str,
    /// The name of the client's program.
    pub program: &'static str,
    /// The beginning of the name that the client sends to an MCP server.
    pub handshake: &'static str,
    /// The version to which the row applies, and how that is known.
    pub recorded: Tested,
    /// The folder of the user's files.
    pub folder: UserFolder,
    /// How the client reads its files; the first row with a file's name applies.
    pub readings: &'static [Reading],
    /// The client's own command that adds an MCP server for the user: `{server}` is its name, and `{start}` the words that
    /// start it. `None` if the client has no such command.
    pub adds_server: Option<&'static str>,
    /// The names of the client's shell tool: towards hooks, and then any others, such as those towards its model.
    pub shells: &'static [&'static str],
    /// The features of MCP that the client has, of those that a hook can require.
    pub features: McpFeatures,
    /// Whether an MCP server receives the id of the client's session.
    pub tells_session: bool,
    /// What happens to the texts of a session's start.
    pub after_start: AfterStart,
    /// The client's behaviour at each event, in the order of [`Event::ALL`].
    pub events: [Mapping; 6],
    /// How the client asks its hooks before a call of a tool; `None` if that was not run.
    pub gates: Option<Gates>,
    /// The scopes in which hooks can be installed.
    pub scopes: &'static [InstallScope],
    /// The other clients that read this client's hook entries, for people, each with its condition.
    pub also_read_by: &'static [&'static str],
}

impl Capabilities {
    /// Returns the client's behaviour at an event.
    pub const fn at(&self, event: Event) -> Mapping {
        self.events[event as usize]
    }

    /// Returns the maximum length of one answer at an event, including the lines that name servers and priorities.
    pub(super) const fn budget(&self, event: Event) -> Limit {
        let mapping = self.at(event);
        match (mapping.limit, mapping.raised) {
            (Some(limit), Some(most)) => Limit { most, ..limit },
            (Some(limit), None) if limit.most < LONGEST_ANSWER => limit,
            (Some(limit), None) => Limit {
                most: LONGEST_ANSWER,
                ..limit
            },
            (None, _) => Limit::characters(LONGEST_ANSWER, Excess::LeftOut),
        }
    }
}

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
    /// Makes what happens at a resumption, at a compaction and at a clearing.
    pub const fn new(resume: Aftermath, compaction: Aftermath, clear: Aftermath) -> AfterStart {
        AfterStart {
            resume,
            compaction,
            clear,
        }
    }
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
        Limit {
            most,
            unit: Unit::Characters,
            above,
        }
    }

    /// Makes a limit in UTF-16 units.
    pub const fn utf16(most: usize, above: Excess) -> Limit {
        Limit {
            most,
            unit: Unit::Utf16,
            above,
        }
    }

    /// Makes a limit in tokens.
    pub const fn tokens(most: usize, above: Excess) -> Limit {
        Limit {
            most,
            unit: Unit::Tokens,
            above,
        }
    }

    /// Makes a limit in bytes.
    pub const fn bytes(most: usize, above: Excess) -> Limit {
        Limit {
            most,
            unit: Unit::Bytes,
            above,
        }
    }

    /// Returns the length of a text in the unit of the limit.
    pub const fn length(self, text: &str) -> usize {
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

/// The time-out of a hook in most clients' entries.
pub(super) const DEADLINE: Duration = Duration::from_secs(10);
