//! `hooks install`, `uninstall` and `render`.

use std::{
    env,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use futures::executor::block_on;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    Failure, Program,
    command::{self, Format as Answer},
    print,
};
use crate::{
    clients::{
        Client, Delivery, Place, Scope,
        config::{Format, HookEntry, Plan, Record, ServerEntry, command_line, installed_clients},
    },
    lifecycle::Event,
    server::ServerHandler,
};

/// Which client, for whom.
#[derive(Clone, Debug, Args)]
#[non_exhaustive]
pub(super) struct Target {
    /// Which client: `claude-code`, `codex` or `gemini`
    #[arg(long, value_name = "CLIENT", value_parser = command::client)]
    pub(super) client: &'static dyn Client,
    /// For the user in every project, or for everybody in this project: `user` or `project`
    #[arg(long, value_name = "SCOPE", value_parser = command::scope, default_value = "user")]
    pub(super) scope: Scope,
    /// The project's root, instead of the current folder
    #[arg(long, value_name = "FOLDER")]
    pub(super) project: Option<PathBuf>,
}

/// The arguments of `hooks install`.
#[derive(Clone, Debug, Args)]
#[non_exhaustive]
pub struct Install {
    #[command(flatten)]
    target: Target,
    /// Write hooks only, and leave the client's MCP servers alone
    #[arg(long)]
    no_server: bool,
    /// Show what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    format: Answer,
}

/// The arguments of `hooks uninstall`.
#[derive(Clone, Debug, Args)]
#[non_exhaustive]
pub struct Uninstall {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    format: Answer,
}

