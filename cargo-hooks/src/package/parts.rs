//! What a package is made of, and its files.

use std::path::Path;

use serde_json::{Map, Value, json};

use hooks_clients::{
    INSTALLED_VARIABLE, InstallScope, Installation, Place, Start,
    config::{Plan, started},
};

use super::{
    checks::icon,
    folder::Files,
    format::{Format, ICON, PackageFacts},
};
use crate::{CommandError, server::events};

/// What a package is made of.
pub(super) struct PackageParts<'a> {
    pub(super) format: &'static Format,
    pub(super) about: &'a PackageFacts<'a>,
    /// Where the package contains the program. Without it, the program is on the PATH.
    pub(super) inside: Option<Inside>,
}

/// How the entries of a package start the program that it contains.
#[derive(Clone, Debug)]
pub(super) struct Inside {
    /// The program as a pattern of the shell, quoted where that is needed.
    pub(super) pattern: String,
    /// The program as the client's entry of a server names it. If it is empty, a shell finds the pattern.
    pub(super) command: Vec<String>,
    /// The folder in which the client starts the server.
    pub(super) folder: Option<&'static str>,
}

impl PackageParts<'_> {
    /// Returns the files of the package.
    pub(super) fn files(&self) -> Result<Files, CommandError> {
        let mut files = self.files_of_plugin()?;
        let PackageParts { format, about, .. } = self;
        if let Some(catalog) = &format.catalog {
            files.add_json(catalog.file, &catalog.content(about, (catalog.source)()))?;
        }
        files.add("README.md", self.readme()?.into_bytes())?;
        Ok(files)
    }

    /// Returns the files that a client reads from the plugin's own folder.
    pub(super) fn files_of_plugin(&self) -> Result<Files, CommandError> {
        let PackageParts { format, about, .. } = self;
        let mut files = Files::default();
        let mut manifest = format.manifest(about);
        let mut entry = self.server_entry();
        if format.servers == format.manifest {
            // Gemini CLI and Qwen Code, whose entries have a type for servers over HTTP only.
            if let Some(entry) = entry.as_object_mut() {
                entry.remove("type");
            }
            manifest["mcpServers"] = json!({ &about.dump.name: entry });
        } else {
            files.add_json(format.servers, &format.servers(&about.dump.name, entry))?;
        }
        files.add_json(format.manifest, &manifest)?;
        files.add_json(format.hooks, &self.hooks()?)?;
        if let Some(png) = about.icon() {
            icon(png)?;
            files.add(ICON, png.to_vec())?;
        }
        for skill in &about.dump.skills {
            for (path, content) in &skill.files {
                let path = format!("skills/{}/{path}", skill.name);
                files.add(&path, content.bytes().to_vec())?;
            }
        }
        Ok(files)
    }

    /// Returns the entry that starts the server. It says which client has its hooks, so that no text arrives twice.
    fn server_entry(&self) -> Value {
        let arguments = self.about.serve();
        let mut entry = json!({
            "type": "stdio",
            "command": self.about.program,
            "args": arguments,
            "env": { INSTALLED_VARIABLE: self.format.client },
        });
        if let Some(inside) = &self.inside {
            match inside.command.split_first() {
                Some((command, before)) => {
                    let before = before.iter().map(String::as_str);
                    entry["command"] = command.as_str().into();
                    entry["args"] = before.chain(arguments).collect();
                }
                None => {
                    let (start, program) = (
                        Start::Pattern(&inside.pattern),
                        Path::new(self.about.program),
                    );
                    entry["command"] = "sh".into();
                    entry["args"] = json!(["-c", started(start, program, &arguments, "exit 127")]);
                }
            }
            if let Some(folder) = inside.folder {
                entry["cwd"] = folder.into();
            }
        }
        entry
    }

    /// Returns the file of hooks: what the client's own file begins with, and the entries by the client's names of events.
    fn hooks(&self) -> Result<Value, CommandError> {
        let (client, program) = (self.format.client()?, self.about.dump);
        let events = events(program, client)?;
        // No file of a computer is named: the program is searched on the PATH of the one that loads the plugin.
        let (binary, place) = (Path::new(self.about.program), Place::new("", ""));
        let start = self.inside.as_ref();
        let start = start.map_or(Start::ByName, |inside| Start::Pattern(&inside.pattern));
        let to = Installation {
            start,
            events,
            arguments: &program.arguments,
            ..Installation::new(
                &program.id,
                InstallScope::User,
                &place,
                &program.name,
                binary,
            )
        };
        let plan = to.plan(client, false);
        let named = plan.hooks.first().map(|hook| &hook.file);
        let mut created = plan.created.iter();
        let begun = created.find(|(file, _)| Some(file) == named);
        let mut file = begun.map_or_else(Map::new, |(_, members)| members.clone());
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
    pub(super) fn notes(&self) -> Result<Vec<String>, CommandError> {
        let mut notes = Vec::new();
        if self.inside.is_none() {
            notes.push(format!(
                "the computer that loads the plugin needs the program `{}` on its PATH",
                self.about.program
            ));
        }
        let here = self.about.dump.arguments.iter();
        let here = here.filter(|it| Path::new(it).is_absolute());
        notes.extend(here.map(|argument| {
            format!("the entries name `{argument}`, which another computer may not have")
        }));
        if self.about.said().version.is_none() {
            notes.push("the plugin has no version: set it with `Program::version`".to_owned());
        }
        notes.extend(self.format.lacks.map(str::to_owned));
        let client = self.format.client()?;
        for event in events(self.about.dump, client)? {
            if !client.mapping(*event).delivery.reaches_agent() {
                let title = client.title;
                notes.push(format!("{event}: no text reaches the agent in {title}"));
            }
        }
        Ok(notes)
    }
}

/// Returns the entries of a plan in lists, by the client's names of events.
fn by_event(plan: &Plan) -> Map<String, Value> {
    let mut events = Map::new();
    for entry in &plan.hooks {
        let list = events.entry(&entry.event).or_insert_with(|| json!([]));
        if let Value::Array(entries) = list {
            entries.push(entry.value.clone());
        }
    }
    events
}
