//! `hooks prove`: runs a client once against a stand-in for its model service, and says which texts reached the model.

use std::{
    collections::BTreeSet,
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::Args;
use tokio::signal::unix::{SignalKind, signal};

use super::{
    CommandError, Program,
    deep::deeper,
    options::OutputFormat,
    print,
    probe::on_path,
    program::runtime,
    proven, tools_of,
    trial::{Set, Shows, blame, version},
};
use crate::{
    clients::{self, Client},
    lifecycle::Event,
    prove::{
        Binary, Course, Inside, PROBE, Proof, Requests, Shown, asks_for_login, at_event, firings,
        last_lines, of_hook,
    },
    server::ServerHandler,
};

/// The exit code of a program that Ctrl-C has ended.
const INTERRUPTED: u8 = 130;

/// How many times the time of a client its start with a gate may take.
#[cfg(feature = "plugin")]
const GATE_TIMES: u32 = 4;

/// The arguments of `hooks prove`.
#[derive(Clone, Debug, Args)]
pub(super) struct Prove {
    /// Only this client, instead of every client on the PATH
    #[arg(long, value_name = "CLIENT", value_parser = super::options::client_parser())]
    client: Option<&'static dyn Client>,
    /// The time for each client
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=300))]
    timeout: u64,
    /// Also start each client with long texts in four scripts, resume and compact a session, and start a subagent
    #[arg(long)]
    deep: bool,
    /// Also start each client with a gate, and report which calls the gate stops
    #[cfg(feature = "plugin")]
    #[arg(long)]
    gates: bool,
    #[command(flatten)]
    format: OutputFormat,
    /// Print a tool that can be called without harm. It works inside of a trial only.
    #[arg(long, hide = true)]
    harmless: bool,
    /// Serve a tool that makes a file. It works inside of a trial only.
    #[cfg(feature = "plugin")]
    #[arg(long, hide = true)]
    mark: bool,
}

/// Refuses what only a process of a trial may do.
fn inside() -> Result<(), CommandError> {
    match Inside::here() {
        Some(_) => Ok(()),
        None => Err("this process is in no trial of `hooks prove`".into()),
    }
}

impl Prove {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> ExitCode {
        #[cfg(feature = "plugin")]
        if self.mark {
            return print::outcome(inside().and_then(|()| Ok(super::marker::serve()?)));
        }
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
        inside()?;
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
        // A program that is built or installed meanwhile changes no trial.
        let binary = Binary::copy()?;
        let mut proofs = Vec::new();
        for client in clients {
            let begun = Instant::now();
            let proof = self.prove_one(program, client, &binary).await;
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
        binary: &Binary,
    ) -> Result<Proof, CommandError> {
        let until = self.until();
        let mut proof = Proof::of(client);
        let set = Set::up(
            program,
            client,
            binary,
            Shows::Start,
            until,
            &mut proof.notes,
        )
        .await?;
        proof.set_version(version(client, &set.trial, &set.at, until).await);
        let (ended, out) = set.start(&set.launch.arguments, until).await?;
        let errors = set.trial.errors(client.name());
        let left = set.trial.end_processes();
        if !left.is_empty() {
            proof.notes.push(format!(
                "it left processes running, which were ended: {}",
                left.join("; ")
            ));
        }

        let course = set.course(&ended);
        let requests = {
            let log = set.stand_in.log();
            proof.requests = log.requests.len();
            proof.notes.extend(log.untaken.clone());
            Requests::of(&log.requests)
        };
        self.judge(program, &set, &requests, course, &mut proof)?;
        proof.problem = ended.problem();
        if ended.status.is_none() && course.is_done && !proof.has_unknown() {
            let problem = proof.problem.take().unwrap_or_default();
            proof
                .notes
                .push(format!("after its last answer, {problem}"));
        }
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
        match &proof.problem {
            Some(_) if errors.trim().is_empty() => proof.stderr = last_lines(&out),
            Some(_) => proof.stderr = last_lines(&errors),
            None => {}
        }
        blame(&mut proof, &set.plan, &set.trial).await;
        if self.deep && proof.problem.is_none() {
            proof.deep = deeper(program, client, binary, || self.until()).await;
        }
        #[cfg(feature = "plugin")]
        if self.gates && proof.problem.is_none() {
            // About forty calls, one of them until the client's own deadline.
            let until = Instant::now() + GATE_TIMES * Duration::from_secs(self.timeout);
            super::gates_proven::proven(program, client, binary, until, &mut proof).await?;
        }
        proof.conclude();
        Ok(proof)
    }

    fn until(&self) -> Instant {
        Instant::now() + Duration::from_secs(self.timeout)
    }

    fn judge<H: ServerHandler>(
        &self,
        program: &Program<H>,
        set: &Set,
        requests: &Requests,
        course: Course,
        proof: &mut Proof,
    ) -> Result<(), CommandError> {
        let client = set.client;
        let firings = firings(set.trial.root())?;
        let shown = Shown {
            client,
            firings: &firings,
            requests,
            course,
        };
        let events = Event::ALL.into_iter();
        proof.events = events.map(|event| at_event(shown, event)).collect();
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
        let judged = all.iter().map(|(event, id)| of_hook(shown, id, *event));
        proof.hooks = judged.collect();
        Ok(())
    }
}
