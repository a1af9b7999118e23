//! `hooks doctor`: checks what keeps hooks from working.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::{Duration, UNIX_EPOCH},
};

use clap::Args;

use super::{
    CommandError, Program,
    declared::{crowded, hints},
    doctor_elsewhere::{elsewhere, unreadable_records},
    doctor_report::{ClientReport, InScope},
    hook_reviews::untrusted,
    install_target::{InstallTarget, moved},
    options::{self, OutputFormat},
    print,
    probe::{PATIENCE, answers, serves, version},
};
use crate::{
    clients::{
        self, Client, GateTrial, InstallScope, Place,
        config::{EntryOwner, Installed, ProgramCopy, Record},
        find_program,
    },
    core::Timestamp,
    lifecycle::Event,
    server::{Declared, ServerHandler},
};

/// The most characters that are shown of a command.
const COMMAND: usize = 60;

/// The answers of the server to the handshake, by the variables with which it was started.
type StartedServers = BTreeMap<BTreeMap<String, String>, Result<String, String>>;

/// The arguments of `hooks doctor`.
#[derive(Clone, Debug, Args)]
pub(super) struct Doctor {
    /// Check only this client
    #[arg(long, value_name = "CLIENT", value_parser = options::client_parser())]
    client: Option<&'static Client>,
    /// The project's folder [default: the current one]
    #[arg(long, alias = "project", value_name = "FOLDER")]
    folder: Option<PathBuf>,
    #[command(flatten)]
    format: OutputFormat,
}

impl Doctor {
    /// The exit code is 1 if something that is installed does not work.
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> ExitCode {
        let mut servers = StartedServers::new();
        let found = options::chosen(self.client)
            .map(|client| self.look_at(program, client, &mut servers))
            .collect::<Result<Vec<ClientReport>, CommandError>>();
        let shown = found.and_then(|found| {
            let pages: Vec<String> = found.iter().map(ClientReport::page).collect();
            match self.format.json {
                true => print::json(&found),
                false => print::text(&pages.join("\n")),
            }?;
            let strange = match self.client {
                Some(_) => Vec::new(),
                None => unreadable_records(program, |of| of.is_none())?,
            };
            for error in &strange {
                print::outcome(Err(error.as_str().into()));
            }
            Ok(strange.is_empty() && found.iter().all(|client| client.works))
        });
        match shown {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => print::outcome(Err(error)),
        }
    }

