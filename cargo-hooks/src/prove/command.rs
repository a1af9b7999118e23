//! The command: runs each client once against a stand-in for its model service, and says which texts reached the model.

use std::{
    collections::BTreeSet,
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::Args;
use hooks_clients::{
    self as clients, Client,
    dump::Dump,
    find_program,
    trial::{PROBE, firings},
};
use hooks_core::lifecycle::Event;
use tokio::{
    runtime::Builder,
    signal::unix::{SignalKind, signal},
};

use super::{
    Course, PreparedTrial, Proof, Requests, Setting, Shown, asks_for_login, at_event, copy,
    last_lines, of_hook, of_instructions,
    prepared::{blame, version},
    processes::end_all,
    prove_gates, proven,
};
use crate::{
    CommandError, print,
    server::{Server, client_parser, note},
};

/// The exit code of a program that Ctrl-C has ended.
const INTERRUPTED: u8 = 130;

/// How many times the time of a client its start with a gate may take.
const GATE_TIMES: u32 = 4;

/// The arguments of `cargo hooks prove`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Prove {
    /// The agent clients [default: every client on the PATH]
    #[arg(value_name = "CLIENT", value_parser = client_parser())]
    clients: Vec<&'static Client>,
    /// Like CLIENT
    #[arg(long = "client", value_name = "CLIENT", value_parser = client_parser(), hide = true)]
    named: Vec<&'static Client>,
    /// The most seconds for each client
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=300))]
    timeout: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: Server,
}

impl Prove {
    /// Runs the command.
    pub(crate) fn run(self) -> ExitCode {
        let proved = self.proved();
        proved.unwrap_or_else(|error| {
            print::outcome(Err(error));
            ExitCode::from(proven::CANNOT_RUN)
        })
    }

    fn proved(&self) -> Result<ExitCode, CommandError> {
        let path = self.server.path()?;
        let program = self.server.dump(&path)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let (mut interrupt, mut terminate) = (
                signal(SignalKind::interrupt())?,
                signal(SignalKind::terminate())?,
            );
            tokio::select! {
                proved = self.prove(&program, &path) => proved,
                // Dropping the trial ends the client and deletes its folders.
                _ = interrupt.recv() => Ok(ExitCode::from(INTERRUPTED)),
                _ = terminate.recv() => Ok(ExitCode::from(INTERRUPTED)),
            }
        })
    }

    async fn prove(&self, program: &Dump, path: &Path) -> Result<ExitCode, CommandError> {
        let found = |client: &&'static Client| find_program(client.program).is_some();
        let mut clients = [&self.clients[..], &self.named].concat();
        if clients.is_empty() {
            clients.extend(clients::ALL.into_iter().filter(found));
        }
        if clients.is_empty() {
            return Err(
                "no client was found on the PATH\nhelp: install one, and run this command again"
                    .into(),
            );
        }
        // A program that is built or installed meanwhile changes no trial.
        let (_folder, binary) = copy(path)?;
        let mut proofs = Vec::new();
        for client in clients {
            let begun = Instant::now();
            let proof = self.prove_one(program, client, &binary).await;
            let mut proof = proof.unwrap_or_else(|error| Proof::failed(client, error.to_string()));
            proof.seconds = (begun.elapsed().as_secs_f64() * 10.0).round() / 10.0;
            if !self.json {
                print::text(&proven::page(&proof))?;
            }
            proofs.push(proof);
        }
        if self.json {
            print::json(&proofs)?;
        } else if proofs.len() > 1 {
            print::text(&proven::matrix(&proofs))?;
        }
        Ok(proven::exit_code(&proofs))
    }

    async fn prove_one(
        &self,
        program: &Dump,
        client: &'static Client,
        binary: &Path,
    ) -> Result<Proof, CommandError> {
        let until = Instant::now() + Duration::from_secs(self.timeout);
        let mut proof = Proof::of(client);
        proof.notes.extend(note(program));
        let setting = Setting {
            calls_server: true,
            ..Setting::default()
        };
        let notes = &mut proof.notes;
        let prepared = PreparedTrial::of(program, client, binary, setting, until, notes).await?;
        proof.refused.clone_from(&prepared.refused);
        proof.set_version(version(client, &prepared.trial, &prepared.at, until).await);
        let (ended, out) = prepared.start(&prepared.launch.arguments, until).await?;
        let errors = prepared.trial.errors(client.name);
        let left = end_all(&prepared.trial.root);
        if !left.is_empty() {
            proof.notes.push(format!(
                "it left processes running, which were ended: {}",
                left.join("; ")
            ));
        }

        let course = prepared.course(&ended);
        let requests = {
            let log = prepared.stand_in.log();
            proof.requests = log.requests.len();
            proof.notes.extend(log.untaken.clone());
            Requests::of(&log.requests)
        };
        self.judge(program, &prepared, &requests, course, &mut proof)?;
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
        blame(client, &mut proof, &prepared.plan, &prepared.trial).await;
        if program.has_gates && proof.problem.is_none() {
            // About forty calls, one of them until the client's own deadline.
            let until = Instant::now() + GATE_TIMES * Duration::from_secs(self.timeout);
            prove_gates(program, client, binary, until, &mut proof).await?;
        }
        proof.conclude();
        Ok(proof)
    }

    fn judge(
        &self,
        program: &Dump,
        prepared: &PreparedTrial,
        requests: &Requests,
        course: Course,
        proof: &mut Proof,
    ) -> Result<(), CommandError> {
        let client = prepared.client;
        let firings = firings(&prepared.trial.root)?;
        let shown = Shown {
            client,
            firings: &firings,
            requests,
            course,
        };
        let events = Event::ALL.into_iter();
        proof.events = events.map(|event| at_event(shown, event)).collect();
        let instructions = prepared.instructions.as_deref().map(str::trim);
        let instructions = instructions.filter(|text| !text.is_empty());
        proof.instructions = instructions.map(|text| of_instructions(shown, text));
        let unheard = firings.iter().filter(|firing| firing.event.is_none());
        proof.unanswered = unheard
            .filter_map(|firing| firing.problem.clone())
            .collect();

        let mut all = Vec::new();
        match program.of(client) {
            Some(known) => {
                for (event, ids) in &known.hooks {
                    all.extend(ids.iter().map(|id| (*event, id.clone())));
                }
            }
            None => proof.notes.push(format!(
                "the server does not know this client: its table of clients has the version {}",
                program.table
            )),
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
