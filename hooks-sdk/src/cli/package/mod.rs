//! `hooks package`: writes the folder that a client loads as a plugin.

mod folder;
mod format;
mod formats;
mod parts;
mod readme;

use std::{env, ffi::OsStr, path::PathBuf};

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use serde::Serialize;

use self::{
    folder::{FileState, WrittenFile},
    format::{Format, PackageAuthor, PackageFacts, plugin_name},
    parts::PackageParts,
};
use super::{CommandError, Program, options::OutputFormat, print};
use crate::{guidance, server::ServerHandler};

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
    let named = formats::ALL.map(|format| {
        PossibleValue::new(format.name).help(format!("A plugin for {}", format.title))
    });
    PossibleValuesParser::new(named)
        .try_map(|name| Format::by_name(&name).ok_or("there is no such format"))
}

/// The report.
#[derive(Debug, Serialize)]
struct PackageReport {
    folder: PathBuf,
    format: &'static str,
    plugin: String,
    files: Vec<WrittenFile>,
    /// How the plugin is loaded.
    next: Vec<String>,
    notes: Vec<String>,
}

impl Package {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<(), CommandError> {
        let done = self.write(program)?;
        match self.output.json {
            true => print::json(&done),
            false => print::text(&done.page()),
        }
    }

    fn write<H: ServerHandler>(&self, program: &Program<H>) -> Result<PackageReport, CommandError> {
        let skills = guidance::skills(program.hooks()?.registry());
        let name = plugin_name(&program.name)?;
        let description = program.description();
        let author = program.author.as_deref().and_then(PackageAuthor::first);
        let parts = PackageParts {
            format: self.plugin,
            about: PackageFacts {
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
        Ok(PackageReport {
            next: parts.loads(&folder.to_string_lossy()).collect(),
            notes: parts.notes(program)?,
            folder,
            format: self.plugin.name,
            plugin: name.clone(),
            files,
        })
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

impl PackageReport {
    fn page(&self) -> String {
        let mut page = format!(
            "The package `{}` is in {}\n",
            self.plugin,
            self.folder.display()
        );
        for WrittenFile { file, state } in &self.files {
            let state = match state {
                FileState::Created => "wrote",
                FileState::Changed => "changed",
                FileState::Unchanged => "kept",
                FileState::Removed => "removed",
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