/// What was done, or would be.
#[derive(Debug, Serialize)]
struct Done {
    client: &'static str,
    written: bool,
    files: Vec<Changed>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Changed {
    file: PathBuf,
    changes: bool,
    diff: String,
}

impl Target {
    /// The folders of this machine and of the project.
    pub(super) fn place(&self) -> Result<Place, Failure> {
        let home = env::home_dir().ok_or("this user has no home folder")?;
        let project = match &self.project {
            Some(folder) => std::path::absolute(folder)?,
            None => env::current_dir()?,
        };
        let place = Place::new(home, project);
        Ok(
            match env::var_os("CODEX_HOME").filter(|path| !path.is_empty()) {
                Some(folder) => place.codex_home(folder),
                None => place,
            },
        )
    }
}

impl<H: ServerHandler> Program<H> {
    /// The events at which this client has something to fire.
    fn events(&self, client: &dyn Client) -> Result<Vec<Event>, Failure> {
        let hooks = self.hooks()?;
        let declared = block_on(hooks.declared(client.features(), None));
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

    /// What a client is to have in its files.
    pub(super) fn plan(&self, target: &Target, server: bool) -> Result<Plan, Failure> {
        let (client, place) = (target.client, target.place()?);
        let program = env::current_exe()?;
        let mut plan = Plan::new(client.name(), target.scope, &place.project, &program);
        for event in self.events(client)? {
            let mapping = client.mapping(event);
            if mapping.delivery == Delivery::Never {
                continue;
            }
            plan = plan.hook(HookEntry {
                file: client.hooks_file(target.scope, &place),
                path: vec!["hooks".to_owned()],
                event: mapping.native.to_owned(),
                value: self.entry(client, event, &program),
            });
        }
        if server {
            let (file, path) = client.servers_file(target.scope, &place);
            let is_toml = file.extension().is_some_and(|ending| ending == "toml");
            let mut arguments = vec!["serve".to_owned()];
            arguments.extend(self.arguments.iter().cloned());
            let started = client.server_entry(&program.to_string_lossy(), &arguments);
            plan = plan.server(ServerEntry {
                format: if is_toml { Format::Toml } else { Format::Json },
                path: path.iter().map(|&step| step.to_owned()).collect(),
                name: self.name.to_string(),
                value: started,
                file,
            });
        }
        Ok(plan)
    }

    fn entry(&self, client: &dyn Client, event: Event, program: &Path) -> Value {
        let mut arguments = vec!["hooks", "fire", "--client", client.name()];
        arguments.extend(["--event", event.as_str()]);
        arguments.extend(self.arguments.iter().map(String::as_str));
        client.hook_entry(event, &self.name, &command_line(program, &arguments))
    }

    /// What is different in this client, for people.
    pub(super) fn notes(&self, client: &dyn Client) -> Result<Vec<String>, Failure> {
        let mut notes = Vec::new();
        let mut unknown = Vec::new();
        for event in self.events(client)? {
            let mapping = client.mapping(event);
            if mapping.delivery == Delivery::Never {
                notes.push(format!(
                    "{event}: no text reaches the agent in {}",
                    client.title()
                ));
            }
            if let Some(note) = mapping.note {
                notes.push(format!("{event}: {note}"));
            }
            match mapping.subagents {
                Some(true) => notes.push(format!("{event}: subagents get the text too")),
                Some(false) if mapping.delivery != Delivery::Never => {
                    notes.push(format!("{event}: subagents do not get the text"));
                }
                Some(false) => {}
                None => unknown.push(event.to_string()),
            }
        }
        if !unknown.is_empty() {
            let events = unknown.join(", ");
            notes.push(format!(
                "whether subagents get the texts of {events} is not known"
            ));
        }
        Ok(notes)
    }

    fn records(&self) -> Result<PathBuf, Failure> {
        self.folder()
            .ok_or_else(|| "this user has no folder for the data of programs".into())
    }
}

impl Install {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<(), Failure> {
        let client = self.target.client;
        let plan = program.plan(&self.target, !self.no_server)?;
        let data = program.records()?;
        let mut changes = plan.preview(&data)?;
        if !self.dry_run {
            if io::stderr().is_terminal() {
                for change in changes.iter().filter(|change| change.changes()) {
                    _ = write!(io::stderr(), "{}", change.diff());
                }
            }
            changes = plan.apply(&data)?;
        }
        let mut notes = program.notes(client)?;
        notes.extend(client.further_step(self.target.scope).map(str::to_owned));
        for other in client.also_read_by() {
            notes.push(format!("the same file is read by {other}"));
        }
        let files = changes.iter().map(|change| Changed {
            file: change.file.clone(),
            changes: change.changes(),
            diff: change.diff(),
        });
        let done = Done {
            client: client.name(),
            written: !self.dry_run,
            files: files.collect(),
            notes,
        };
        if self.format.json {
            return print::json(&done);
        }
        print::text(&page(&done, self.dry_run))
    }
}

fn page(done: &Done, dry_run: bool) -> String {
    let mut page = String::new();
    for file in &done.files {
        let name = file.file.display();
        match (file.changes, dry_run) {
            (true, true) => page.push_str(&file.diff),
            (true, false) => page.push_str(&format!("wrote {name}\n")),
            (false, _) => page.push_str(&format!("{name} is as it should be\n")),
        }
    }
    for note in &done.notes {
        page.push_str(&format!("note: {note}\n"));
    }
    page
}

impl Uninstall {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<(), Failure> {
        let place = self.target.place()?;
        let client = self.target.client.name();
        let record = Record::find(
            &program.records()?,
            client,
            self.target.scope,
            &place.project,
        )?;
        let files = match record {
            None => Vec::new(),
            Some(record) => record.uninstall()?,
        };
        let files: Vec<Changed> = files
            .iter()
            .map(|change| Changed {
                file: change.file.clone(),
                changes: change.changes(),
                diff: change.diff(),
            })
            .collect();
        if self.format.json {
            return print::json(&json!({ "client": client, "files": files }));
        }
        let restored = files.iter().filter(|file| file.changes);
        let lines: Vec<String> = restored
            .map(|file| format!("took our entries out of {}", file.file.display()))
            .collect();
        print::text(&if lines.is_empty() {
            format!("nothing of ours is recorded for {client}")
        } else {
            lines.join("\n")
        })
    }
}

/// `hooks render`: the entries alone, as an object of the client's own form.
pub(super) fn render<H: ServerHandler>(
    program: &Program<H>,
    client: &'static dyn Client,
) -> Result<(), Failure> {
    let exe = env::current_exe()?;
    let mut events = Map::new();
    for event in program.events(client)? {
        let mapping = client.mapping(event);
        if mapping.delivery != Delivery::Never {
            let entry = program.entry(client, event, &exe);
            events.insert(mapping.native.to_owned(), json!([entry]));
        }
    }
    print::json(&json!({ "hooks": events }))
}

/// The clients that hooks are installed for here, by the names that they give themselves to servers.
pub(super) fn installed_names<H: ServerHandler>(program: &Program<H>) -> Vec<String> {
    let Some(data) = program.folder() else {
        return Vec::new();
    };
    let here = env::current_dir().unwrap_or_default();
    match installed_clients(&data) {
        Ok(records) => records
            .iter()
            .filter(|record| {
                record
                    .project()
                    .is_none_or(|project| here.starts_with(project))
            })
            .map(|record| record.client().to_owned())
            .collect(),
        Err(error) => {
            tracing::warn!(%error, "which clients have hooks installed is not known");
            Vec::new()
        }
    }
}
