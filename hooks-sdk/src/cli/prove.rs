//! `hooks prove`: runs a client once against a stand-in for its model service, and says which texts reached the model.

use std::{
    collections::BTreeSet,
    env,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use clap::Args;
use tokio::signal::unix::{SignalKind, signal};

use super::{
    CommandError, Program,
    command::OutputFormat,
    print,
    probe::on_path,
    program::runtime,
    proven, tools_of,
    trial::{blame, plan, plays, version},
};
use crate::{
    clients::{self, Client},
    lifecycle::Event,
    prove::{
        Inside, PROBE, Proof, Requests, StandIn, Trial, asks_for_login, at_event, firings,
        last_lines, listen, of_hook,
    },
    server::ServerHandler,
};

/// The requests of an agent from which it is in a loop. A sound trial needs four.
const MOST_REQUESTS: usize = 40;

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
        let Some(launch) = client.launch(&trial) else {
            return Err("it cannot be run without its own model service".into());
        };
        trial.prepare(&launch.files, until).await?;
        let ours = trial.program(&env::current_exe()?)?;
        let plan = plan(client, &trial, &ours);
        plan.apply(&trial.data())?;

        let mut proof = Proof::of(client);
        proof.set_version(version(client, &trial, &at, until).await);
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
        let errors = trial.errors(client.name());

        let (requests, is_done) = {
            let log = stand_in.log();
            proof.requests = log.requests.len();
            proof.notes.extend(log.untaken.clone());
            (Requests::of(&log.requests), log.done)
        };
        self.judge(program, client, &trial, &requests, &mut proof)?;
        proof.problem = ended.problem();
        if ended.status.is_none() && is_done && proof.findings() == 0 {
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
            None => blame(&mut proof, &plan, &trial).await,
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
