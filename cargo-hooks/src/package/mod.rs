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

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use hooks_clients::dump::Dump;
use serde::Serialize;

use self::{
    folder::{FileState, Files, WrittenFile, place},
    format::{Format, PackageFacts, plugin_name},
    npm::NpmPackages,
    programs::ProgramArgument,
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
    /// A program to put into the package, and the target that it was built for; may be repeated
    #[arg(long = "program", value_name = "TRIPLE=FILE")]
    programs: Vec<ProgramArgument>,
    /// The package's name in npm, such as `@acme/memory` [default: the server's name]
    #[arg(long)]
    name: Option<String>,
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
    /// Archives of an extension of Gemini CLI.
    GeminiExtension,
    /// Bundles for desktop applications.
    Mcpb,
    /// Packages of npm.
    Npm,
}

/// What a package holds, and what its author does with it.
#[derive(Debug)]
struct Contents {
    files: Files,
    next: Vec<String>,
    notes: Vec<String>,
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
        use PackageFormat::{GeminiExtension, Mcpb, Npm, Plugin};

        let plugins = formats::ALL.into_iter().map(Plugin);
        plugins.chain([GeminiExtension, Mcpb, Npm])
    }

    /// Returns the name on a command line, and what the format is.
    fn described(self) -> (&'static str, String) {
        let (name, help) = match self {
            PackageFormat::Plugin(format) => {
                return (format.name, format!("A plugin for {}", format.title));
            }
            PackageFormat::GeminiExtension => (
                formats::GEMINI.name,
                "Archives of an extension of Gemini CLI, one for each program",
            ),
            PackageFormat::Mcpb => ("mcpb", "Bundles for Claude Desktop, one for each program"),
            PackageFormat::Npm => (
                "npm",
                "Packages of npm: a command that needs no Rust, and a plugin for Claude Code and OpenCode",
            ),
        };
        (name, help.to_owned())
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
        let name = plugin_name(&program.name)?;
        let about = PackageFacts {
            name: &name,
            program: program_name,
            dump: program,
        };
        let folder = place(&self.folder)?;
        let shown = folder.to_string_lossy();
        let (format, _) = self.format.described();
        let (is_npm, is_plugin) = match self.format {
            PackageFormat::Npm => (true, false),
            other => (false, matches!(other, PackageFormat::Plugin(_))),
        };
        if self.name.is_some() && !is_npm {
            return Err(format!(
                "the format `{format}` does not use `--name`\nhelp: leave it out, or take another format"
            )
            .into());
        }
        if self.programs.is_empty() && !is_plugin {
            return Err(format!(
                "the format `{format}` needs a program\nhelp: add `--program TRIPLE=FILE` for each target"
            )
            .into());
        }
        let programs = programs::read(&self.programs)?;
        let Contents { files, next, notes } = match self.format {
            PackageFormat::Plugin(plugin) => inside::plugin(plugin, &about, &programs, &shown)?,
            PackageFormat::GeminiExtension => inside::gemini(&about, &programs, &shown)?,
            PackageFormat::Mcpb => mcpb::contents(&about, &programs, &shown)?,
            PackageFormat::Npm => {
                let packages = NpmPackages {
                    about: &about,
                    name: &checks::npm_name(self.name.as_deref().unwrap_or(&name))?,
                    programs: &programs,
                };
                packages.contents(&shown)?
            }
        };
        let notes = notes.into_iter().chain(super::server::note(program));
        let (folder, files) = files.write(&self.folder, &program.name, format)?;
        Ok(PackageReport {
            folder,
            format,
            plugin: name.clone(),
            files,
            next,
            notes: notes.collect(),
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
