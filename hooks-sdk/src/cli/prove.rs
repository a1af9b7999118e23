//! `hooks prove`: runs a client once against a stand-in for its model service, and says which texts reached the model.

use std::{
    collections::BTreeSet,
    env,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use clap::Args;
use serde_json::Value;
use tokio::signal::unix::{SignalKind, signal};

use super::{
    CommandError, Program, command::OutputFormat, print, probe::on_path, program::runtime, proven,
    tools_of,
};
use crate::{
    clients::{
        self, Client, InstallScope, Installation,
        config::{HookEntry, Plan},
    },
    lifecycle::Event,
    prove::{
        Fate, Inside, PROBE, Play, Proof, Requests, StandIn, Trial, asks_for_login, at_event,
        firings, last_lines, launch, listen, of_hook,
    },
    server::ServerHandler,
};

/// The requests of an agent from which it is in a loop. A sound trial needs four.
const MOST_REQUESTS: usize = 40;

/// The time that a client has to say its version.
const FOR_VERSION: Duration = Duration::from_secs(6);

/// The step in the client's shell tool. Hooks often wait for a commit.
const COMMIT: &str = "git commit --allow-empty -q -m 'A step of the trial'";

/// The exit code of a program that Ctrl-C has ended.
const INTERRUPTED: u8 = 130;

/// The arguments of `hooks prove`.
#[derive(Clone, Debug, Args)]
pub(super) struct Prove {
    /// Only this client, instead of every client on the PATH
    #[arg(long, value_name = "CLIENT", value_parser = super::command::client_parser())]
    client: Option<&'static dyn Client>,
    /// The time for each client
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=300))]
    timeout: u64,
    #[command(flatten)]
    format: OutputFormat,
    /// Print a tool that can be called without harm. It works inside of a trial only.
    #[arg(long, hide = true)]
    harmless: bool,
}

impl Prove {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> ExitCode {
        let proved = runtime().map_err(Into::into).and_then(|runtime| {
            runtime.block_on(async {
                if self.harmless {
                    return self
                        .print_harmless(program)
                        .await
                        .map(|()| ExitCode::SUCCESS);
                }
                let (mut interrupt, mut terminate) = (
                    signal(SignalKind::interrupt())?,
                    signal(SignalKind::terminate())?,
                );
                tokio::select! {
                    proved = self.prove(program) => proved,
                    // What is dropped here ends the client and deletes its folders.
                    _ = interrupt.recv() => Ok(ExitCode::from(INTERRUPTED)),
                    _ = terminate.recv() => Ok(ExitCode::from(INTERRUPTED)),
                }
            })
        });
        proved.unwrap_or_else(|error| {
            print::outcome(Err(error));
            ExitCode::from(proven::CANNOT_RUN)
        })
    }

    async fn print_harmless<H: ServerHandler>(
        &self,
        program: &Program<H>,
    ) -> Result<(), CommandError> {
        if Inside::here().is_none() {
            return Err("this process is in no trial of `hooks prove`".into());
        }
        print::json(&tools_of::harmless(program).await?)
    }

