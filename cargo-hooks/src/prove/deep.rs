//! `cargo hooks prove --deep`: long texts in several scripts, a subagent, and a resumed and a compacted session.

use std::time::Instant;

use hooks_clients::{
    Aftermath, Client,
    dump::Dump,
    trial::{PROBE, ProbeFiring, Script, firings},
};
use hooks_core::lifecycle::Event;

use super::{
    Binary, Compaction, Deep, Fate, Requests, Shown, at_event,
    set::{Set, Shows},
};
use crate::CommandError;

/// Starts a client once for each script, and further times for a subagent and, if it takes texts at the start of a session,
/// for a resumed and a compacted one.
pub(super) async fn deeper(
    program: &Dump,
    client: &'static Client,
    binary: &Binary,
    until: impl Fn() -> Instant,
) -> Vec<Deep> {
    let mut all = Vec::new();
    let deeper = Deeper {
        program,
        client,
        binary,
    };
    for script in Script::ALL {
        let seen = deeper.long(script, until()).await;
        all.extend(
            seen.unwrap_or_else(|error| vec![failed(&format!("texts in {script}"), &error)]),
        );
    }
    let moved = deeper.moved(until()).await;
    all.extend(moved.unwrap_or_else(|error| Some(failed("moved folder", &error))));
    let inside = deeper.subagent(until()).await;
    all.extend(inside.unwrap_or_else(|error| vec![failed("subagent", &error)]));
    if !heard(client).any(|event| event == Event::SessionStart) {
        return all;
    }
    let resumed = deeper.resumed(until()).await;
    all.push(resumed.unwrap_or_else(|error| failed("resumed", &error)));
    let compacted = deeper.compacted(until()).await;
    all.push(compacted.unwrap_or_else(|error| failed("compacted", &error)));
    all
}

fn not_known(tried: &str, why: impl Into<String>) -> Deep {
    Deep {
        tried: tried.to_owned(),
        event: Event::SessionStart,
        fate: Fate::NotKnown,
        note: Some(why.into()),
        finding: None,
    }
}

fn failed(tried: &str, error: &CommandError) -> Deep {
    not_known(tried, format!("it could not be run: {error}"))
}

/// Returns the texts of the probe at these firings of an event.
fn probes(firings: &[ProbeFiring], event: Event) -> impl Iterator<Item = &str> {
    let at = firings
        .iter()
        .filter(move |firing| firing.event == Some(event));
    let said = at.flat_map(|firing| &firing.said);
    said.filter(|said| said.hooks == [PROBE])
        .map(|said| &*said.text)
}

/// Returns the events at which a text reaches the agent.
fn heard(client: &Client) -> impl Iterator<Item = Event> {
    let reached = |event: &Event| client.mapping(*event).delivery.reaches_agent();
    Event::ALL.into_iter().filter(reached)
}

/// Judges what the agent has of the texts of its session's start: of those that were said before the change and those after.
fn aftermath(tried: &str, kept: bool, sent: bool, expected: Aftermath) -> Deep {
    let (found, is_expected) = match (kept, sent) {
        (true, false) => ("kept", expected == Aftermath::Kept),
        (false, true) => ("sent again", expected == Aftermath::SentAgain),
        (true, true) => ("kept and sent again", false),
        (false, false) => ("lost", expected == Aftermath::Lost),
    };
    let what = format!("the text of the start is {found}");
    let mut deep = not_known(tried, &*what);
    deep.fate = if kept || sent {
        Fate::Reached
    } else {
        Fate::Dropped
    };
    if !is_expected {
        deep.note = None;
        deep.finding = Some(format!("{what}, and the table says `{expected}`"));
    }
    deep
}

struct Deeper<'p> {
    program: &'p Dump,
    client: &'static Client,
    binary: &'p Binary,
}

