//! The formats for registries and applications, whose packages contain the program.

use clap::Args;
use hooks_clients::dump::{Dump, DumpedSkill};

use super::{
    checks,
    folder::Files,
    format::PackageFacts,
    formats, inside, mcpb,
    npm::NpmPackages,
    programs::{self, PlatformProgram, ProgramArgument},
};
use crate::CommandError;

/// A format for a registry or an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReleaseFormat {
    GeminiExtension,
    Mcpb,
    Npm,
}

/// The arguments of these formats.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ReleaseArguments {
    /// A program to put into the package, and the target that it was built for. Can be repeated
    #[arg(long = "program", value_name = "TRIPLE=FILE")]
    programs: Vec<ProgramArgument>,
    /// The package's name in npm, such as @acme/memory. Default: the server's name
    #[arg(long)]
    name: Option<String>,
}

/// What a package holds, and what its author does with it.
#[derive(Debug)]
pub(super) struct Contents {
    pub(super) files: Files,
    pub(super) next: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl ReleaseFormat {
    pub(super) const ALL: [ReleaseFormat; 3] = [
        ReleaseFormat::GeminiExtension,
        ReleaseFormat::Mcpb,
        ReleaseFormat::Npm,
    ];

    /// Returns the name on a command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            ReleaseFormat::GeminiExtension => formats::GEMINI.name,
            ReleaseFormat::Mcpb => "mcpb",
            ReleaseFormat::Npm => "npm",
        }
    }

    /// Returns what the format is, for people.
    pub(super) fn help(self) -> &'static str {
        match self {
            ReleaseFormat::GeminiExtension => {
                "Archives of an extension of Gemini CLI, one for each program"
            }
            ReleaseFormat::Mcpb => "Bundles for Claude Desktop, one for each program",
            ReleaseFormat::Npm => {
                "Packages of npm: a command that needs no Rust, and a plugin for Claude Code and OpenCode"
            }
        }
    }

    /// Makes the files of the package for a folder, which is named to people.
    pub(super) fn contents(
        self,
        program: &Dump,
        about: &PackageFacts<'_>,
        skills: &[DumpedSkill],
        arguments: &ReleaseArguments,
        folder: &str,
    ) -> Result<Contents, CommandError> {
        if self != ReleaseFormat::Npm {
            arguments.refuse_name(self.name())?;
        }
        if arguments.programs.is_empty() {
            return Err(format!(
                "the format `{}` needs a program\nhelp: add `--program TRIPLE=FILE` for each target",
                self.name()
            )
            .into());
        }
        let programs = arguments.programs()?;
        match self {
            ReleaseFormat::GeminiExtension => {
                inside::gemini(program, about, skills, &programs, folder)
            }
            ReleaseFormat::Mcpb => mcpb::contents(about, &programs, folder),
            ReleaseFormat::Npm => {
                let name = arguments.name.as_deref().unwrap_or(about.name);
                let packages = NpmPackages {
                    about,
                    skills,
                    name: &checks::npm_name(name)?,
                    programs: &programs,
                };
                packages.contents(program, folder)
            }
        }
    }
}

impl ReleaseArguments {
    /// Reads the programs.
    pub(super) fn programs(&self) -> Result<Vec<PlatformProgram>, CommandError> {
        programs::read(&self.programs)
    }

    /// Refuses `--name`, which only npm uses.
    pub(super) fn refuse_name(&self, format: &str) -> Result<(), CommandError> {
        match self.name {
            Some(_) => Err(format!(
                "the format `{format}` does not use `--name`
help: leave it out, or take another format"
            )
            .into()),
            None => Ok(()),
        }
    }
}