    async fn prove<H: ServerHandler>(
        &self,
        program: &Program<H>,
    ) -> Result<ExitCode, CommandError> {
        let found = |client: &&'static dyn Client| on_path(client.program()).is_some();
        let clients: Vec<&'static dyn Client> = match self.client {
            Some(client) => vec![client],
            None => clients::ALL.into_iter().filter(found).collect(),
        };
        if clients.is_empty() {
            return Err(
                "no client was found on the PATH\nhelp: install one, and run this command again"
                    .into(),
            );
        }
        let mut proofs = Vec::new();
        for client in clients {
            let begun = Instant::now();
            let proof = self.prove_one(program, client).await;
            let mut proof = proof.unwrap_or_else(|error| Proof::failed(client, error.to_string()));
            proof.seconds = (begun.elapsed().as_secs_f64() * 10.0).round() / 10.0;
            if !self.format.json {
                print::text(&proven::page(&proof))?;
            }
            proofs.push(proof);
        }
        if self.format.json {
            print::json(&proofs)?;
        } else if proofs.len() > 1 {
            print::text(&proven::matrix(&proofs))?;
        }
        Ok(proven::exit_code(&proofs))
    }

    async fn prove_one<H: ServerHandler>(
        &self,
        program: &Program<H>,
        client: &'static dyn Client,
    ) -> Result<Proof, CommandError> {
        let until = Instant::now() + Duration::from_secs(self.timeout);
        let Some(at) = on_path(client.program()) else {
            return Err(format!("`{}` is not on the PATH", client.program()).into());
        };
        let listener = listen(0).await?;
        let trial = Trial::new(&*program.name, listener.local_addr()?.port())?;
        let Some(launch) = launch(client, &trial) else {
            return Err("it cannot be run without its own model service".into());
        };
        trial.prepare(&launch.files, until).await?;
        let ours = trial.program(&env::current_exe()?)?;
        let plan = plan(client, &trial, &ours);
        plan.apply(&trial.data())?;

        let mut proof = Proof::of(client);
        proof.set_version(version(&trial, &at, until).await);
        let plays = plays(&trial, &ours, until, &mut proof.notes).await;
        let stand_in = StandIn::serve(listener, launch.dialect, plays);
        let mut started = Command::new(&at);
        started.args(&launch.arguments).envs(launch.env);
        let loops = || {
            let asks = stand_in.log().requests.len() > MOST_REQUESTS;
            asks.then(|| {
                format!(
                    "it was ended after {MOST_REQUESTS} requests: it asks its model again and again"
                )
            })
        };
        let (ended, out) = trial
            .watched(client.name(), &mut started, b"", until, loops)
            .await?;

        let log = stand_in.log();
        let errors = trial.errors(client.name());
        proof.requests = log.requests.len();
        proof.problem = ended.problem();
        if proof.requests == 0 {
            let asks = asks_for_login(&errors) || asks_for_login(&out);
            let what = if asks {
                "it asks for a login"
            } else {
                "it sent no request to its model"
            };
            let how = proof
                .problem
                .take()
                .unwrap_or_else(|| "it ended".to_owned());
            proof.problem = Some(format!("{what}: {how}"));
        }
        if proof.problem.is_some() {
            proof.stderr = last_lines(if errors.trim().is_empty() {
                &out
            } else {
                &errors
            });
        }
        proof.notes.extend(log.untaken.clone());
        let requests = Requests::of(&log.requests);
        drop(log);
        self.judge(program, client, &trial, &requests, &mut proof)?;
        if proof.problem.is_none() {
            blame(&mut proof, &plan, &trial, Instant::now() + FOR_VERSION).await;
        }
        proof.conclude();
        Ok(proof)
    }

    fn judge<H: ServerHandler>(
        &self,
        program: &Program<H>,
        client: &'static dyn Client,
        trial: &Trial,
        requests: &Requests,
        proof: &mut Proof,
    ) -> Result<(), CommandError> {
        let firings = firings(trial.root())?;
        let events = Event::ALL.into_iter();
        proof.events = events
            .map(|event| at_event(client, event, &firings, requests))
            .collect();
        let unheard = firings.iter().filter(|firing| firing.event.is_none());
        proof.unanswered = unheard
            .filter_map(|firing| firing.problem.clone())
            .collect();

        let hooks = program.hooks()?;
        let declared = futures::executor::block_on(hooks.declared(client.features(), None));
        let mut all = Vec::new();
        for each in &declared {
            let event = each.declaration.event.known();
            all.extend(
                event
                    .into_iter()
                    .flat_map(|event| each.hooks.iter().map(|id| (*event, id.clone()))),
            );
        }
        // Hooks whose texts a function makes are known from their firings.
        let fired = firings
            .iter()
            .filter_map(|firing| Some((firing.event?, firing)));
        let made = fired.flat_map(|(event, firing)| {
            let said = firing.said.iter().flat_map(|said| &said.hooks);
            let unsaid = firing.unsaid.iter().flat_map(|unsaid| &unsaid.hooks);
            said.chain(unsaid).map(move |id| (event, id.clone()))
        });
        all.extend(made.filter(|(_, id)| id != PROBE));
        let mut seen = BTreeSet::new();
        all.retain(|hook| seen.insert(hook.clone()));
        let judged = all
            .iter()
            .map(|(event, id)| of_hook(client, id, *event, &firings, requests));
        proof.hooks = judged.collect();
        Ok(())
    }
}

