//! What came of an event: what was injected, what was skipped and why, what failed.

use std::{fmt, sync::Arc, time::Duration};

use super::Held;
use crate::{
    core::Failure,
    lifecycle::{Event, HookContent, Priority},
};

/// What came of one event.
///
/// Displayed, it is the text for the agent: every injection, each naming its server and priority.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// The event that fired.
    pub event: Event,
    /// What is to be put before the agent, in this order.
    pub injected: Vec<Injected>,
    /// The hooks that were not let through, or had nothing fit to inject.
    pub skipped: Vec<Skipped>,
    /// The hooks whose context tool gave no answer.
    pub failed: Vec<Failed>,
}

impl Report {
    pub(super) fn new(event: Event) -> Report {
        Report {
            event,
            injected: Vec::new(),
            skipped: Vec::new(),
            failed: Vec::new(),
        }
    }

    /// How many characters are injected, without the lines that name servers and priorities.
    pub fn characters(&self) -> usize {
        self.injected
            .iter()
            .map(|injected| injected.characters)
            .sum()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, injected) in self.injected.iter().enumerate() {
            let gap = if at == 0 { "" } else { "\n\n" };
            write!(f, "{gap}{injected}")?;
        }
        Ok(())
    }
}

/// A text that one hook puts before the agent.
///
/// Displayed, it names its server and its priority, and quotes every line of the text, so that no text can
/// pass for another server's.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Injected {
    /// The client's name for the declaring server.
    pub server: Arc<str>,
    /// The hook's place in the server's `declarations`, from 0.
    pub index: usize,
    /// The priority that the server declared.
    pub declared: Priority,
    /// The priority that the policy made of it.
    pub priority: Priority,
    /// The text, after substitution.
    pub text: String,
    characters: usize,
}

impl Injected {
    pub(super) fn new(held: &Held, text: String, characters: usize) -> Injected {
        let Held {
            server,
            index,
            declared,
            priority,
            ..
        } = held;
        Injected {
            server: Arc::clone(server),
            index: *index,
            declared: *declared,
            priority: *priority,
            text,
            characters,
        }
    }
}

impl fmt::Display for Injected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let server = self.server.escape_debug();
        write!(f, "Hook of the MCP server `{server}` ({}):", self.priority)?;
        // Whatever a renderer may take for the end of a line gets a new mark.
        for line in self.text.trim().replace("\r\n", "\n").split(is_line_end) {
            write!(f, "\n> {line}")?;
        }
        Ok(())
    }
}

fn is_line_end(letter: char) -> bool {
    matches!(
        letter,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// A hook that was not used this time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// The client's name for the declaring server.
    pub server: Arc<str>,
    /// The hook's place in the server's `declarations`, from 0.
    pub index: usize,
    /// Why.
    pub reason: Reason,
}

impl Skipped {
    pub(super) fn new(held: &Held, reason: Reason) -> Skipped {
        Skipped {
            server: Arc::clone(&held.server),
            index: held.index,
            reason,
        }
    }
}

/// Why a hook was not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Its matcher does not hold.
    NotMatched,
    /// The policy ignores untrusted servers.
    Untrusted,
    /// It would call a tool of an untrusted server, which would tell that server what the agent does.
    UntrustedTool,
    /// The user has not approved it.
    AwaitingApproval,
    /// It fired a short while ago, and is silent for so long yet.
    CoolingDown(Duration),
    /// Stronger or earlier hooks have used up the event's number.
    TooManyHooks,
    /// Too many hooks have fired in a short time.
    RateLimited,
    /// Its text of so many characters does not fit what is left of the event's number.
    TooLong(usize),
    /// It has nothing to say.
    Empty,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NotMatched => f.write_str("its matcher does not match"),
            Reason::Untrusted => f.write_str("its server is not trusted"),
            Reason::UntrustedTool => {
                f.write_str("it would call a tool of a server that is not trusted")
            }
            Reason::AwaitingApproval => f.write_str("it is not approved yet"),
            Reason::CoolingDown(left) => {
                write!(f, "it cools down for another {} ms", left.as_millis())
            }
            Reason::TooManyHooks => f.write_str("the event has reached its number of hooks"),
            Reason::RateLimited => f.write_str("too many hooks fired in a short time"),
            Reason::TooLong(characters) => write!(f, "its {characters} characters do not fit"),
            Reason::Empty => f.write_str("it has no text"),
        }
    }
}

/// A hook whose context tool gave no answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failed {
    /// The client's name for the declaring server.
    pub server: Arc<str>,
    /// The hook's place in the server's `declarations`, from 0.
    pub index: usize,
    /// The tool that was called.
    pub tool: String,
    /// What happened.
    pub failure: Failure,
}

impl Failed {
    pub(super) fn new(held: &Held, failure: Failure) -> Failed {
        let tool = match &held.declaration.content {
            HookContent::ContextTool { name, .. } => name.to_string(),
            HookContent::Context(_) => String::new(),
        };
        Failed {
            server: Arc::clone(&held.server),
            index: held.index,
            tool,
            failure,
        }
    }
}
