//! `hooks prove --deep`: long texts in several scripts, and a resumed session.

use std::time::Instant;

use super::{CommandError, Program, trial::Set};
use crate::{
    clients::{Aftermath, Client},
    lifecycle::Event,
    prove::{Binary, Deep, Fate, PROBE, Requests, Script, Shown, at_event, firings},
    server::ServerHandler,
};

/// Starts a client once for each script and once more to resume a session.
pub(super) async fn deeper<H: ServerHandler>(
    program: &Program<H>,
    client: &'static dyn Client,
    binary: &Binary,
    until: impl Fn() -> Instant,
) -> Vec<Deep> {
    let mut all = Vec::new();
    for script in Script::ALL {
        let seen = long(program, client, binary, script, until()).await;
        all.extend(
            seen.unwrap_or_else(|error| vec![failed(&format!("texts in {script}"), &error)]),
        );
    }
    let resumed = resumed(program, client, binary, until()).await;
    all.push(resumed.unwrap_or_else(|error| failed("resumed", &error)));
    all
}

fn failed(tried: &str, error: &CommandError) -> Deep {
    Deep {
        tried: tried.to_owned(),
        event: Event::SessionStart,
        fate: Fate::NotKnown,
        note: Some(format!("it could not be run: {error}")),
        finding: None,
    }
}

/// Judges texts of 99 % of what the client takes, at each event at which a text reaches the agent.
async fn long<H: ServerHandler>(
    program: &Program<H>,
    client: &'static dyn Client,
    binary: &Binary,
    script: Script,
    until: Instant,
) -> Result<Vec<Deep>, CommandError> {
    let set = Set::up(
        program,
        client,
        binary,
        Some(script),
        until,
        &mut Vec::new(),
    )
    .await?;
    let (ended, _) = set.start(&set.launch.arguments, until).await?;
    let firings = firings(set.trial.root())?;
    let requests = Requests::of(&set.stand_in.log().requests);
    let shown = Shown {
        client,
        firings: &firings,
        requests: &requests,
        course: set.course(&ended),
    };
    let reached = |event: &Event| client.mapping(*event).delivery.reaches_agent();
    let events = Event::ALL.into_iter().filter(reached);
    let judged = events.map(|event| {
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

/// Judges what a resumed session has of the texts of its start.
async fn resumed<H: ServerHandler>(
    program: &Program<H>,
    client: &'static dyn Client,
    binary: &Binary,
    until: Instant,
) -> Result<Deep, CommandError> {
    let mut deep = Deep {
        tried: "resumed".to_owned(),
        event: Event::SessionStart,
        fate: Fate::NotKnown,
        note: None,
        finding: None,
    };
    let set = Set::up(program, client, binary, None, until, &mut Vec::new()).await?;
    if set.launch.resume.is_empty() {
        deep.note = Some("it resumes a session in a terminal only".to_owned());
        return Ok(deep);
    }
    let (first, _) = set.start(&set.launch.arguments, until).await?;
    let (requests, firings_before) = (
        set.stand_in.log().requests.len(),
        firings(set.trial.root())?.len(),
    );
    let (second, _) = match first.problem() {
        None => set.start(&set.launch.resume, until).await?,
        Some(_) => (first, String::new()),
    };
    let log = set.stand_in.log().requests.split_off(requests);
    if second.problem().is_some() || log.is_empty() {
        let problem = second.problem();
        deep.note = Some(problem.unwrap_or_else(|| "it asked its model nothing".to_owned()));
        return Ok(deep);
    }
    let log = Requests::of(&log);
    let firings = firings(set.trial.root())?;
    let (before, after) = firings.split_at(firings_before.min(firings.len()));
    let reached = |firings: &[crate::prove::Firing]| {
        let starts = firings
            .iter()
            .filter(|one| one.event == Some(Event::SessionStart));
        let mut said = starts
            .flat_map(|firing| &firing.said)
            .filter(|said| said.hooks == [PROBE]);
        said.any(|said| log.has(&said.text))
    };
    let (kept, sent) = (reached(before), reached(after));
    let found = match (kept, sent) {
        (true, false) => "kept",
        (false, true) => "sent again",
        (true, true) => "kept and sent again",
        (false, false) => "lost",
    };
    let expected = client.capabilities().after_start.resume;
    let is_expected = match expected {
        Aftermath::Kept => kept && !sent,
        Aftermath::SentAgain => sent && !kept,
        Aftermath::Lost => !kept && !sent,
        Aftermath::NotRun | Aftermath::Impossible => false,
    };
    deep.fate = if kept || sent {
        Fate::Reached
    } else {
        Fate::Dropped
    };
    let what = format!("the text of the start is {found}");
    if is_expected {
        deep.note = Some(what);
    } else {
        deep.finding = Some(format!("{what}, and the table says `{expected}`"));
    }
    Ok(deep)
}
