//! A step of a simulated session, for people and programs.

use std::{fmt::Write as _, sync::Arc};

use serde::Serialize;

use super::moment::Moment;
use crate::{cli::explained::tokens, clients::Seen};

/// A step at which something would have happened.
#[derive(Debug, Serialize)]
pub(super) struct SimulatedStep {
    pub(super) line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    pub(super) event: &'static str,
    native: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    /// Why a session started.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip)]
    pub(super) session: Option<String>,
    pub(super) fires: Vec<FiredText>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) held_back: Vec<HeldBack>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refused: Option<HeldBack>,
    /// The user would have been asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) asks: Option<HeldBack>,
}

/// A text that would have reached the agent.
#[derive(Debug, Serialize)]
pub(super) struct FiredText {
    pub(super) hooks: Vec<String>,
    pub(super) characters: usize,
    pub(super) tokens: usize,
    pub(super) text: Arc<str>,
    /// The line at which the same text came first.
    #[serde(skip)]
    pub(super) before: Option<u64>,
}

/// What stopped a call or a text, and why.
#[derive(Debug, Serialize)]
pub(super) struct HeldBack {
    by: String,
    why: String,
}

impl HeldBack {
    pub(super) fn new(by: String, why: String) -> HeldBack {
        HeldBack { by, why }
    }
}

impl FiredText {
    pub(super) fn new(hooks: Vec<String>, text: &str) -> FiredText {
        let characters = text.chars().count();
        FiredText {
            hooks,
            characters,
            tokens: tokens(characters),
            text: text.into(),
            before: None,
        }
    }
}

impl SimulatedStep {
    pub(super) fn new(moment: &Moment, native: &'static str, seen: &Seen) -> SimulatedStep {
        let tool = &seen.occasion.variables.tool_name;
        SimulatedStep {
            line: moment.line,
            at: moment.at.map(|at| at.to_string()),
            event: moment.event.as_str(),
            native,
            tool: tool.clone().filter(|_| moment.event.is_tool_event()),
            source: seen.source.clone(),
            session: seen.session_id.clone(),
            fires: Vec::new(),
            held_back: Vec::new(),
            refused: None,
            asks: None,
        }
    }

    /// Returns whether nothing would have happened.
    pub(super) fn is_quiet(&self) -> bool {
        let is_free = self.refused.is_none() && self.asks.is_none();
        is_free && self.fires.is_empty() && self.held_back.is_empty()
    }

    /// Formats the step for people.
    pub(super) fn page(&self, page: &mut String) {
        let more = self.tool.as_deref().or(self.source.as_deref());
        let more = more.map(|more| format!(" {more}")).unwrap_or_default();
        _ = writeln!(page, "line {}: {}{more}", self.line, self.native);
        if let Some(HeldBack { by, why }) = &self.refused {
            _ = writeln!(
                page,
                "  refused by {by}: {}",
                why.trim().replace('\n', "\n    ")
            );
        }
        if let Some(HeldBack { by, why }) = &self.asks {
            _ = writeln!(page, "  {by} asks the user: {why}");
        }
        for firing in &self.fires {
            let FiredText {
                characters, tokens, ..
            } = firing;
            let hooks = firing.hooks.join(", ");
            _ = write!(
                page,
                "  fires: {hooks} ({characters} characters, about {tokens} tokens)"
            );
            match firing.before {
                Some(line) => _ = writeln!(page, ", as at line {line}"),
                None => {
                    page.push('\n');
                    for line in firing.text.trim().lines() {
                        _ = writeln!(page, "  | {line}");
                    }
                }
            }
        }
        for HeldBack { by, why } in &self.held_back {
            _ = match by.is_empty() {
                true => writeln!(page, "  held back: {why}"),
                false => writeln!(page, "  held back: {by}: {why}"),
            };
        }
    }
}