    fn look_at<H: ServerHandler>(
        &self,
        program: &Program<H>,
        client: &'static Client,
        servers: &mut StartedServers,
    ) -> Result<ClientReport, CommandError> {
        let at = find_program(client.program);
        let version = at.as_deref().and_then(version);
        let user = InstallTarget {
            client,
            scope: InstallScope::User,
            project: self.folder.clone(),
        };
        let place = match moved(client, user.usual_place()?) {
            Ok(place) => place,
            // A variable of this client is no error of the others.
            Err(error) => return Ok(ClientReport::unchecked(client, at, version, &error)),
        };
        let mut scopes = Vec::new();
        let (mut wrong, mut remarks) = (Vec::new(), Vec::new());
        for &scope in client.scopes {
            let target = InstallTarget {
                client,
                scope,
                project: self.folder.clone(),
            };
            let state = state(program, &target)?;
            if state.installed {
                let place = target.place()?;
                let looked = client.looked(scope, &place);
                wrong.extend(looked.wrong);
                remarks.extend(looked.remarks);
                // An error of the hooks' file is the state.
                wrong.extend(unread(program, &target)?.filter(|error| *error != state.state));
            }
            scopes.push(state);
        }
        let mut notes = remarks;
        notes.extend(program.notes(client)?);
        let is_installed = scopes.iter().any(|scope| scope.installed || scope.recorded);
        let elsewhere = elsewhere(program, client, &place)?;
        match scopes.iter().any(|scope| scope.installed) {
            true => notes.extend(elsewhere),
            false => wrong.extend(elsewhere),
        }
        if scopes.iter().any(|scope| scope.installed) {
            wrong.extend(variables(client));
            let (off, more) = before_tools(program, client, &place)?;
            wrong.extend(off);
            notes.extend(more);
            if let (Some(program), Some(reviewer)) = (&at, client.reviewer) {
                let all = scopes.iter().flat_map(|scope| scope.commands.clone());
                let all: Vec<_> = all.collect();
                match untrusted(client, program, reviewer, &place.project, &all) {
                    Ok(untrusted) => wrong.extend(untrusted),
                    Err(problem) => notes.push(problem),
                }
            }
        }
        // The record of a scope here is its state.
        let mut unreadable = unreadable_records(program, |of| of == Some(client))?;
        unreadable.retain(|error| scopes.iter().all(|scope| scope.state != *error));
        let mut seen = BTreeSet::new();
        wrong.retain(|wrong| seen.insert(wrong.clone()));
        let commands = scopes.iter().flat_map(|scope| &scope.commands);
        let command = match scopes.iter().find_map(|scope| scope.gone.as_deref()) {
            Some(program) => Err(format!("{} does not exist", program.display())),
            None => answers(client, commands),
        };
        let started = program.started()?.path;
        let with_server = client.scopes.iter().zip(&scopes);
        let with_server = with_server.filter(|(_, state)| state.has_server && started.is_file());
        let environments: BTreeSet<_> = with_server
            .map(|(scope, _)| environment(client, *scope, &place, &program.name))
            .collect();
        // Entries with the same variables start the same server.
        let answers = environments.into_iter().map(|environment| {
            let start = || self.starts(program, &started, &environment);
            let answer = servers.entry(environment.clone()).or_insert_with(start);
            answer.clone()
        });
        let server = answers.reduce(|one, other| one.and(other));
        if matches!(server, Some(Err(_))) {
            notes.extend(unset(client, &place, &program.name));
        }
        notes.extend(scopes.iter().filter_map(|scope| scope.note.clone()));
        notes.extend(self.remarks(program, client, version.as_deref())?);
        let installed = scopes.iter().filter(|scope| scope.installed);
        let installed: Vec<String> = installed.map(|scope| scope.scope.to_owned()).collect();
        if installed.len() > 1 {
            notes.push(format!(
                "the hooks are installed in the scopes {}: each event starts {} processes, and one of them answers",
                print::listed(&installed, "and"),
                installed.len()
            ));
        }
        let works = wrong.is_empty()
            && unreadable.is_empty()
            && scopes.iter().all(|scope| scope.is_current)
            && (command.is_ok() || !is_installed)
            && server.as_ref().is_none_or(Result::is_ok);
        let folder = client.folder;
        Ok(ClientReport {
            client: client.name,
            works,
            folder: Some(folder.of(&place)),
            folder_variable: folder.moved(&place).map(|(variable, _)| variable),
            command,
            server,
            last_firings: match is_installed {
                true => last_firings(program, client)?,
                false => Vec::new(),
            },
            program: at,
            version,
            scopes,
            further_step: client.steps[InstallScope::User as usize],
            wrong,
            unreadable,
            notes,
        })
    }

    /// Starts the server like the entries that `install` writes, with the variables of an entry.
    fn starts<H: ServerHandler>(
        &self,
        program: &Program<H>,
        started: &Path,
        environment: &BTreeMap<String, String>,
    ) -> Result<String, String> {
        let mut server = Command::new(started);
        server.arg("serve").args(&program.arguments);
        server.envs(environment);
        if let Some(folder) = &self.folder {
            server.current_dir(folder);
        }
        serves(server, PATIENCE)
    }

    /// Returns what may surprise the author or the user.
    fn remarks<H: ServerHandler>(
        &self,
        program: &Program<H>,
        client: &Client,
        version: Option<&str>,
    ) -> Result<Vec<String>, CommandError> {
        let hooks = program.hooks()?;
        let all = futures::executor::block_on(hooks.declared(client.features, None));
        let mut remarks = Vec::new();
        for event in Event::ALL {
            let is_at = |each: &&Declared| each.declaration.event.known() == Some(&event);
            let at: Vec<Declared> = all.iter().filter(is_at).cloned().collect();
            let mut hints = hints(client, event, &at, &program.name);
            let named = hints.clone();
            let crowded = crowded(program, &hooks, client, event, &at).into_iter();
            // A text that is too long by itself is named already.
            hints.extend(crowded.filter(|hint| {
                let ids = hint.split(": ").next().unwrap_or_default();
                !named.iter().any(|named| named.starts_with(ids))
            }));
            remarks.extend(hints.into_iter().map(|hint| format!("{event}: {hint}")));
        }
        let tested = client.tested;
        remarks.extend(
            version
                .filter(|version| !version.contains(tested.version))
                .map(|_| {
                    format!(
                        "the notes on {} were verified with {tested}; another version may differ",
                        client.title
                    )
                }),
        );
        Ok(remarks)
    }
}

