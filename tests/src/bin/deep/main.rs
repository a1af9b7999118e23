//! Checks the row of a client in the table: long texts in several scripts, its moved folder, a subagent, a resumed and a compacted
//! session, and the calls that a gate stops.
//!
//! `cargo run -p hooks-tests --bin deep -- SERVER CLIENT SECONDS` prints them as JSON, as `cargo hooks prove --json` does. `SERVER` is the
//! program of any server. Behind it, `texts` or `gates` leaves the other part out.

mod sessions;

use std::{
    env,
    error::Error,
    io::{Write, stdout},
    path::Path,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use cargo_hooks::prove::{
    Fate, PreparedTrial, Proof, Requests, Setting, Shown, Trial, at_event, copy, prove_gates,
    version,
};
use hooks_sdk::{
    clients::{
        Aftermath, Client, by_name,
        dump::Dump,
        find_program,
        trial::{PROBE, ProbeFiring, firings, set_probe},
    },
    lifecycle::Event,
};
use hooks_tests::long_texts::Script;
use serde::Serialize;
use serde_json::{Value, json};

use self::sessions::{Compaction, compaction, resumed};

type Failure = Box<dyn Error + Send + Sync>;

/// The exit code where the row differs from what was seen, and the one where the client cannot be run.
const DIFFERS: u8 = 1;
const CANNOT_RUN: u8 = 2;

/// What happened to the texts of one more start of the client.
#[derive(Debug, PartialEq, Serialize)]
struct Deep {
    /// The name of the trial, such as `99 % of 10000 UTF-16 units in Cyrillic` or `resumed`.
    tried: String,
    event: Event,
    fate: Fate,
    /// How it went, where that is no finding.
    note: Option<String>,
    /// How it differs from the table.
    finding: Option<String>,
}

fn main() -> ExitCode {
    // The other server of a trial is the program that makes the trial.
    if env::args().nth(1).is_some_and(|word| word == "mark") {
        return cargo_hooks::main();
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let checked = runtime.expect("a runtime").block_on(checked());
    match checked {
        Ok((shown, code)) => {
            // Whoever closes its end does not read it.
            _ = writeln!(stdout(), "{shown:#}");
            code
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(CANNOT_RUN)
        }
    }
}

async fn checked() -> Result<(Value, ExitCode), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [server, client, seconds, parts @ ..] = &arguments[..] else {
        return Err("name the program of a server, a client, and the seconds of each start".into());
    };
    let is_wanted = |part: &str| parts.is_empty() || parts.iter().any(|word| word == part);
    let client = by_name(client).ok_or("there is no such client")?;
    let time = Duration::from_secs(seconds.parse()?);
    let (_folder, binary) = copy(Path::new(server))?;
    let mut said = Command::new(&binary);
    let said = said.args(["hooks", "dump", "--json"]).output()?;
    let program: Dump = serde_json::from_slice(&said.stdout)?;
    let until = || Instant::now() + time;

    let mut proof = Proof::of(client);
    let deeper = Deeper {
        program: &program,
        client,
        binary: &binary,
    };
    let at = find_program(client.program).ok_or("the client is not on the PATH")?;
    // Nothing is installed for it, and no stand-in listens.
    let trial = Trial::new(&*program.name, 0)?;
    proof.set_version(version(client, &trial, &at, until()).await);
    drop(trial);
    let mut deep = Vec::new();
    if is_wanted("texts") {
        deep = deeper.all(until).await;
    }
    if is_wanted("gates") {
        // About forty calls, one of them until the client's own deadline.
        let until = Instant::now() + 4 * time;
        prove_gates(&program, client, &binary, until, &mut proof).await?;
    }
    let differs = proof.findings() > 0 || deep.iter().any(|each| each.finding.is_some());
    let code = match (differs, &proof.problem) {
        (true, _) => DIFFERS,
        (false, Some(_)) => CANNOT_RUN,
        (false, None) => 0,
    };
    let mut shown = serde_json::to_value(&proof)?;
    shown["deep"] = json!(deep);
    Ok((json!([shown]), ExitCode::from(code)))
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

fn failed(tried: &str, error: &Failure) -> Deep {
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
    binary: &'p Path,
}

impl Deeper<'_> {
    /// Starts the client once for each script, and further times for its moved folder, a subagent and, if it takes texts at the
    /// start of a session, for a resumed and a compacted one.
    async fn all(&self, until: impl Fn() -> Instant) -> Vec<Deep> {
        let mut all = Vec::new();
        for script in Script::ALL {
            let seen = self.long(script, until()).await;
            all.extend(
                seen.unwrap_or_else(|error| vec![failed(&format!("texts in {script}"), &error)]),
            );
        }
        let moved = self.moved(until()).await;
        all.extend(moved.unwrap_or_else(|error| Some(failed("moved folder", &error))));
        let inside = self.subagent(until()).await;
        all.extend(inside.unwrap_or_else(|error| vec![failed("subagent", &error)]));
        if !heard(self.client).any(|event| event == Event::SessionStart) {
            return all;
        }
        let resumed = self.resumed(until()).await;
        all.push(resumed.unwrap_or_else(|error| failed("resumed", &error)));
        let compacted = self.compacted(until()).await;
        all.push(compacted.unwrap_or_else(|error| failed("compacted", &error)));
        all
    }

    async fn prepared(&self, setting: Setting, until: Instant) -> Result<PreparedTrial, Failure> {
        let (program, client, notes) = (self.program, self.client, &mut Vec::new());
        PreparedTrial::of(program, client, self.binary, setting, until, notes).await
    }

    /// Starts the client once, and judges what happened at these events.
    async fn seen(
        &self,
        prepared: &PreparedTrial,
        events: impl Iterator<Item = Event>,
        tried: impl Fn(Event) -> String,
        until: Instant,
    ) -> Result<Vec<Deep>, Failure> {
        let (ended, _) = prepared.start(&prepared.launch.arguments, until).await?;
        let firings = firings(&prepared.trial.root)?;
        let requests = Requests::of(&prepared.stand_in.log().requests);
        let shown = Shown {
            client: self.client,
            firings: &firings,
            requests: &requests,
            course: prepared.course(&ended),
        };
        let judged = events.map(|event| {
            let at = at_event(shown, event);
            Deep {
                tried: tried(event),
                event,
                fate: at.fate,
                note: ended.problem().filter(|_| at.fate == Fate::NotKnown),
                finding: at.finding,
            }
        });
        Ok(judged.collect())
    }

    /// Judges texts of 99 % of what the client takes, at each event at which a text reaches the agent.
    async fn long(&self, script: Script, until: Instant) -> Result<Vec<Deep>, Failure> {
        let client = self.client;
        let setting = Setting {
            calls_server: true,
            ..Setting::default()
        };
        let tried = |event| format!("99 % of {} in {script}", client.budget(event));
        let prepared = self.prepared(setting, until).await?;
        for event in Event::ALL {
            let text = script.text(event, &prepared.trial.server, client.budget(event));
            set_probe(&prepared.trial.root, event, &text)?;
        }
        self.seen(&prepared, heard(client), tried, until).await
    }

    /// Judges the first text of a start with the client's files in the folder that its variable names.
    async fn moved(&self, until: Instant) -> Result<Option<Deep>, Failure> {
        let Some((variable, _)) = self.client.folder.variables.first() else {
            return Ok(None);
        };
        let setting = Setting {
            is_moved: true,
            ..Setting::default()
        };
        let tried = |_| format!("files where `{variable}` says");
        let prepared = self.prepared(setting, until).await?;
        let first = heard(self.client).take(1);
        let seen = self.seen(&prepared, first, tried, until).await?;
        Ok(seen.into_iter().next())
    }

    /// Judges which texts are in the requests of a subagent.
    async fn subagent(&self, until: Instant) -> Result<Vec<Deep>, Failure> {
        const TRIED: &str = "subagent";
        let setting = Setting {
            starts_subagent: true,
            ..Setting::default()
        };
        let prepared = self.prepared(setting, until).await?;
        if prepared.launch.subagent().is_none() {
            let why = "it is not known how its model starts one";
            return Ok(vec![not_known(TRIED, why)]);
        }
        let (ended, _) = prepared.start(&prepared.launch.arguments, until).await?;
        let firings = firings(&prepared.trial.root)?;
        let log = prepared.stand_in.log();
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
    async fn resumed(&self, until: Instant) -> Result<Deep, Failure> {
        const TRIED: &str = "resumed";
        let setting = Setting {
            calls_server: true,
            ..Setting::default()
        };
        let prepared = self.prepared(setting, until).await?;
        let Some(resume) = resumed(self.client, &prepared.launch, Trial::PROMPT) else {
            let why = "it resumes a session in a terminal only";
            return Ok(not_known(TRIED, why));
        };
        let (first, _) = prepared.start(&prepared.launch.arguments, until).await?;
        let (asked, fired) = (
            prepared.stand_in.log().requests.len(),
            firings(&prepared.trial.root)?.len(),
        );
        let second = match first.problem() {
            None => prepared.start(&resume, until).await?.0,
            Some(_) => first,
        };
        let log = prepared.stand_in.log().requests.split_off(asked);
        if second.problem().is_some() || log.is_empty() {
            let problem = second.problem();
            let why = problem.unwrap_or_else(|| "it asked its model nothing".to_owned());
            return Ok(not_known(TRIED, why));
        }
        let log = Requests::of(&log);
        let firings = firings(&prepared.trial.root)?;
        let (before, after) = firings.split_at(fired.min(firings.len()));
        let has = |firings| probes(firings, Event::SessionStart).any(|text| log.has(text));
        let expected = self.client.after_start.resume;
        Ok(aftermath(TRIED, has(before), has(after), expected))
    }

    /// Judges what a compacted session has of the texts of its start.
    async fn compacted(&self, until: Instant) -> Result<Deep, Failure> {
        const TRIED: &str = "compacted";
        let Some(compaction) = compaction(self.client) else {
            let why = "it is not known how it is made to compact its session";
            return Ok(not_known(TRIED, why));
        };
        let tokens = match compaction {
            Compaction::Tokens(tokens) => Some(tokens),
            Compaction::Command(_) => None,
        };
        let setting = Setting {
            tokens,
            ..Setting::default()
        };
        let prepared = self.prepared(setting, until).await?;
        let mut starts = vec![prepared.launch.arguments.clone()];
        if let Compaction::Command(command) = compaction {
            let prompts = [command, Trial::PROMPT].into_iter();
            starts.extend(
                prompts.filter_map(|prompt| resumed(self.client, &prepared.launch, prompt)),
            );
        }
        for arguments in &starts {
            let (ended, _) = prepared.start(arguments, until).await?;
            if let Some(problem) = ended.problem() {
                return Ok(not_known(TRIED, problem));
            }
        }
        let firings = firings(&prepared.trial.root)?;
        let mut log = prepared.stand_in.log();
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