impl Deeper<'_> {
    async fn up(&self, shows: Shows, until: Instant) -> Result<Set, CommandError> {
        let notes = &mut Vec::new();
        Set::up(self.program, self.client, self.binary, shows, until, notes).await
    }

    /// Judges texts of 99 % of what the client takes, at each event at which a text reaches the agent.
    async fn long(&self, script: Script, until: Instant) -> Result<Vec<Deep>, CommandError> {
        let client = self.client;
        let set = self.up(Shows::Long(script), until).await?;
        let (ended, _) = set.start(&set.launch.arguments, until).await?;
        let firings = firings(set.trial.root())?;
        let requests = Requests::of(&set.stand_in.log().requests);
        let shown = Shown {
            client,
            firings: &firings,
            requests: &requests,
            course: set.course(&ended),
        };
        let judged = heard(client).map(|event| {
            let at = at_event(shown, event);
            Deep {
                tried: format!("99 % of {} in {script}", client.budget(event)),
                event,
                fate: at.fate,
                note: (at.fate == Fate::NotKnown)
                    .then(|| ended.problem().unwrap_or_default())
                    .filter(|note| !note.is_empty()),
                finding: at.finding,
            }
        });
        Ok(judged.collect())
    }

    /// Judges the first text of a start with the client's files in the folder that its variable names.
    async fn moved(&self, until: Instant) -> Result<Option<Deep>, CommandError> {
        let (client, mut events) = (self.client, heard(self.client));
        let variables = client.folder.variables;
        let (Some((variable, _)), Some(event)) = (variables.first(), events.next()) else {
            return Ok(None);
        };
        let set = self.up(Shows::Moved, until).await?;
        let (ended, _) = set.start(&set.launch.arguments, until).await?;
        let firings = firings(set.trial.root())?;
        let requests = Requests::of(&set.stand_in.log().requests);
        let shown = Shown {
            client,
            firings: &firings,
            requests: &requests,
            course: set.course(&ended),
        };
        let at = at_event(shown, event);
        let mut deep = not_known(&format!("files where `{variable}` says"), "");
        deep.event = event;
        deep.fate = at.fate;
        deep.note = ended.problem().filter(|_| at.fate == Fate::NotKnown);
        deep.finding = at.finding;
        Ok(Some(deep))
    }

    /// Judges which texts are in the requests of a subagent.
    async fn subagent(&self, until: Instant) -> Result<Vec<Deep>, CommandError> {
        const TRIED: &str = "subagent";
        let set = self.up(Shows::Subagent, until).await?;
        if set.launch.subagent.is_none() {
            let why = "it is not known how its model starts one";
            return Ok(vec![not_known(TRIED, why)]);
        }
        let (ended, _) = set.start(&set.launch.arguments, until).await?;
        let firings = firings(set.trial.root())?;
        let log = set.stand_in.log();
        if log.inside.is_empty() || ended.problem().is_some() {
            let why = ended.problem().or_else(|| log.untaken.clone());
            let why = why.unwrap_or_else(|| "its model called for one, and none began".to_owned());
            return Ok(vec![not_known(TRIED, why)]);
        }
        let inside = Requests::of(&log.inside);
        let judged = heard(self.client).map(|event| {
            let reached = probes(&firings, event).any(|text| inside.has(text));
            let (fate, what) = match reached {
                true => (Fate::Reached, "its text reaches the subagent"),
                false => (Fate::Dropped, "its text does not reach the subagent"),
            };
            let expected = self.client.mapping(event).subagents;
            let is_expected = expected == Some(reached);
            let other = match expected {
                Some(true) => "that it does",
                Some(false) => "that it does not",
                None => "nothing about it",
            };
            Deep {
                event,
                fate,
                note: is_expected.then(|| what.to_owned()),
                finding: (!is_expected).then(|| format!("{what}, and the table says {other}")),
                ..not_known(TRIED, "")
            }
        });
        Ok(judged.collect())
    }

    /// Judges what a resumed session has of the texts of its start.
    async fn resumed(&self, until: Instant) -> Result<Deep, CommandError> {
        const TRIED: &str = "resumed";
        let set = self.up(Shows::Start, until).await?;
        if set.launch.resume.is_empty() {
            let why = "it resumes a session in a terminal only";
            return Ok(not_known(TRIED, why));
        }
        let (first, _) = set.start(&set.launch.arguments, until).await?;
        let (asked, fired) = (
            set.stand_in.log().requests.len(),
            firings(set.trial.root())?.len(),
        );
        let second = match first.problem() {
            None => set.start(&set.launch.resume, until).await?.0,
            Some(_) => first,
        };
        let log = set.stand_in.log().requests.split_off(asked);
        if second.problem().is_some() || log.is_empty() {
            let problem = second.problem();
            let why = problem.unwrap_or_else(|| "it asked its model nothing".to_owned());
            return Ok(not_known(TRIED, why));
        }
        let log = Requests::of(&log);
        let firings = firings(set.trial.root())?;
        let (before, after) = firings.split_at(fired.min(firings.len()));
        let has = |firings| probes(firings, Event::SessionStart).any(|text| log.has(text));
        let expected = self.client.after_start.resume;
        Ok(aftermath(TRIED, has(before), has(after), expected))
    }

    /// Judges what a compacted session has of the texts of its start.
    async fn compacted(&self, until: Instant) -> Result<Deep, CommandError> {
        const TRIED: &str = "compacted";
        let set = self.up(Shows::Compaction, until).await?;
        let Some(compaction) = &set.launch.compaction else {
            let why = "it is not known how it is made to compact its session";
            return Ok(not_known(TRIED, why));
        };
        let mut starts = vec![set.launch.arguments.clone()];
        if let Compaction::Command(command) = compaction {
            starts.extend([set.launch.resume_with(command), set.launch.resume.clone()]);
        }
        for arguments in &starts {
            let (ended, _) = set.start(arguments, until).await?;
            if let Some(problem) = ended.problem() {
                return Ok(not_known(TRIED, problem));
            }
        }
        let firings = firings(set.trial.root())?;
        let mut log = set.stand_in.log();
        let Some(at) = log.compacted() else {
            let why = match compaction {
                Compaction::Command(command) => format!("`{command}` did not compact its session"),
                Compaction::Tokens(tokens) => {
                    format!(
                        "its model reported {tokens} tokens, and it did not compact its session"
                    )
                }
            };
            return Ok(not_known(TRIED, why));
        };
        let after = Requests::of(&log.requests.split_off(at));
        let mut said = probes(&firings, Event::SessionStart);
        let kept = said.next().is_some_and(|text| after.has(text));
        let sent = said.any(|text| after.has(text));
        let expected = self.client.after_start.compaction;
        Ok(aftermath(TRIED, kept, sent, expected))
    }
}