/// Returns the variables of the server's entry. A project's file may come from somebody else: its variables, which could make the
/// program run other code, are not set.
fn environment(
    client: &Client,
    scope: InstallScope,
    place: &Place,
    server: &str,
) -> BTreeMap<String, String> {
    match scope {
        InstallScope::Project => BTreeMap::new(),
        _ => client.server_environment(scope, place, server),
    }
}

/// Says that the variables of the server's entry in the project's file were not set.
fn unset(client: &Client, place: &Place, server: &str) -> Option<String> {
    let scope = InstallScope::Project;
    let variables = client.server_environment(scope, place, server);
    let names: Vec<String> = variables.keys().map(|name| format!("`{name}`")).collect();
    let (file, _) = client.servers_file(scope, place)?;
    (!names.is_empty()).then(|| {
        format!(
            "the server was started without {} of {}, which may come from somebody else: set them here if you trust the file",
            print::listed(&names, "and"),
            file.display()
        )
    })
}

/// Returns the last firing at each event at which the client has an entry. Without receipts, nothing is known.
fn last_firings<H: ServerHandler>(
    program: &Program<H>,
    client: &Client,
) -> Result<Vec<(Event, Option<Timestamp>)>, CommandError> {
    let fired = program.store().last_at_events(client.name);
    let fired = fired.unwrap_or_else(|error| {
        tracing::warn!(%error, "the last firings are not known");
        Vec::new()
    });
    let at = |event: Event| {
        let of = |(name, _): &&(String, i64)| name == event.as_str();
        let (_, at) = fired.iter().find(of)?;
        let since = Duration::from_millis(u64::try_from(*at).ok()?);
        Some(Timestamp::from(UNIX_EPOCH.checked_add(since)?))
    };
    let events = program.events(client)?.into_iter();
    let heard = events.filter(|event| client.mapping(*event).delivery.reaches_agent());
    Ok(heard.map(|event| (event, at(event))).collect())
}

/// Returns why the client does not read the file of the MCP server that the installation wrote.
fn unread<H: ServerHandler>(
    program: &Program<H>,
    target: &InstallTarget,
) -> Result<Option<String>, CommandError> {
    let data = program.records()?;
    // That the record cannot be read is the state of the scope.
    let record = Record::find(&data, &target.key(program)?).ok().flatten();
    if !record.is_some_and(|record| record.has_server()) {
        return Ok(None);
    }
    let preview = program.plan(target, true)?.preview(&data);
    Ok(preview.err().map(|error| error.to_string()))
}

/// Returns the variables of this environment that turn the client's hooks off.
fn variables(client: &Client) -> Vec<String> {
    let gates = client.gates.iter();
    let variables = gates.flat_map(|gates| gates.off_variables);
    let set = variables.filter(|name| env::var_os(name).is_some_and(|value| !value.is_empty()));
    set.map(|name| format!("the variable `{name}` turns all hooks off: unset it"))
        .collect()
}

