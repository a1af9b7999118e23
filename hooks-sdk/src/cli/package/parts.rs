//! What a package is made of, and its files.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{
    folder::Files,
    format::{Format, HooksFile, PackageFacts},
};
use crate::{
    cli::{
        CommandError, Program,
        install::{INSTALLED_VARIABLE, by_event},
    },
    clients::{self, Client, InstallScope, Installation, Place, config::Plan},
    guidance::Skill,
    server::ServerHandler,
};

/// What a package is made of.
pub(super) struct PackageParts<'a> {
    pub(super) format: &'static Format,
    pub(super) about: PackageFacts<'a>,
    /// The name of the MCP server.
    pub(super) server: &'a str,
    /// The file name of the program, which the computer finds on its PATH.
    pub(super) program: String,
    pub(super) arguments: &'a [String],
    pub(super) skills: &'a [Skill],
}

impl PackageParts<'_> {
    /// Returns the files of the package.
    pub(super) fn files<H: ServerHandler>(
        &self,
        program: &Program<H>,
    ) -> Result<Files, CommandError> {
        let PackageParts { format, about, .. } = self;
        let mut files = Files::default();
        files.add_json(format.manifest, &format.manifest(about))?;
        files.add_json(
            format.servers,
            &format.servers(self.server, self.server_entry()),
        )?;
        for hooks in format.hooks {
            files.add_json(hooks.file, &self.hooks(program, hooks)?)?;
        }
        if let Some(catalog) = &format.catalog {
            files.add_json(catalog.file, &catalog.content(about))?;
        }
        for skill in self.skills {
            for file in skill.files() {
                let path = format!("skills/{}/{}", skill.name(), file.path);
                files.add(&path, file.content.to_vec())?;
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

    /// Returns a file of hooks: what the client's own file begins with, and the entries by the client's names of events.
    fn hooks<H: ServerHandler>(
        &self,
        program: &Program<H>,
        hooks: &HooksFile,
    ) -> Result<Value, CommandError> {
        let client = hooks.client()?;
        let events = program.events(client)?;
        // No file of a computer is named: the program is searched on the PATH of the one that loads the plugin.
        let (binary, place) = (Path::new(&self.program), Place::new("", ""));
        let to = Installation::new(InstallScope::User, &place, self.server, binary)
            .events(&events)
            .arguments(self.arguments);
        let plan = Plan::new(client.name(), InstallScope::User, Path::new(""), binary);
        let plan = client.plan_hooks(plan, &to);
        let mut file: Map<String, Value> = plan.members().cloned().unwrap_or_default();
        file.insert("hooks".to_owned(), by_event(&plan).into());
        Ok(file.into())
    }

    /// Returns how the plugin is loaded, from this folder.
    pub(super) fn loads(&self, folder: &str) -> impl Iterator<Item = String> {
        let name = self.about.name;
        let steps = self.format.load.iter();
        steps.map(move |step| step.replace("DIR", folder).replace("NAME", name))
    }

    /// Returns what people should know, in sentences.
    pub(super) fn notes<H: ServerHandler>(
        &self,
        program: &Program<H>,
    ) -> Result<Vec<String>, CommandError> {
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
    pub(super) fn client(&self) -> Result<&'static dyn Client, CommandError> {
        let client = clients::by_name(self.client);
        client.ok_or_else(|| format!("hooks for `{}` cannot be written yet", self.client).into())
    }
}
