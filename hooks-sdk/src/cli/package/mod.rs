//! `hooks package`: writes the folder that a client loads as a plugin.

mod agent;
mod claude;
mod codex;
mod cursor;
mod folder;
mod format;
mod readme;

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use self::{
    folder::{Files, State, Written},
    format::{About, Author, Format, HooksFile, plugin_name},
};
use super::{CommandError, Program, command::OutputFormat, install::INSTALLED_VARIABLE, print};
use crate::{
    clients::{self, Client, InstallScope, Installation, Place, config::Plan},
    server::ServerHandler,
};

/// The arguments of `hooks package`.
#[derive(Clone, Debug, Args)]
pub(super) struct Package {
    /// The format of the plugin
    #[arg(long = "format", value_name = "FORMAT", value_parser = format_parser())]
    plugin: &'static Format,
    /// The folder: missing, empty, or an earlier package of this server
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    output: OutputFormat,
}

fn format_parser() -> impl TypedValueParser<Value = &'static Format> {
    let named = format::ALL.map(|format| {
        PossibleValue::new(format.name).help(format!("A plugin for {}", format.title))
    });
    PossibleValuesParser::new(named)
        .try_map(|name| Format::by_name(&name).ok_or("there is no such format"))
}

/// A skill: what it is for, and its files, by their paths below its folder. `SKILL.md` is one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Skill {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) files: Vec<(String, Vec<u8>)>,
}

/// What a package is made of.
pub(super) struct Parts<'a> {
    format: &'static Format,
    about: About<'a>,
    /// The name of the MCP server.
    server: &'a str,
    /// The file name of the program, which the computer finds on its PATH.
    program: String,
    arguments: &'a [String],
    skills: &'a [Skill],
}

/// The report.
#[derive(Debug, Serialize)]
struct Done {
    folder: PathBuf,
    format: &'static str,
    plugin: String,
    files: Vec<Written>,
    /// How the plugin is loaded.
    next: Vec<String>,
    notes: Vec<String>,
}

impl<H: ServerHandler> Program<H> {
    /// Returns the skills of this server.
    fn skills(&self) -> Result<Vec<Skill>, CommandError> {
        Ok(Vec::new())
    }
}

impl Package {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<(), CommandError> {
        let skills = program.skills()?;
        let name = plugin_name(&program.name)?;
        let description = program.description();
        let author = program.author.as_deref().and_then(Author::first);
        let parts = Parts {
            format: self.plugin,
            about: About {
                name: &name,
                description: &description,
                version: program.version.as_deref(),
                author: author.as_ref(),
                license: program.license.as_deref(),
            },
            server: &program.name,
            program: program_name()?,
            arguments: &program.arguments,
            skills: &skills,
        };
        let files = parts.files(program)?;
        let (folder, files) = files.write(&self.folder, &program.name, self.plugin.name)?;
        let done = Done {
            next: parts.loads(&folder.to_string_lossy()).collect(),
            notes: parts.notes(program)?,
            folder,
            format: self.plugin.name,
            plugin: name.clone(),
            files,
        };
        match self.output.json {
            true => print::json(&done),
            false => print::text(&done.page()),
        }
    }
}

/// Returns the file name of this program.
fn program_name() -> Result<String, CommandError> {
    let program = env::current_exe()?;
    let name = program.file_name().and_then(OsStr::to_str);
    Ok(name
        .ok_or("this program's file name is not UTF-8")?
        .to_owned())
}