/// Returns what keeps the gates from their end, and what else is to be known about hooks before a tool: the time-outs of the
/// own entries, and the hooks of other programs.
fn before_tools<H: ServerHandler>(
    program: &Program<H>,
    client: &Client,
    place: &Place,
) -> Result<(Vec<String>, Vec<String>), CommandError> {
    #[cfg(feature = "policy-engine")]
    let judges = program.gates()?.judges;
    #[cfg(not(feature = "policy-engine"))]
    let judges = false;
    let (mut wrong, mut notes) = (Vec::new(), Vec::new());
    let Some(gates) = client.gates.as_ref().filter(|_| judges) else {
        return Ok((wrong, notes));
    };
    let owner = EntryOwner::new(&*program.id).earlier(&env::current_exe()?);
    for hook in clients::hooks_before_tools(client, place, &program.name, &owner) {
        let file = hook.file.display();
        if hook.is_own {
            let limit = hook.timeout.filter(|limit| *limit <= gates.deadline);
            wrong.extend(limit.map(|limit| {
                format!(
                    "the client ends the gate after {} s by {file}, before its own deadline of {} s, and then runs the \
                     call: run `install` again",
                    limit.as_secs_f32(),
                    gates.deadline.as_secs()
                )
            }));
            continue;
        }
        let command = print::clip(&hook.command, COMMAND);
        if hook.may_approve && gates.is_open(GateTrial::Approved) {
            wrong.push(format!(
                "the hook `{command}` in {file} may answer `allow`, which undoes the refusals of every gate: remove it"
            ));
        } else if hook.may_approve {
            notes.push(format!(
                "gates: the hook `{command}` in {file} may answer `allow`, which skips the client's question to the user"
            ));
        } else {
            notes.push(format!(
                "gates: the hook `{command}` in {file} may change arguments after the gates have judged them"
            ));
        }
    }
    Ok((wrong, notes))
}

/// Returns what `doctor` remarks on a client that is not installed.
#[cfg(test)]
pub(super) fn remarks_of<H: ServerHandler>(program: &Program<H>, client: &str) -> Vec<String> {
    let doctor = Doctor {
        client: None,
        folder: None,
        format: OutputFormat { json: false },
    };
    let client = crate::clients::by_name(client).expect("a client");
    doctor.remarks(program, client, None).expect("remarks")
}

fn state<H: ServerHandler>(
    program: &Program<H>,
    target: &InstallTarget,
) -> Result<InScope, CommandError> {
    let data = program.records()?;
    let record = Record::find(&data, &target.key(program)?);
    // That a record cannot be read is the state: the preview fails in the same way.
    let is_recorded = !matches!(record, Ok(None));
    let record = record.ok().flatten();
    let plan = program.plan(target, false)?;
    let (hooks, installed) = (plan.preview(&data), plan.installed());
    let installed = installed.unwrap_or_default();
    let gone = installed
        .iter()
        .find(|entry| find_program(&entry.program).is_none());
    let install = target.install();
    let is_there = is_recorded || !installed.is_empty();
    let (state, is_current) = match (&record, hooks, gone) {
        (_, Err(error), _) => (error.to_string(), !is_there),
        (_, Ok(_), Some(entry)) => {
            let program = entry.program.display();
            let state =
                format!("entries start {program}, which does not exist: run `{install}` again");
            (state, false)
        }
        (None, Ok(_), None) if installed.is_empty() => ("not installed".to_owned(), true),
        (_, Ok(changes), None) if changes.iter().any(|change| change.changes()) => {
            let state = format!("entries are missing or out of date: run `{install}` again");
            (state, false)
        }
        (Some(_), Ok(_), None) => ("entries are present and current".to_owned(), true),
        (None, Ok(_), None) => {
            let state =
                "entries are present and current, but no installation is recorded here".to_owned();
            (state, true)
        }
    };
    Ok(InScope {
        scope: target.scope.as_str(),
        recorded: record.is_some(),
        has_server: record.is_some_and(|record| record.has_server()),
        installed: !installed.is_empty(),
        state,
        is_current,
        commands: commands(&installed, &ProgramCopy::path(&data, &program.id)),
        gone: gone.map(|entry| entry.program.clone()),
        note: program.started()?.remark(target, &installed),
    })
}

/// Returns the command lines to run: those that start this very program, or its copy. A file may come from somebody else, and
/// may have changed since it was written, so that its line starts any program.
fn commands(installed: &[Installed], copy: &Path) -> Vec<String> {
    let this = env::current_exe().ok();
    let real = |path: Option<PathBuf>| fs::canonicalize(path?).ok();
    let own = [real(this), real(Some(copy.to_owned()))];
    let is_this = |program: &PathBuf| {
        let program = fs::canonicalize(program).ok();
        program.is_some() && own.contains(&program)
    };
    let ours = installed.iter().filter(|entry| is_this(&entry.program));
    let lines: BTreeSet<String> = ours.map(|entry| entry.command.clone()).collect();
    lines.into_iter().collect()
}
