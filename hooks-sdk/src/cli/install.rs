//! `hooks install`: the entries for a client's files.

use std::{
    env,
    io::{self, BufRead, IsTerminal, Read, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use futures::executor::block_on;

use super::{
    CommandError, Program,
    install_target::InstallTarget,
    installed::{Changed, CopiedProgram, InstallReport},
    options::OutputFormat as Answer,
    print,
    probe::{self, PATIENCE},
    started::StartedProgram,
    targets::{Targets, for_each, no_client},
};
use crate::{
    clients::{
        self, Client, INSTALLED_VARIABLE, InstallScope, Installation, Place,
        config::{Obstacle, Plan, ProgramCopy, Record, Records, quoted},
    },
    lifecycle::Event,
    server::ServerHandler,
};

/// The most bytes of an answer to a question.
const LONGEST_ANSWER: u64 = 100;

/// The arguments of `hooks install`.
#[derive(Clone, Debug, Args)]
pub(super) struct Install {
    #[command(flatten)]
    targets: Targets,
    /// Write only the hooks, not the MCP server
    #[arg(long)]
    no_server: bool,
    /// Print what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write without asking first
    #[arg(long, short)]
    yes: bool,
    /// Print all notes about a client, and not the first three only
    #[arg(long)]
    verbose: bool,
    #[command(flatten)]
    format: Answer,
}

impl<H: ServerHandler> Program<H> {
    /// Returns the events at which this client has a hook to fire.
    pub(super) fn events(&self, client: &Client) -> Result<Vec<Event>, CommandError> {
        let hooks = self.hooks()?;
        let declared = block_on(hooks.declared(client.features, None));
        let fires = |event: &Event| {
            let declared = || {
                declared
                    .iter()
                    .any(|each| each.declaration.event.known() == Some(event))
            };
            declared() || hooks.makes_text(*event)
        };
        Ok(Event::ALL.into_iter().filter(fires).collect())
    }

    /// Plans the entries of a client's files.
    pub(super) fn plan(&self, target: &InstallTarget, server: bool) -> Result<Plan, CommandError> {
        self.plan_in(&target.place()?, target, server)
    }

    /// Plans the entries of a client's files in these folders.
    pub(super) fn plan_in(
        &self,
        place: &Place,
        target: &InstallTarget,
        server: bool,
    ) -> Result<Plan, CommandError> {
        let client = target.client;
        let started = self.started()?;
        let events = self.events(client)?;
        #[cfg(feature = "policy-engine")]
        let gates = self.gates()?;
        #[cfg(not(feature = "policy-engine"))]
        let gates = clients::GateEntries::default();
        let to = Installation {
            events: &events,
            gates: Some(&gates),
            arguments: &self.arguments,
            ..Installation::new(&self.id, target.scope, place, &self.name, &started.path)
        };
        Ok(to.plan(client, server).earlier(&started.own))
    }

    /// Returns the recorded installations of this server, and the records that cannot be read.
    pub(super) fn installations(&self) -> Result<Records, CommandError> {
        let started = self.started()?;
        let programs = [started.own, started.path];
        let mut records = Records::read(&self.records()?)?;
        records
            .installed
            .retain(|record| record.is_of(&self.id, &programs));
        Ok(records)
    }

    /// Returns the recorded installations of this server. Logs the records that cannot be read.
    pub(super) fn readable_installations(&self) -> Result<Vec<Record>, CommandError> {
        let records = self.installations()?;
        for record in &records.unreadable {
            tracing::warn!(error = %record.error, "an installation of hooks is not known");
        }
        Ok(records.installed)
    }

    /// Returns how this client differs, for people: first the events at which no text reaches the agent, then the rest.
    pub(super) fn notes(&self, client: &Client) -> Result<Vec<String>, CommandError> {
        let (mut lost, mut other, mut subagents) = (Vec::new(), Vec::new(), Vec::new());
        let mut unknown = Vec::new();
        for event in self.events(client)? {
            let mapping = client.mapping(event);
            match (mapping.delivery.reaches_agent(), mapping.note) {
                (false, Some(note)) => lost.push(format!("{event}: {note}")),
                (false, None) => lost.push(format!(
                    "{event}: no text reaches the agent in {}",
                    client.title
                )),
                (_, Some(note)) => other.push(format!("{event}: {note}")),
                (_, None) => {}
            }
            match mapping.subagents {
                Some(true) => subagents.push(format!("{event}: subagents also receive the text")),
                Some(false) if mapping.delivery.reaches_agent() => {
                    subagents.push(format!("{event}: subagents do not receive the text"));
                }
                Some(false) => {}
                None => unknown.push(event.to_string()),
            }
        }
        if !unknown.is_empty() {
            subagents.push(format!(
                "not verified whether subagents receive the texts at {}",
                print::listed(&unknown, "and")
            ));
        }
        #[cfg(feature = "policy-engine")]
        let gates = super::gate::notes(self, client)?;
        #[cfg(not(feature = "policy-engine"))]
        let gates = Vec::new();
        Ok([lost, other, subagents, gates].concat())
    }

    pub(super) fn records(&self) -> Result<PathBuf, CommandError> {
        self.folder()
            .ok_or_else(|| "this user has no folder for program data".into())
    }
}

impl Install {
    /// Shows the changes on a terminal, and asks whether they are meant. Without a terminal, nobody can be asked: the clients
    /// must be named then.
    fn is_agreed<H: ServerHandler>(
        &self,
        program: &Program<H>,
        targets: &[InstallTarget],
    ) -> Result<bool, CommandError> {
        if !io::stderr().is_terminal() || !io::stdin().is_terminal() {
            return match self.yes || self.targets.are_named() {
                true => Ok(true),
                false => Err(no_client().into()),
            };
        }
        let (data, mut out, mut some) = (program.records()?, io::stderr(), false);
        for target in targets {
            // What cannot be planned is an error of the installation.
            let plan = program.plan(target, !self.no_server)?;
            let changes = plan.preview(&data).unwrap_or_default();
            for change in changes.iter().filter(|change| change.changes()) {
                write!(out, "{}", change.diff())?;
                some = true;
            }
        }
        if self.yes || !some {
            return Ok(true);
        }
        write!(out, "Write this? [y/N] ")?;
        out.flush()?;
        let mut answer = String::new();
        io::stdin()
            .lock()
            .take(LONGEST_ANSWER)
            .read_line(&mut answer)?;
        Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
    }

    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<(), CommandError> {
        let targets = self.targets.found()?;
        if targets.is_empty() {
            return Err(
                "no client was found on the PATH\nhelp: name one, such as `claude-code`".into(),
            );
        }
        if !self.dry_run && !self.is_agreed(program, &targets)? {
            return Err("nothing was written".into());
        }
        let started = program.started()?;
        // Locked until the entries are written.
        let copy = match self.dry_run || started.is_copy() {
            true => None,
            false => {
                let copy = ProgramCopy::lock(&program.records()?, &program.id)?;
                let answers = |copy: &Path| probe::lists(copy, PATIENCE);
                let written = copy.write(&started.own, answers)?;
                Some((copy, written))
            }
        };
        let copied = CopiedProgram::of(&started, copy.as_ref().map(|(_, written)| *written));
        let title = |target: &InstallTarget| target.client.title.to_owned();
        let outcome = for_each(&targets, title, self.format, |target| {
            let done = self.install(program, target, &started, copied.clone())?;
            let page = done.page(self.verbose);
            Ok((serde_json::to_value(done)?, page))
        });
        // The copy of an installation that failed.
        let unused = copy.map_or(Ok(false), |(copy, _)| copy.remove_unused());
        outcome?;
        unused?;
        Ok(())
    }

    fn install<H: ServerHandler>(
        &self,
        program: &Program<H>,
        target: &InstallTarget,
        started: &StartedProgram,
        copied: Option<CopiedProgram>,
    ) -> Result<InstallReport, CommandError> {
        let client = target.client;
        let mut plan = program.plan(target, !self.no_server)?;
        let data = program.records()?;
        let mut warnings = Vec::new();
        let mut changes = match plan.preview(&data) {
            // The hooks work without the server's entry.
            Err(error) if error.obstacle != Obstacle::NameTaken => {
                let Some(hooks) = plan.clone().without_server(&error.file) else {
                    return Err(error.into());
                };
                plan = hooks;
                warnings.push(format!(
                    "the MCP server is not added, and the hooks are: {error}\nnext: {}",
                    by_hand(program, target, started)
                ));
                plan.preview(&data)?
            }
            changes => changes?,
        };
        let mut files: Vec<Changed> = changes.iter().map(Changed::of).collect();
        if !self.dry_run {
            for file in files.iter().filter(|file| file.tracked) {
                _ = writeln!(io::stderr(), "note: {}", file.shared());
            }
            changes = plan.apply(&data)?;
            files = changes.iter().map(Changed::of).collect();
        }
        let mut next = Vec::new();
        if files.iter().any(|file| file.changes) {
            next.push(format!(
                "restart {}, which reads its hooks and servers when it starts",
                client.title
            ));
        }
        next.extend(client.steps[target.scope as usize].map(str::to_owned));
        let mut notes = client.looked(target.scope, &target.place()?).remarks;
        notes.extend(program.notes(client)?);
        let others = client.also_read_by;
        if !others.is_empty() {
            notes.push(format!(
                "other clients also read these hooks: {}",
                others.join("; ")
            ));
        }
        Ok(InstallReport {
            client: client.name,
            title: client.title,
            written: !self.dry_run,
            files,
            next,
            copied,
            warnings,
            notes,
        })
    }
}

/// Returns how the user adds the MCP server, for people.
fn by_hand<H: ServerHandler>(
    program: &Program<H>,
    target: &InstallTarget,
    started: &StartedProgram,
) -> String {
    let path = started.path.to_string_lossy();
    let start = [&*path, "serve"]
        .into_iter()
        .chain(program.arguments.iter().map(String::as_str));
    let start: Vec<String> = start.map(quoted).collect();
    let start = start.join(" ");
    match target.client.adds_server {
        Some(command) if target.scope == InstallScope::User => {
            let command = command
                .replace("{server}", &program.name)
                .replace("{start}", &start);
            format!("add the server by `{command}`")
        }
        _ => format!("add a server to that file that starts `{start}`"),
    }
}

/// Returns the clients with hooks here, by the beginnings of the names that they send to servers: those that `hooks
/// install` recorded, and those that [`INSTALLED_VARIABLE`] names.
pub(super) fn installed_names<H: ServerHandler>(program: &Program<H>) -> Vec<&'static str> {
    let packaged = env::var(INSTALLED_VARIABLE).unwrap_or_default();
    let mut names: Vec<String> = packaged.split(',').map(|it| it.trim().to_owned()).collect();
    let here = env::current_dir().unwrap_or_default();
    match program.readable_installations() {
        Ok(records) => names.extend(
            records
                .iter()
                .filter(|record| {
                    record
                        .project
                        .as_ref()
                        .is_none_or(|project| here.starts_with(project))
                })
                .map(|record| record.client.clone()),
        ),
        Err(error) => tracing::warn!(%error, "cannot read which clients have hooks installed"),
    }
    let clients = names.iter().filter_map(|name| clients::by_name(name));
    clients.map(|client| client.handshake).collect()
}