impl Parts<'_> {
    fn files<H: ServerHandler>(&self, program: &Program<H>) -> Result<Files, CommandError> {
        let Parts { format, about, .. } = self;
        let mut files = Files::default();
        files.add_json(format.manifest, &format.manifest(about))?;
        files.add_json(
            format.servers,
            &format.servers(self.server, self.server_entry()),
        )?;
        for hooks in format.hooks {
            let events = self.events(program, hooks)?;
            files.add_json(hooks.file, &hooks.content(events))?;
        }
        if let Some(catalog) = &format.catalog {
            files.add_json(catalog.file, &catalog.content(about))?;
        }
        for skill in self.skills {
            if !skill.files.iter().any(|(path, _)| path == "SKILL.md") {
                return Err(format!("the skill `{}` has no `SKILL.md`", skill.name).into());
            }
            for (path, bytes) in &skill.files {
                files.add(&format!("skills/{}/{path}", skill.name), bytes.clone())?;
            }
        }
        files.add("README.md", self.readme(program)?.into_bytes())?;
        Ok(files)
    }

    /// Returns the entry that starts the server. It says which clients have its hooks, so that no text arrives twice.
    fn server_entry(&self) -> Value {
        let mut arguments = vec!["serve"];
        arguments.extend(self.arguments.iter().map(String::as_str));
        let hooked: Vec<&str> = self.format.hooks.iter().map(|hooks| hooks.client).collect();
        json!({
            "type": "stdio",
            "command": self.program,
            "args": arguments,
            "env": { INSTALLED_VARIABLE: hooked.join(",") },
        })
    }

    /// Returns the hook entries by the client's own names of the events.
    fn events<H: ServerHandler>(
        &self,
        program: &Program<H>,
        hooks: &HooksFile,
    ) -> Result<Map<String, Value>, CommandError> {
        let client = hooks.client()?;
        let events = program.events(client)?;
        // No file of a computer is named: the program is searched on the PATH of the one that loads the plugin.
        let (binary, place) = (Path::new(&self.program), Place::new("", ""));
        let to = Installation::new(InstallScope::User, &place, self.server, binary)
            .events(&events)
            .arguments(self.arguments);
        let plan = Plan::new(client.name(), InstallScope::User, Path::new(""), binary);
        let mut entries = Map::new();
        for entry in client.plan_hooks(plan, &to).hooks() {
            let list = entries.entry(&entry.event).or_insert_with(|| json!([]));
            if let Value::Array(list) = list {
                list.push(entry.value.clone());
            }
        }
        Ok(entries)
    }

    fn loads(&self, folder: &str) -> impl Iterator<Item = String> {
        let name = self.about.name;
        let steps = self.format.load.iter();
        steps.map(move |step| step.replace("DIR", folder).replace("NAME", name))
    }

    fn notes<H: ServerHandler>(&self, program: &Program<H>) -> Result<Vec<String>, CommandError> {
        let mut notes = vec![format!(
            "the computer that loads the plugin needs the program `{}` on its PATH",
            self.program
        )];
        let here = self
            .arguments
            .iter()
            .filter(|it| Path::new(it).is_absolute());
        notes.extend(here.map(|argument| {
            format!("the entries name `{argument}`, which another computer may not have")
        }));
        if self.about.version.is_none() {
            notes.push("the plugin has no version: set it with `Program::version`".to_owned());
        }
        notes.extend(self.format.lacks.map(str::to_owned));
        for hooks in self.format.hooks {
            let client = hooks.client()?;
            for event in program.events(client)? {
                if !client.mapping(event).delivery.reaches_agent() {
                    let title = client.title();
                    notes.push(format!("{event}: no text reaches the agent in {title}"));
                }
            }
        }
        Ok(notes)
    }
}

impl HooksFile {
    fn client(&self) -> Result<&'static dyn Client, CommandError> {
        let client = clients::by_name(self.client);
        client.ok_or_else(|| format!("hooks for `{}` cannot be written yet", self.client).into())
    }
}

impl Done {
    fn page(&self) -> String {
        let mut page = format!(
            "The package `{}` is in {}\n",
            self.plugin,
            self.folder.display()
        );
        for Written { file, state } in &self.files {
            let state = match state {
                State::Created => "wrote",
                State::Changed => "changed",
                State::Unchanged => "kept",
                State::Removed => "removed",
            };
            page.push_str(&format!("  {state} {file}\n"));
        }
        for step in &self.next {
            page.push_str(&format!("next: {step}\n"));
        }
        for note in &self.notes {
            page.push_str(&format!("note: {note}\n"));
        }
        page
    }
}

#[cfg(test)]
mod tests;
