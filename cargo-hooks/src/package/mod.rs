//! `cargo hooks package`: writes what carries a server and its hooks to other computers.

mod archive;
mod checks;
mod folder;
mod format;
mod formats;
mod inside;
mod mcpb;
mod npm;
mod parts;
mod platform;
mod programs;
mod readme;
mod release;

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use hooks_clients::dump::{Dump, FileBytes};
use serde::Serialize;

use self::release::{ReleaseArguments, ReleaseFormat};
use self::{
    folder::{FileState, WrittenFile, place},
    format::{Format, PackageAuthor, PackageFacts, plugin_name},
    parts::PackageParts,
};
use super::{CommandError, print, server::Server};

/// The arguments of `cargo hooks package`.
#[derive(Clone, Debug, Args)]
pub(super) struct Package {
    #[command(flatten)]
    server: Server,
    /// The format of the package
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    format: PackageFormat,
    #[command(flatten)]
    release: ReleaseArguments,
    /// The folder: missing, empty, or an earlier package of this server
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The kind of package that the command writes.
#[derive(Clone, Copy, Debug)]
enum PackageFormat {
    /// A folder that a client loads.
    Plugin(&'static Format),
    /// Files for a registry or an application.
    Release(ReleaseFormat),
}

fn format_parser() -> impl TypedValueParser<Value = PackageFormat> {
    let named = PackageFormat::all().map(|format| {
        let (name, help) = format.described();
        PossibleValue::new(name).help(help)
    });
    PossibleValuesParser::new(named).try_map(|name| {
        let mut all = PackageFormat::all();
        let format = all.find(|format| format.described().0 == name);
        format.ok_or("there is no such format")
    })
}

/// The report.
#[derive(Debug, Serialize)]
struct PackageReport {
    folder: PathBuf,
    format: &'static str,
    plugin: String,
    files: Vec<WrittenFile>,
    /// What its author does with the package.
    next: Vec<String>,
    notes: Vec<String>,
}

impl PackageFormat {
    fn all() -> impl Iterator<Item = PackageFormat> {
        let plugins = formats::ALL.into_iter().map(PackageFormat::Plugin);
        plugins.chain(ReleaseFormat::ALL.map(PackageFormat::Release))
    }

    /// Returns the name on a command line, and what the format is.
    fn described(self) -> (&'static str, String) {
        match self {
            PackageFormat::Plugin(format) => {
                (format.name, format!("A plugin for {}", format.title))
            }
            PackageFormat::Release(format) => (format.name(), format.help().to_owned()),
        }
    }
}

impl Package {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let path = self.server.path()?;
        let done = self.write(&self.server.dump(&path)?, &program_name(&path)?)?;
        match self.json {
            true => print::json(&done),
            false => print::text(&done.page()),
        }
    }

    fn write(&self, program: &Dump, program_name: &str) -> Result<PackageReport, CommandError> {
        let skills = &program.skills;
        let name = plugin_name(&program.name)?;
        let said = &program.about;
        let author = said.authors.as_deref().and_then(PackageAuthor::first);
        let about = PackageFacts {
            name: &name,
            server: &program.name,
            program: program_name,
            arguments: &program.arguments,
            description: &said.description,
            version: said.version.as_deref(),
            author: author.as_ref(),
            license: said.license.as_deref(),
            repository: said.repository.as_deref(),
            homepage: said.homepage.as_deref(),
            registry_name: said.registry_name.as_deref(),
            icon: said.icon.as_ref().map(FileBytes::bytes),
        };
        let folder = place(&self.folder)?;
        let shown = folder.to_string_lossy();
        let (format, _) = self.format.described();
        let (files, next, notes) = match self.format {
            PackageFormat::Plugin(plugin) => {
                self.release.refuse_name(plugin.name)?;
                let programs = self.release.programs()?;
                let parts = PackageParts {
                    format: plugin,
                    about: &about,
                    skills,
                    inside: (!programs.is_empty()).then(|| plugin.inside(&about, &programs)),
                };
                let next = parts.loads(&shown).collect();
                let mut files = parts.files(program)?;
                if !programs.is_empty() {
                    inside::add(&mut files, &about, &programs)?;
                }
                (files, next, parts.notes(program)?)
            }
            PackageFormat::Release(release) => {
                let contents = release.contents(program, &about, skills, &self.release, &shown)?;
                (contents.files, contents.next, contents.notes)
            }
        };
        let (folder, files) = files.write(&self.folder, &program.name, format)?;
        Ok(PackageReport {
            folder,
            format,
            plugin: name.clone(),
            files,
            next,
            notes: notes
                .into_iter()
                .chain(super::server::note(program))
                .collect(),
        })
    }
}

/// Returns the file name of a program, as other systems know it.
fn program_name(program: &Path) -> Result<String, CommandError> {
    let name = program.file_name().and_then(OsStr::to_str);
    let name = name.ok_or("the program's file name is not UTF-8")?;
    Ok(name.strip_suffix(".exe").unwrap_or(name).to_owned())
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