/// Plans the installation in a trial: an entry for each event, also where no text is expected to reach the agent.
///
/// The program's arguments are left out, because they name the user's data.
fn plan(client: &'static dyn Client, trial: &Trial, program: &Path) -> Plan {
    let place = trial.place();
    let to =
        Installation::new(InstallScope::User, &place, trial.server(), program).events(&Event::ALL);
    let plan = to.plan(client, true);
    if plan.hooks().is_empty() {
        // The hooks are a file of their own, which has all events.
        return plan;
    }
    let unheard = Event::ALL
        .into_iter()
        .filter(|event| !client.mapping(*event).delivery.reaches_agent());
    unheard.fold(plan, |plan, event| {
        let command = to.command(client.name(), event.as_str());
        plan.hook(HookEntry {
            file: client.hooks_file(to.scope, &place, to.server),
            path: client.hooks_path(to.server),
            event: client.mapping(event).native.to_owned(),
            value: client.hook_entry(event, to.server, &command),
        })
    })
}

async fn version(trial: &Trial, program: &Path, until: Instant) -> Option<String> {
    let until = until.min(Instant::now() + FOR_VERSION);
    let mut command = Command::new(program);
    let (_, said) = trial
        .output("version", command.arg("--version"), b"", until)
        .await
        .ok()?;
    let mut words = said.lines().next()?.split_whitespace();
    let is_version = |word: &&str| {
        word.contains('.') && word.starts_with(|letter: char| letter.is_ascii_digit())
    };
    let version = words.find(is_version)?;
    Some(version.trim_end_matches('.').to_owned())
}

/// Returns the steps of the model. The server is asked for a harmless tool inside of the trial.
async fn plays(
    trial: &Trial,
    ours: &PathBuf,
    until: Instant,
    notes: &mut Vec<String>,
) -> Vec<Play> {
    let mut plays = vec![Play::Shell(COMMIT.to_owned())];
    let mut command = Command::new(ours);
    let command = command.args(["hooks", "prove", "--harmless"]);
    let asked = trial.output("tools", command, b"", until).await;
    let said = asked.ok().filter(|(ended, _)| ended.problem().is_none());
    match said.map(|(_, said)| serde_json::from_str::<Option<(String, Value)>>(&said)) {
        Some(Ok(Some((tool, arguments)))) => plays.push(Play::Tool {
            server: trial.server().to_owned(),
            tool,
            arguments,
        }),
        Some(Ok(None)) => notes
            .push("no tool of the server was called: none is annotated as read-only".to_owned()),
        _ => {
            let why = last_lines(&trial.errors("tools")).pop().unwrap_or_default();
            notes.push(format!(
                "no tool of the server was called, because the server does not list them: {why}"
            ));
        }
    }
    plays
}

/// Looks up why a hook did not fire: its entry is gone, or the command in it does not work.
async fn blame(proof: &mut Proof, plan: &Plan, trial: &Trial, until: Instant) {
    let Ok(installed) = plan.installed() else {
        return;
    };
    for at in &mut proof.events {
        let Some(finding) = at.finding.as_mut().filter(|_| at.fate == Fate::DidNotFire) else {
            continue;
        };
        let mut entries = installed
            .iter()
            .filter(|entry| entry.event == at.native)
            .peekable();
        if entries.peek().is_none() && !plan.hooks().is_empty() {
            finding.push_str(": its entry is no longer in the client's file");
        }
        for entry in entries {
            if let Some(problem) = broken(trial, &entry.command, until).await {
                finding.push_str(&format!(
                    ": its command {problem}: `{}`",
                    print::clip(&entry.command, 200)
                ));
            }
        }
    }
}

/// Runs the command of an entry with an event that no client has. Returns what is wrong with its answer.
async fn broken(trial: &Trial, line: &str, until: Instant) -> Option<String> {
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", line]);
    let input = br#"{"hook_event_name":"hooks prove"}"#;
    match trial.output("entry", shell, input, until).await {
        Err(error) => Some(format!("cannot be run ({error})")),
        Ok((ended, _)) if ended.problem().is_some() => {
            Some(format!("fails ({})", ended.problem().unwrap_or_default()))
        }
        Ok((_, said))
            if serde_json::from_str::<Value>(&said).is_ok_and(|answer| answer.is_object()) =>
        {
            None
        }
        Ok((_, said)) if said.trim().is_empty() => {
            Some("returns nothing, because its program does not exist".to_owned())
        }
        Ok((_, said)) => Some(format!(
            "returns no JSON object, but {}",
            print::clip(&said, 60)
        )),
    }
}
