//! One event of a recorded session after the other, through the hooks and the rules.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::{
    judge::{SimulatedCall, SimulatedServer, SimulatedVerdict},
    moment::Moment,
    report::SimulationReport,
    shown::{FiredText, HeldBack, SimulatedStep},
    transcript::ReadTranscript,
};
use crate::{
    cli::{CommandError, Program, evaluate::ShortenedTexts, judge::UserAnswer, pipe::Pipe},
    clients::{self, Client, Fired, Fitting, fire_fitting, read_input},
    lifecycle::{
        Event, HookContent,
        host::{ContextTools, LifecycleHost, NoTools, Reason},
    },
    server::{Collected, Declared, ServerHandler},
};

/// The hooks and rules of a program, and what became of the session so far.
pub(super) struct Simulation<'s, H> {
    program: &'s Program<H>,
    hooks: &'s Collected<H>,
    judge: SimulatedServer<'s, H>,
    asks: bool,
    tools: Pipe<'s, H>,
    /// The client's declarations, once it is known.
    known: Option<SimulatedClient>,
    begun: Instant,
    first: Option<Timestamp>,
    latest: Duration,
    /// Whether the session has the texts of its start.
    has_start: bool,
    report: SimulationReport,
}

struct SimulatedClient {
    client: &'static dyn Client,
    host: LifecycleHost,
    declared: Vec<Declared>,
}

impl<'s, H: ServerHandler> Simulation<'s, H> {
    pub(super) fn new(
        program: &'s Program<H>,
        hooks: &'s Collected<H>,
        asks: bool,
        answer: Option<UserAnswer>,
    ) -> Simulation<'s, H> {
        Simulation {
            program,
            hooks,
            judge: SimulatedServer::of(program, answer),
            asks,
            tools: Pipe::apart(program),
            known: None,
            begun: Instant::now(),
            first: None,
            latest: Duration::ZERO,
            has_start: false,
            report: SimulationReport::default(),
        }
    }

    pub(super) fn end(mut self, client: &'static str, reading: ReadTranscript) -> SimulationReport {
        self.report.client = client;
        self.report.reading = reading;
        self.report.not_simulated = self.judge.left_out();
        if !self.asks {
            let made = Event::ALL
                .into_iter()
                .filter(|event| self.hooks.makes_text(*event));
            let made = made.map(|event| {
                format!("texts that a function of the server makes at {event}: --ask makes them")
            });
            self.report.not_simulated.extend(made);
        }
        self.report
    }

    /// Returns the time of an event, which never goes back.
    fn time(&mut self, at: Option<Timestamp>) -> Instant {
        if let Some(at) = at {
            let first = *self.first.get_or_insert(at);
            let since = Duration::try_from(at.duration_since(first)).unwrap_or_default();
            self.latest = self.latest.max(since);
        }
        self.begun + self.latest
    }

    async fn know(&mut self, name: &str) -> Result<SimulatedClient, CommandError> {
        let client = clients::by_name(name).ok_or("this client is not known")?;
        let server = match self.asks {
            true => Some(self.program.server().await?),
            false => None,
        };
        let declared = self
            .hooks
            .declared(client.features(), server.as_ref())
            .await;
        Ok(SimulatedClient {
            client,
            host: self.program.host(&self.program.name, &declared),
            declared,
        })
    }

    /// Simulates an event of the client of this name.
    pub(super) async fn step(&mut self, name: &str, moment: &Moment) -> Result<(), CommandError> {
        let known = match self.known.take() {
            Some(known) => known,
            None => self.know(name).await?,
        };
        let now = self.time(moment.at);
        let client = known.client;
        let native = client.mapping(moment.event).native;
        let server = &*self.program.name;
        // A member of a wrong type can make an event that no client sends.
        if let Ok(seen) = read_input(client, Some(moment.event), &[server], &moment.bytes(native)) {
            let mut step = SimulatedStep::new(moment, native, &seen);
            let own = seen.occasion.tool_server.as_deref() == Some(server);
            if let Some(tool) = seen.tool.clone().filter(|_| own)
                && let Some(ended) = moment.ended
            {
                let input = moment.input.as_deref().unwrap_or_default();
                let asked = SimulatedCall {
                    session: seen.session_id.as_deref(),
                    tool: &tool,
                    input: serde_json::from_str(input).unwrap_or_default(),
                    ended,
                };
                match self.judge.judge(asked).await {
                    Some(SimulatedVerdict::Refused { by, why }) => {
                        step.refused = Some(HeldBack::new(by, why))
                    }
                    Some(SimulatedVerdict::Asks { by, why }) => {
                        step.asks = Some(HeldBack::new(by, why))
                    }
                    None => {}
                }
            }
            let keeps = seen.source.as_deref() == Some("resume") && client.keeps_start();
            let is_kept = keeps && self.has_start;
            let tools: &dyn ContextTools = if self.asks { &self.tools } else { &NoTools };
            let fitting = Fitting {
                // The host's policy limits the characters.
                max_characters: usize::MAX,
                shorten: &ShortenedTexts {
                    hooks: self.hooks,
                    declared: &known.declared,
                },
            };
            let fired = fire_fitting(client, seen, &known.host, tools, now, &fitting).await;
            self.note(&known, &fired, is_kept, &mut step);
            self.has_start |= moment.event == Event::SessionStart && !step.fires.is_empty();
            self.report.add(step);
        }
        self.known = Some(known);
        Ok(())
    }

    /// Notes what fired, and what was held back for another reason than its matcher.
    fn note(
        &self,
        known: &SimulatedClient,
        fired: &Fired,
        is_kept: bool,
        step: &mut SimulatedStep,
    ) {
        let Some(report) = &fired.report else {
            return;
        };
        let hooks = |index: usize| {
            let declared = known.declared.get(index);
            let mut hooks = declared.map_or_else(Vec::new, |each| each.hooks.clone());
            let unfit = fired.unfit.iter().filter(|unfit| unfit.index == index);
            let unfit: Vec<&String> = unfit.flat_map(|unfit| &unfit.hooks).collect();
            hooks.retain(|hook| !unfit.contains(&hook));
            hooks
        };
        let calls_tool = |index: usize| {
            let content = known
                .declared
                .get(index)
                .map(|each| &each.declaration.content);
            matches!(content, Some(HookContent::ContextTool { .. }))
        };
        for injected in &report.injected {
            let hooks = hooks(injected.index);
            if is_kept && !calls_tool(injected.index) {
                let why = "the resumed session still has the text".to_owned();
                step.held_back.push(HeldBack::new(hooks.join(", "), why));
            } else {
                step.fires.push(FiredText::new(hooks, &injected.text));
            }
        }
        for failed in &report.failed {
            let hooks = hooks(failed.index).join(", ");
            let tool = &failed.tool;
            let why = match self.asks {
                true => format!("the tool `{tool}` returned no text: {}", failed.failure),
                false => format!("the tool `{tool}` makes its text: --ask calls it"),
            };
            step.held_back.push(HeldBack::new(hooks, why));
        }
        for skipped in &report.skipped {
            if skipped.reason != Reason::NotMatched {
                let hooks = hooks(skipped.index).join(", ");
                step.held_back
                    .push(HeldBack::new(hooks, skipped.reason.to_string()));
            }
        }
        if let Some(problem) = &fired.problem {
            step.held_back
                .push(HeldBack::new(String::new(), problem.clone()));
        }
    }
}
