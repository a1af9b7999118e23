//! `hooks package`: writes what carries the server and its hooks to other computers.

mod about;
#[cfg(feature = "package")]
mod archive;
#[cfg(feature = "package")]
mod checks;
mod folder;
mod format;
mod formats;
#[cfg(feature = "package")]
mod inside;
#[cfg(feature = "package")]
mod mcpb;
#[cfg(feature = "package")]
mod npm;
mod parts;
#[cfg(feature = "package")]
mod platform;
#[cfg(feature = "package")]
mod programs;
mod readme;
#[cfg(feature = "package")]
mod release;

use std::{env, ffi::OsStr, path::PathBuf};

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use serde::Serialize;

pub(super) use self::about::Publication;
#[cfg(feature = "package")]
use self::release::{ReleaseArguments, ReleaseFormat};
use self::{
    folder::{FileState, WrittenFile, place},
    format::{Format, PackageAuthor, PackageFacts, plugin_name},
    parts::PackageParts,
};
use super::{CommandError, Program, options::OutputFormat, print};
use crate::{guidance, server::ServerHandler};

/// The arguments of `hooks package`.
#[derive(Clone, Debug, Args)]
pub(super) struct Package {
    /// The format of the package
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    format: PackageFormat,
    #[cfg(feature = "package")]
    #[command(flatten)]
    release: ReleaseArguments,
    /// The folder: missing, empty, or an earlier package of this server
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    output: OutputFormat,
}

/// The kind of package that the command writes.
#[derive(Clone, Copy, Debug)]
enum PackageFormat {
    /// A folder that a client loads.
    Plugin(&'static Format),
    /// Files for a registry or an application.
    #[cfg(feature = "package")]
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
        #[cfg(feature = "package")]
        return plugins.chain(ReleaseFormat::ALL.map(PackageFormat::Release));
        #[cfg(not(feature = "package"))]
        plugins
    }

    /// Returns the name on a command line, and what the format is.
    fn described(self) -> (&'static str, String) {
        match self {
            PackageFormat::Plugin(format) => {
                (format.name, format!("A plugin for {}", format.title))
            }
            #[cfg(feature = "package")]
            PackageFormat::Release(format) => (format.name(), format.help().to_owned()),
        }
    }
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
        let said = &program.publication;
        let author = said.authors.as_deref().and_then(PackageAuthor::first);
        let about = PackageFacts {
            name: &name,
            server: &program.name,
            program: &program_name()?,
            arguments: &program.arguments,
            description: &description,
            version: program.version.as_deref(),
            author: author.as_ref(),
            license: said.license.as_deref(),
            repository: said.repository.as_deref(),
            homepage: said.homepage.as_deref(),
            registry_name: said.registry_name.as_deref(),
            icon: said.icon.as_deref(),
        };
        let folder = place(&self.folder)?;
        let shown = folder.to_string_lossy();
        let (format, _) = self.format.described();
        let (files, next, notes) = match self.format {
            PackageFormat::Plugin(plugin) => {
                let inside = None;
                #[cfg(feature = "package")]
                let (programs, inside) = {
                    self.release.refuse_name(plugin.name)?;
                    let programs = self.release.programs()?;
                    let own = (!programs.is_empty()).then(|| plugin.inside(&about, &programs));
                    (programs, own.or(inside))
                };
                let parts = PackageParts {
                    format: plugin,
                    about: &about,
                    skills: &skills,
                    inside,
                };
                let next = parts.loads(&shown).collect();
                #[cfg_attr(not(feature = "package"), expect(unused_mut))]
                let mut files = parts.files(program)?;
                #[cfg(feature = "package")]
                if !programs.is_empty() {
                    inside::add(&mut files, &about, &programs)?;
                }
                (files, next, parts.notes(program)?)
            }
            #[cfg(feature = "package")]
            PackageFormat::Release(release) => {
                let contents = release.contents(program, &about, &skills, &self.release, &shown)?;
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
            notes,
        })
    }
}

/// Returns the file name of this program, as other systems know it.
fn program_name() -> Result<String, CommandError> {
    let program = env::current_exe()?;
    let name = program.file_name().and_then(OsStr::to_str);
    let name = name.ok_or("this program's file name is not UTF-8")?;
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
