//! The output of `hooks simulate`: the steps at which something would have happened, and a summary.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
    sync::Arc,
};

use serde::Serialize;

use super::{shown::SimulatedStep, transcript::ReadTranscript};
use crate::{cli::print, lifecycle::Event};

/// How many steps are listed; the others are only counted.
const MOST_STEPS: usize = 10_000;

/// What would have happened in a session.
#[derive(Debug, Default, Serialize)]
pub(super) struct SimulationReport {
    pub(super) client: &'static str,
    session: Option<String>,
    steps: Vec<SimulatedStep>,
    /// The number of steps that are not listed.
    further_steps: u64,
    events: BTreeMap<&'static str, u64>,
    hooks: BTreeMap<String, u64>,
    texts: u64,
    tokens: usize,
    refused: u64,
    asks: u64,
    pub(super) not_simulated: Vec<String>,
    pub(super) reading: ReadTranscript,
    /// The texts so far: a text is kept once.
    #[serde(skip)]
    known: HashMap<Arc<str>, u64>,
}

impl SimulationReport {
    fn events(&self) -> u64 {
        self.events.values().sum()
    }

    pub(super) fn refuses(&self) -> bool {
        self.refused > 0
    }

    pub(super) fn add(&mut self, mut step: SimulatedStep) {
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
        let ReadTranscript {
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
