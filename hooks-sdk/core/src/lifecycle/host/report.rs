//! The result of an event: the injected, the skipped and the failed hooks.

use std::{fmt, sync::Arc, time::Duration};

use super::Held;
use crate::{
    Failure,
    lifecycle::{Event, HookContent, Strength},
};

/// The result of one event.
///
/// Its [`Display`](fmt::Display) is the text for the agent: every injection, with its server and strength.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// The event that fired.
    pub event: Event,
    /// The texts for the agent, in order.
    pub injected: Vec<Injected>,
    /// The hooks that were not admitted, or whose text is empty or does not fit.
    pub skipped: Vec<Skipped>,
    /// The hooks whose context tool returned no answer.
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

    /// Returns the number of injected characters, without the lines that name servers and priorities.
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

/// The text of one hook for the agent.
///
/// Its [`Display`](fmt::Display) names the server and the strength, and quotes every line of the text, so that no
/// text can look like the text of another server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Injected {
    /// The client's name for the declaring server.
    pub server: Arc<str>,
    /// The hook's place in the server's `declarations`, from 0.
    pub index: usize,
    /// The strength that the server declared.
    pub strength: Strength,
    /// The text, after substitution.
    pub text: String,
    characters: usize,
}

impl Injected {
    pub(super) fn new(held: &Held, text: String, characters: usize) -> Injected {
        let Held {
            server,
            index,
            strength,
            ..
        } = held;
        Injected {
            server: Arc::clone(server),
            index: *index,
            strength: *strength,
            text,
            characters,
        }
    }

    /// Replaces the text.
    #[doc(hidden)]
    pub fn set_text(&mut self, text: String) {
        self.characters = text.chars().count();
        self.text = text;
    }

    /// Returns the number of characters of the text.
    #[doc(hidden)]
    pub const fn characters(&self) -> usize {
        self.characters
    }

    /// Returns a text as it is shown to the agent.
    #[doc(hidden)]
    pub fn quoted(server: &str, strength: Strength, text: &str) -> String {
        let mut quoted = String::new();
        _ = quote(&mut quoted, server, strength, text);
        quoted
    }
}

impl fmt::Display for Injected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        quote(f, &self.server, self.strength, &self.text)
    }
}

/// Writes a text with its server and strength, every line quoted.
fn quote(f: &mut impl fmt::Write, server: &str, strength: Strength, text: &str) -> fmt::Result {
    let (server, text) = (server.escape_debug(), hooks_text::quote_lines(text));
    write!(f, "Hook of the MCP server `{server}` ({strength}):\n{text}")
}

/// A hook that was skipped at this event.
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

/// Why a hook was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Its matcher does not match.
    NotMatched,
    /// It fired recently, and cools down for this time.
    CoolingDown(Duration),
    /// Stronger or earlier hooks have reached the event's maximum number.
    TooManyHooks,
    /// Too many hooks have fired in a short time.
    RateLimited,
    /// Its text of this number of characters does not fit into the event's remaining characters.
    TooLong(usize),
    /// Its text is empty.
    Empty,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NotMatched => f.write_str("its matcher does not match"),
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

/// A hook whose context tool returned no answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failed {
    /// The client's name for the declaring server.
    pub server: Arc<str>,
    /// The hook's place in the server's `declarations`, from 0.
    pub index: usize,
    /// The tool that was called.
    pub tool: String,
    /// The failure.
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

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failed { tool, failure, .. } = self;
        write!(f, "the tool `{tool}` returned no text: {failure}")
    }
}
