//! The output of `hooks simulate`: the steps at which something would have happened, and a summary.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
    sync::Arc,
};

use serde::Serialize;

use super::{moment::Moment, transcript::Reading};
use crate::{
    cli::{explained::tokens, print},
    clients::Seen,
    lifecycle::Event,
};

/// How many steps are listed; the others are only counted.
const MOST_STEPS: usize = 10_000;

/// What would have happened in a session.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    pub(super) client: &'static str,
    session: Option<String>,
    steps: Vec<Step>,
    /// The number of steps that are not listed.
    further_steps: u64,
    events: BTreeMap<&'static str, u64>,
    hooks: BTreeMap<String, u64>,
    texts: u64,
    tokens: usize,
    refused: u64,
    asks: u64,
    pub(super) not_simulated: Vec<String>,
    pub(super) reading: Reading,
    /// The texts so far: a text is kept once.
    #[serde(skip)]
    known: HashMap<Arc<str>, u64>,
}

/// A step at which something would have happened.
#[derive(Debug, Serialize)]
pub(super) struct Step {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    event: &'static str,
    native: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    /// Why a session started.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip)]
    session: Option<String>,
    pub(super) fires: Vec<Firing>,
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
pub(super) struct Firing {
    hooks: Vec<String>,
    characters: usize,
    tokens: usize,
    text: Arc<str>,
    /// The line at which the same text came first.
    #[serde(skip)]
    before: Option<u64>,
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

impl Firing {
    pub(super) fn new(hooks: Vec<String>, text: &str) -> Firing {
        let characters = text.chars().count();
        Firing {
            hooks,
            characters,
            tokens: tokens(characters),
            text: text.into(),
            before: None,
        }
    }
}

impl Step {
    pub(super) fn new(moment: &Moment, native: &'static str, seen: &Seen) -> Step {
        let tool = &seen.occasion.variables.tool_name;
        Step {
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

    fn is_quiet(&self) -> bool {
        let is_free = self.refused.is_none() && self.asks.is_none();
        is_free && self.fires.is_empty() && self.held_back.is_empty()
    }

    fn page(&self, page: &mut String) {
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
            let Firing {
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

impl Report {
    pub(super) fn events(&self) -> u64 {
        self.events.values().sum()
    }

    pub(super) fn refuses(&self) -> bool {
        self.refused > 0
    }

    pub(super) fn add(&mut self, mut step: Step) {
        *self.events.entry(step.event).or_default() += 1;
        self.session = self.session.take().or_else(|| step.session.take());
        self.refused += u64::from(step.refused.is_some());
        self.asks += u64::from(step.asks.is_some());
        for firing in &mut step.fires {
            self.texts += 1;
            self.tokens += firing.tokens;
            for hook in &firing.hooks {
                *self.hooks.entry(hook.clone()).or_default() += 1;
            }
            match self.known.get_key_value(&firing.text) {
                Some((text, line)) => {
                    firing.text = text.clone();
                    firing.before = Some(*line);
                }
                None if self.known.len() < MOST_STEPS => {
                    self.known.insert(firing.text.clone(), step.line);
                }
                None => {}
            }
        }
        if step.is_quiet() {
        } else if self.steps.len() < MOST_STEPS {
            self.steps.push(step);
        } else {
            self.further_steps += 1;
        }
    }

    /// Formats the report for people.
    pub(super) fn page(&self) -> String {
        let mut page = String::new();
        for step in &self.steps {
            step.page(&mut page);
        }
        if !self.steps.is_empty() {
            page.push('\n');
        }
        if self.further_steps > 0 {
            _ = writeln!(
                page,
                "further steps that are not listed: {}",
                self.further_steps
            );
        }
        let session = self.session.as_deref().unwrap_or("without an id");
        _ = writeln!(page, "session {session} of {}", self.client);
        let named = |counts: &mut dyn Iterator<Item = (&str, u64)>| {
            let all: Vec<String> = counts
                .map(|(name, count)| format!("{name} {count}"))
                .collect();
            all.join(", ")
        };
        let order = Event::ALL.map(Event::as_str);
        let mut events = order
            .iter()
            .filter_map(|event| Some((*event, *self.events.get(event)?)));
        let lines = print::counted(self.reading.lines, "line");
        let of = print::counted(self.events(), "event");
        _ = writeln!(page, "  {lines}, {of}: {}", named(&mut events));
        let texts = print::counted(self.texts, "text");
        _ = write!(page, "  {texts}, about {} tokens", self.tokens);
        let mut hooks = self
            .hooks
            .iter()
            .map(|(hook, count)| (hook.as_str(), *count));
        _ = match self.hooks.is_empty() {
            true => writeln!(page),
            false => writeln!(page, ": {}", named(&mut hooks)),
        };
        _ = writeln!(page, "  {} refused", print::counted(self.refused, "call"));
        if self.asks > 0 {
            _ = writeln!(
                page,
                "  {} to the user",
                print::counted(self.asks, "question")
            );
        }
        for left_out in &self.not_simulated {
            _ = writeln!(page, "  not simulated: {left_out}");
        }
        let Reading {
            unreadable,
            first_unreadable,
            too_long,
            unknown,
            unknown_kinds,
            ..
        } = &self.reading;
        if let Some(first) = first_unreadable {
            let lines = print::counted(*unreadable, "line");
            _ = writeln!(
                page,
                "  not read: {lines} without a JSON object in UTF-8, the first is line {first}"
            );
        }
        if *too_long > 0 {
            let lines = print::counted(*too_long, "line");
            _ = writeln!(page, "  not read: {lines} of more than 16 MiB");
        }
        if *unknown > 0 {
            let mut kinds = unknown_kinds
                .iter()
                .map(|(kind, count)| (kind.as_str(), *count));
            let kinds = named(&mut kinds);
            _ = writeln!(page, "  not known: {unknown} entries ({kinds})");
        }
        page
    }
}
